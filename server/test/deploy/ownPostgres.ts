// A PostgreSQL of an operator who keeps backups by PostgreSQL’s own tools: Debian's programs, an archive, and the scripts of deploy/postgres.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chmod, chown, cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { freePort } from '../survival/processes.ts'
import { repository } from './chart.ts'

const run = promisify(execFile)
const installed = '/usr/lib/postgresql'
/** The scripts and the server need these; the embedded programs have only the server. */
const needed = ['initdb', 'postgres', 'pg_basebackup', 'pg_verifybackup', 'pg_archivecleanup']

/** The folder of the programs, or the sentence why this machine has none. */
export async function findPrograms(): Promise<{ bin: string } | { missing: string }> {
  const versions = await readdir(installed).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  for (const version of versions.toSorted((a, b) => Number(b) - Number(a))) {
    const bin = join(installed, version, 'bin')
    const there = await readdir(bin).catch((): string[] => [])
    if (Number(version) >= 15 && needed.every((name) => there.includes(name))) return { bin }
  }
  return { missing: 'no PostgreSQL 15 or newer with pg_basebackup is installed (Debian: postgresql)' }
}

// PostgreSQL refuses to run as root, so root runs it under an account without rights
const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

export interface OwnPostgres {
  folder: string
  archive: string
  url: string
  query(statement: string): Promise<Record<string, unknown>[]>
  /** Runs base-backup.sh. */
  backUp(): Promise<string>
  /** Ends the server as a lost machine does, and deletes its data. */
  lose(): Promise<void>
  /** Runs restore.sh into a new directory, starts the server on it, and waits until it writes. */
  restore(time: string): Promise<void>
  remove(): Promise<void>
}

export async function startOwnPostgres(bin: string): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-backups-'))
  await chmod(folder, 0o755)
  const archive = join(folder, 'archive')
  const scripts = join(folder, 'scripts')
  await cp(join(repository, 'deploy/postgres'), scripts, { recursive: true })
  await mkdir(archive)
  if (account.uid !== undefined) for (const path of [folder, archive]) await chown(path, account.uid, account.gid)
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const env = { PATH: `${bin}:${process.env['PATH']}`, PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: 'postgres' }
  const options = { ...account, env, cwd: folder }
  const script = (name: string, ...words: string[]) => run(join(scripts, name), words, options)
  let directory = join(folder, 'data')
  let server: ChildProcess | undefined

  async function query(statement: string): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows
    } finally {
      await client.end()
    }
  }

  async function start(): Promise<void> {
    const settings = [
      'listen_addresses=127.0.0.1',
      `port=${port}`,
      'unix_socket_directories=',
      'max_connections=200',
      'archive_mode=on',
      `archive_command=${join(scripts, 'archive-wal.sh')} ${archive} "%p" "%f"`,
    ]
    server = spawn(join(bin, 'postgres'), ['-D', directory, ...settings.flatMap((one) => ['-c', one])], {
      ...options,
      stdio: 'ignore',
    })
    for (const deadline = performance.now() + 60_000; ;) {
      try {
        const [row] = await query('select pg_is_in_recovery() as replays')
        if (row?.['replays'] === false) return
      } catch (error) {
        if (performance.now() > deadline || server.exitCode !== null) throw error
      }
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const exited = new Promise((resolve) => server!.once('exit', resolve))
    server.kill(signal)
    await exited
  }

  await run(join(bin, 'initdb'), ['-D', directory, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '-k'], options)
  await start()
  return {
    folder,
    archive,
    url,
    query,
    backUp: async () => (await script('base-backup.sh', archive)).stdout.trim(),
    async lose() {
      await end('SIGQUIT')
      await rm(directory, { recursive: true })
    },
    async restore(time) {
      directory = join(folder, 'restored')
      await script('restore.sh', archive, directory, time)
      await start()
    },
    async remove() {
      await end('SIGQUIT')
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
