// Profiles: the services that somebody signed in to, in a file that only they can read.
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CommandFailed } from './command.ts'

export interface Profile {
  url: string
  api_key: string
  team_id: string
}

export interface Profiles {
  current: string | null
  /** Each profile under its name. */
  profiles: Map<string, Profile>
}

export const profilesFile = (env: NodeJS.ProcessEnv): string =>
  join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'runyard', 'profiles.json')

export async function readProfiles(env: NodeJS.ProcessEnv): Promise<Profiles> {
  const file = profilesFile(env)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: null, profiles: new Map() }
    throw error
  }
  try {
    return profilesIn(JSON.parse(text))
  } catch (error) {
    throw new CommandFailed(`${file} is not a file of profiles. Remove it and sign in again: runyard login`, {
      cause: error,
    })
  }
}

function profilesIn(stored: unknown): Profiles {
  const { current, profiles } = stored as { current: unknown; profiles: Record<string, Profile> }
  for (const { url, api_key, team_id } of Object.values(profiles))
    if ([url, api_key, team_id].some((one) => typeof one !== 'string')) throw new Error('a profile is incomplete')
  return { current: typeof current === 'string' ? current : null, profiles: new Map(Object.entries(profiles)) }
}

/** Beside it first: a file that is cut off half-way would lose every profile. */
export async function writeProfiles(env: NodeJS.ProcessEnv, { current, profiles }: Profiles): Promise<void> {
  const file = profilesFile(env)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const partial = `${file}.${process.pid}`
  const stored = { current, profiles: Object.fromEntries(profiles) }
  await writeFile(partial, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 })
  await chmod(partial, 0o600)
  await rename(partial, file)
}
