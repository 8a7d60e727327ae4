// Where the last `runyard listen` with this target and these kinds of events ended, in a file that only its user can read.
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

export interface Cursor {
  read: () => Promise<string | undefined>
  write: (position: string) => Promise<void>
}

/** What makes a listener another one: what one has sent says nothing of what another has. */
export interface Listener {
  baseUrl: string
  teamId: string
  forwardTo: string | undefined
  events: string[] | undefined
}

/**
 * Up to 0.6 all listeners of a team shared one cursor. For this long after its last use, a listener without its own begins there: long
 * enough for the upgrade of one that listens every day, and no more, since every listener that is new gets what has happened since then.
 */
const sharedKeptMs = 24 * 3600 * 1000

export function cursorOf(env: NodeJS.ProcessEnv, { baseUrl, teamId, forwardTo, events }: Listener): Cursor {
  const home = env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state')
  const kinds = events && [...new Set(events)].toSorted()
  const fileOf = (key: string): string => {
    const name = createHash('sha256').update(key).digest('hex').slice(0, 24)
    return join(home, 'runyard', 'listen', `${name}.json`)
  }
  const file = fileOf(JSON.stringify([baseUrl, teamId, forwardTo ?? null, kinds ?? null]))
  const shared = fileOf(`${baseUrl} ${teamId}`)
  return {
    read: async () => (await positionIn(file)) ?? (await positionIn(shared, Date.now() - sharedKeptMs)),
    async write(position) {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      const partial = `${file}.${process.pid}`
      await writeFile(partial, JSON.stringify({ url: baseUrl, team_id: teamId, position }), { mode: 0o600 })
      await rename(partial, file)
    },
  }
}

async function positionIn(file: string, writtenAfter = 0): Promise<string | undefined> {
  try {
    if ((await stat(file)).mtimeMs < writtenAfter) return undefined
    const { position } = JSON.parse(await readFile(file, 'utf8')) as { position?: unknown }
    return typeof position === 'string' && /^\d+-\d+-\d+-[0-9a-f-]{36}$/.test(position) ? position : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}
