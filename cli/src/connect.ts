// Which service a command talks to, and as whom: flags first, then the environment, a profile, and the local data dir.
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { RunyardOptions } from '../../sdk/src/index.ts'
import { CommandFailed } from './command.ts'
import { readProfiles } from './profiles.ts'

/** Nobody is signed in, or the key no longer works. */
export class NotSignedIn extends CommandFailed {}

export interface Flags {
  url?: string
  team?: string
  profile?: string
}

export interface Target extends Required<Pick<RunyardOptions, 'baseUrl' | 'apiKey'>> {
  teamId?: string
  /** Where it was found, for people. */
  from: string
}

export async function findTarget(flags: Flags, given: NodeJS.ProcessEnv, folder: string): Promise<Target> {
  // a profile that was named on the command line goes before the environment
  const env = flags.profile === undefined ? given : { XDG_CONFIG_HOME: given['XDG_CONFIG_HOME'], HOME: given['HOME'] }
  const found = [await fromProfile(flags, env), await fromDataDir(given, folder)].filter((one) => one !== undefined)
  const baseUrl = flags.url ?? (env['RUNYARD_URL'] || found[0]?.baseUrl)
  // the key and the team of one service are never sent to another
  const known = found.find((one) => isSameUrl(baseUrl, one.baseUrl))
  const apiKey = env['RUNYARD_API_KEY'] || known?.apiKey
  const isOwnKey = apiKey === known?.apiKey
  const teamId = flags.team ?? (env['RUNYARD_TEAM'] || (isOwnKey ? known?.teamId : undefined))
  if (baseUrl === undefined || !apiKey) throw new NotSignedIn(howToSignIn(baseUrl))
  const from = isOwnKey && known ? known.from : 'the environment'
  return { baseUrl, apiKey, ...(teamId !== undefined && { teamId }), from }
}

const isSameUrl = (one: string | undefined, other: string): boolean =>
  one?.replace(/\/+$/, '') === other.replace(/\/+$/, '')

const howToSignIn = (baseUrl: string | undefined): string =>
  baseUrl === undefined
    ? 'You are not signed in. Run: runyard login --url URL. On the machine of the service, run this in the folder of its data dir.'
    : `There is no key for ${baseUrl}. Run: runyard login --url ${baseUrl}, or set RUNYARD_API_KEY.`

async function fromProfile(flags: Flags, env: NodeJS.ProcessEnv): Promise<Target | undefined> {
  const { current, profiles } = await readProfiles(env)
  const wanted = flags.profile ?? env['RUNYARD_PROFILE'] ?? byUrl(flags.url ?? env['RUNYARD_URL'], profiles) ?? current
  if (!wanted) return undefined
  const profile = profiles.get(wanted)
  if (!profile) {
    const names = [...profiles.keys()]
    throw new CommandFailed(
      `There is no profile "${wanted}". ${names.length > 0 ? `There are ${names.join(', ')}.` : 'Run: runyard login'}`,
    )
  }
  return { baseUrl: profile.url, apiKey: profile.api_key, teamId: profile.team_id, from: `the profile ${wanted}` }
}

const byUrl = (url: string | undefined, profiles: Map<string, { url: string }>): string | undefined =>
  url ? [...profiles].find(([, profile]) => isSameUrl(url, profile.url))?.[0] : undefined

/** The service writes service.json while it runs. */
async function fromDataDir(env: NodeJS.ProcessEnv, folder: string): Promise<Target | undefined> {
  // bin/runyard.mjs sets it
  const dataDir = resolve(folder, env['RUNYARD_DATA_DIR'] || '.runyard')
  const text = await textOf(join(dataDir, 'service.json'))
  if (text === undefined) return undefined
  const { base_url, team_id, api_key } = JSON.parse(text) as Record<string, string | null>
  const key = api_key ?? (await textOf(join(dataDir, 'first-key')))?.trim()
  return base_url && key
    ? { baseUrl: base_url, apiKey: key, ...(team_id && { teamId: team_id }), from: `the data dir ${dataDir}` }
    : undefined
}

/** What is not there, or not for us, does not count. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
