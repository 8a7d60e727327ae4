// The names of settings, to compare with those that files of deploy/ set.
import { readConfig, shownSettings } from '../../src/base/config.ts'

export const settingNames = new Set<string>(shownSettings(readConfig({})).map(({ name }) => name))

/** Variables that other programs in the same container or unit read. */
export const foreignNames = new Set(['NODE_ENV', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME'])

export const isKnown = (name: string): boolean => settingNames.has(name) || foreignNames.has(name)
