// PgBouncer in front of a server of a test, where the machine has it.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../survival/processes.ts'

/** `PGBOUNCER` names one that is not where packages put it. */
const program =
  process.env['PGBOUNCER'] ??
  ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find(
    (path) => existsSync(path),
  )

/** Options of a test that needs it: skipped visibly elsewhere. */
export const needsPgbouncer = program === undefined ? { skip: 'PgBouncer is not installed' } : {}

/** From 1.21 on it keeps prepared statements by their names. */
const keepsNames = (): boolean => {
  const [, major = 0, minor = 0] = /PgBouncer (\d+)\.(\d+)/.exec(execFileSync(program!, ['--version']).toString()) ?? []
  return Number(major) > 1 || Number(minor) >= 21
}

export const needsNamingPgbouncer =
  program === undefined || !keepsNames() ? { skip: 'PgBouncer 1.21 or newer is not installed' } : {}

// it refuses to run as root
const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined

export interface Pgbouncer {
  port: number
  stop(): Promise<void>
}

interface Options {
  /** The port of PostgreSQL on loopback, which trusts everybody there. */
  serverPort: number
  users: string[]
  mode?: 'transaction' | 'session'
  /** How many statements it keeps by name for a client; older versions know no such setting. */
  statementsMax?: number
  port?: number
}

export async function startPgbouncer({
  serverPort,
  users,
  mode = 'transaction',
  statementsMax,
  ...given
}: Options): Promise<Pgbouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-pgbouncer-'))
  await chmod(folder, 0o755)
  if (account) await chown(folder, account.uid, account.gid)
  const port = given.port ?? (await freePort())
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(join(folder, 'users.txt'), users.map((user) => `"${user}" ""\n`).join(''))
  await writeFile(
    file,
    [
      '[databases]',
      `* = host=127.0.0.1 port=${serverPort}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${join(folder, 'users.txt')}`,
      `pool_mode = ${mode}`,
      'max_client_conn = 500',
      'default_pool_size = 20',
      // a server that is back is tried again within a second, not after 15
      'server_login_retry = 1',
      ...(statementsMax === undefined ? [] : [`max_prepared_statements = ${statementsMax}`]),
      '',
    ].join('\n'),
  )
  const child = spawn(program!, ['-q', file], { ...account, stdio: 'ignore' })
  const exited = once(child, 'exit')
  await untilListening(port)
  return {
    port,
    async stop() {
      child.kill('SIGKILL')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function untilListening(port: number): Promise<void> {
  const deadline = performance.now() + 10_000
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
    } finally {
      socket.destroy()
    }
  }
}
