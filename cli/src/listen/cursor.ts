// Where the last `runyard listen` ended, for each service and team, in a file that only its user can read.
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

export interface Cursor {
  read: () => Promise<string | undefined>
  write: (position: string) => Promise<void>
}

export function cursorOf(env: NodeJS.ProcessEnv, baseUrl: string, teamId: string): Cursor {
  const home = env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state')
  const name = createHash('sha256').update(`${baseUrl} ${teamId}`).digest('hex').slice(0, 24)
  const file = join(home, 'runyard', 'listen', `${name}.json`)
  return {
    async read() {
      try {
        const { position } = JSON.parse(await readFile(file, 'utf8')) as { position?: unknown }
        return typeof position === 'string' && /^\d+-\d+-\d+-[0-9a-f-]{36}$/.test(position) ? position : undefined
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined
        throw error
      }
    },
    async write(position) {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      const partial = `${file}.${process.pid}`
      await writeFile(partial, JSON.stringify({ url: baseUrl, team_id: teamId, position }), { mode: 0o600 })
      await rename(partial, file)
    },
  }
}
