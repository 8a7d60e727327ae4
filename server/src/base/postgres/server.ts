// The server process: found by its postmaster.pid, started detached, stopped; never confused with a stranger.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { link, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { randomBytes, randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Binaries } from './binaries.ts'
import { bareEnvironment } from './cluster.ts'
import type { Account } from '../accounts.ts'
import type { LogLine } from './serverFolder.ts'

/** What postmaster.pid says: PostgreSQL's own lock on the cluster, and the truth about the port. */
type Postmaster = { pid: number; port: number; status: string }

const lockFile = (cluster: string) => join(cluster, 'postmaster.pid')

/** The running server of this cluster. Synchronous: two small reads. */
export function runningPostmaster(cluster: string): Postmaster | undefined {
  const found = readLock(cluster)
  return found && found.folder === cluster && isPostmasterOf(found.pid, cluster) ? found : undefined
}

/** Lines: pid, data dir, start time, port, socket dir, listen address, shared memory key, status. */
function readLock(cluster: string): (Postmaster & { folder: string; text: string }) | undefined {
  let text: string
  try {
    text = readFileSync(lockFile(cluster), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const [pid, folder = '', , port, , , , status = ''] = text.split('\n')
  return { text, folder, pid: Number(pid), port: Number(port), status: status.trim() }
}

/**
 * A pid alone proves nothing: after a reboot, or in a restarted container, it is soon somebody else's, and an unreaped
 * child still has one. The postmaster keeps the command line it was started with (a zombie's is empty), and that is
 * readable even for a root without CAP_SYS_PTRACE, as in containers, where /proc/<pid>/cwd is not.
 */
function isPostmasterOf(pid: number, cluster: string): boolean {
  if (!processExists(pid)) return false
  if (process.platform === 'win32') return true
  if (existsSync('/proc/self/cmdline')) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return words[1] === '-D' && words[2] === cluster
    } catch (error) {
      if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
      throw error
    }
  }
  return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(
    ` -D ${cluster} `,
  )
}

function processExists(pid: number): boolean {
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * PostgreSQL takes a postmaster.pid for valid as long as *any* process of its own user has that pid, and would refuse to start for ever.
 * A server that another process of ours has just started keeps its file: who looked a moment ago did not see it yet, and without its file
 * nobody could join it. If a new one has written its file while we look, the file is put back. Two servers on one cluster are impossible in
 * any case, because the shared memory key is made from the folder's inode.
 */
export async function setAsideStaleLock(cluster: string, log: LogLine): Promise<void> {
  const stale = readLock(cluster)
  // PostgreSQL itself replaces the lock of a process that is gone
  if (!stale || !processExists(stale.pid) || isPostmasterOf(stale.pid, cluster)) return
  const aside = `${lockFile(cluster)}.stale-${randomBytes(4).toString('hex')}`
  try {
    await rename(lockFile(cluster), aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return // another process was faster
    throw error
  }
  if ((await readFile(aside, 'utf8')) === stale.text) {
    log('set aside a postmaster.pid whose process is not this PostgreSQL', { pid: stale.pid, cluster })
  } else {
    await link(aside, lockFile(cluster))
  }
  await rm(aside)
}

export type Settings = Record<string, string | number>

/** On the command line, so that neither an old postgresql.conf nor `alter system` can take them away. */
function settings(port: number, logs: string): Settings {
  return {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    password_encryption: 'scram-sha-256',
    max_connections: 200,
    shared_buffers: '256MB',
    fsync: 'on',
    synchronous_commit: 'on',
    // A process that is killed or cut off loses its session (and the locks that prove that it lives) within 5 s.
    tcp_keepalives_idle: 2,
    tcp_keepalives_interval: 1,
    tcp_keepalives_count: 3,
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    logging_collector: 'on',
    log_directory: logs,
    // Seven files, each overwritten a week later.
    log_filename: 'postgresql-%a.log',
    log_truncate_on_rotation: 'on',
    log_rotation_age: '1d',
    log_rotation_size: 0,
  }
}

export type StartedServer = { pid: number | undefined; ended(): string | undefined }

/** A process of its own session: neither Ctrl-C nor a kill of ours reaches it. */
export async function startServer(
  binaries: Binaries,
  cluster: string,
  port: number,
  place: string,
  account: Account | undefined,
  more: Settings,
): Promise<StartedServer> {
  const logs = join(place, 'log')
  const startLog = join(logs, 'start.log') // the output before the log collector runs
  const tooLong = existsSync(startLog) && (await stat(startLog)).size > 200_000
  await using output = await open(startLog, tooLong ? 'w' : 'a', 0o600)
  const words = Object.entries({ ...settings(port, logs), ...more }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const child = spawn(binaries.postgres, ['-D', cluster, ...words], {
    detached: true,
    stdio: ['ignore', output.fd, output.fd],
    env: bareEnvironment(),
    cwd: place,
    ...account,
  })
  let end: string | undefined
  child.on('error', (error) => (end = error.message))
  child.on('exit', (code, killedBy) => (end ??= `exit ${code ?? killedBy}`))
  child.unref()
  return { pid: child.pid, ended: () => end }
}

/** Fast shutdown: sessions are cut, a checkpoint is written. After 30 s the immediate one: the next start recovers. */
export async function stopServer(cluster: string, log: LogLine, binaries?: Binaries): Promise<void> {
  const running = runningPostmaster(cluster)
  if (!running) return
  if (process.platform === 'win32' && binaries) {
    // No signals there: pg_ctl has a pipe of its own to the server.
    const words = ['stop', '--pgdata', cluster, '--mode', 'fast', '--wait', '--timeout', '40']
    await promisify(execFile)(binaries.pgCtl, words, { env: bareEnvironment() })
    return
  }
  const gone = async (withinMs: number) => {
    for (const end = performance.now() + withinMs; performance.now() < end; await sleep(20)) {
      if (!isPostmasterOf(running.pid, cluster)) return true
    }
    return false
  }
  signal(running.pid, 'SIGINT')
  if (await gone(30_000)) return
  log('PostgreSQL did not stop in 30 s: stopping it without a checkpoint', { pid: running.pid })
  signal(running.pid, 'SIGQUIT')
  if (!(await gone(10_000))) throw new Error(`PostgreSQL (process ${running.pid}) does not stop`)
}

/** Turns a shutdown that waits for its sessions into a fast one. */
export function makeShutdownFast(pid: number): void {
  if (process.platform !== 'win32') signal(pid, 'SIGINT')
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Below every system's range for outgoing connections, so that none takes the port while the server is down. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 200; tries += 1) {
    const port = randomInt(20_000, 32_768)
    if (await portIsFree(port)) return port
  }
  throw new Error('No free port between 20000 and 32767 on 127.0.0.1')
}

export async function portIsFree(port: number): Promise<boolean> {
  const probe = createServer()
  return new Promise((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false)
      else reject(error)
    })
    probe.listen({ host: '127.0.0.1', port, exclusive: true }, () => probe.close(() => resolve(true)))
  })
}

/** The end of the newest log file, for the error message. */
export async function lastLogLines(place: string): Promise<string> {
  const logs = join(place, 'log')
  const files = (await readdir(logs)).map((name) => join(logs, name))
  const dated = await Promise.all(files.map(async (file) => ({ file, stats: await stat(file) })))
  const newest = dated.sort((a, b) => b.stats.mtimeMs - a.stats.mtimeMs)[0]
  if (!newest) return ''
  await using log = await open(newest.file)
  const position = Math.max(0, newest.stats.size - 4_000)
  const { bytesRead, buffer } = await log.read({ buffer: Buffer.alloc(4_000), position })
  return buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n').slice(-8).join('\n')
}
