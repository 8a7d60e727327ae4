// What the address of the system holds: the open tab, the process that is shown, and what settings are looked for.
import { chosen, oneOf, text, type RawSearch } from '../../app/search.ts'

export const systemTabs = ['processes', 'sizes', 'settings', 'drills'] as const

export const readSystemSearch = (raw: RawSearch) =>
  chosen({
    tab: oneOf(systemTabs, raw['tab']),
    process: text(raw['process']),
    find: text(raw['find']),
    only: oneOf(['set'], raw['only']),
  })
