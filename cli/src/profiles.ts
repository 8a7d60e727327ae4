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
  profiles: Record<string, Profile>
}

export const profilesFile = (env: NodeJS.ProcessEnv): string =>
  join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'runyard', 'profiles.json')

export async function readProfiles(env: NodeJS.ProcessEnv): Promise<Profiles> {
  const file = profilesFile(env)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: null, profiles: {} }
    throw error
  }
  try {
    return JSON.parse(text) as Profiles
  } catch (error) {
    throw new CommandFailed(`${file} is not JSON. Correct it, or remove it and sign in again: runyard login`, {
      cause: error,
    })
  }
}

/** Beside it first: a file that is cut off half-way would lose every profile. */
export async function writeProfiles(env: NodeJS.ProcessEnv, profiles: Profiles): Promise<void> {
  const file = profilesFile(env)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const partial = `${file}.${process.pid}`
  await writeFile(partial, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
  await chmod(partial, 0o600)
  await rename(partial, file)
}
