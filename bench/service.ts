// The service under test: the real process on a data dir of its own, with its embedded PostgreSQL.
import { fork, type ChildProcess } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readFacts } from '../server/src/base/postgres/facts.ts'
import { stopServer } from '../server/src/base/postgres/server.ts'
import { programFile } from '../server/test/kit/programFile.ts'

const entry = programFile(fileURLToPath(new URL('../server/src/main.ts', import.meta.url)))
const readyMaxMs = 30_000
const stopMaxMs = 30_000

export interface DataDir extends AsyncDisposable {
  path: string
}

export interface Service {
  pid: number
  host: string
  port: number
  teamId: string
  apiKey: string
  databaseUrl: string
  /** Of the embedded server, for what the runtime role may not do: settings and statistics. */
  superuserUrl: string
  /** The process whose children are the other processes of the embedded server. */
  postgresPid: number
  /** How many connections its pool may have, so that a floor gets as many. */
  connectionsMax: number
  stop(): Promise<void>
}

export interface ServiceOptions {
  /** Requests a minute; 0 switches the limit off. */
  rateLimit?: number
  /** Of the service's own command line, such as --role api. */
  args?: string[]
  env?: Record<string, string>
  /** Options for Node itself, such as --cpu-prof; a floor beside the service gets them too. */
  execArgv?: string[]
}

/** Removed with everything in it; the cluster too where it lies elsewhere, and its server should the service have left it. */
export async function makeDataDir(): Promise<DataDir> {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-bench-'))
  // PostgreSQL of a root user runs as another account, which must be able to pass through
  await chmod(folder, 0o711)
  const path = join(folder, 'data')
  return {
    path,
    async [Symbol.asyncDispose]() {
      const facts = readFacts(path)
      if (facts) {
        const place = resolve(path, facts.place)
        await stopServer(join(place, facts.cluster), (message) => process.stderr.write(`${message}\n`))
        await rm(place, { recursive: true, force: true })
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export async function startService(dataDir: DataDir, options: ServiceOptions = {}): Promise<Service> {
  const child = fork(entry, options.args ?? [], {
    execArgv: options.execArgv ?? [],
    env: {
      ...neutralEnvironment(),
      PORT: '0',
      RUNYARD_DATA_DIR: dataDir.path,
      RUNYARD_RATE_LIMIT: String(options.rateLimit ?? 0),
      RUNYARD_DEMO: '0',
      LOG_LEVEL: 'warn',
      ...options.env,
    },
    // its box goes nowhere, its warnings are seen; the channel makes it stop when this process is killed
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  try {
    const facts = await untilReady(child, join(dataDir.path, 'service.json'))
    const { hostname, port } = new URL(facts.base_url)
    const postgres = readFacts(dataDir.path)!
    return {
      pid: child.pid!,
      host: hostname,
      port: Number(port),
      teamId: facts.team_id,
      apiKey: facts.api_key,
      databaseUrl: facts.database_url,
      superuserUrl: `postgres://${postgres.superuser}:${postgres.superuser_password}@${postgres.host}:${postgres.port}/postgres`,
      postgresPid: await postgresPid(join(resolve(dataDir.path, postgres.place), postgres.cluster)),
      // as server/src/serve.ts makes its pool
      connectionsMax: 30,
      stop: () => stop(child),
    }
  } catch (error) {
    await stop(child).catch(() => undefined)
    throw error
  }
}

export interface WorkerBeside extends AsyncDisposable {
  pid: number
  /** Where it answers about itself. */
  url: string
}

/** A second process on the same data dir that only works; it is there when it says that it is ready. */
export async function startWorkerBeside(dataDir: DataDir, env: Record<string, string> = {}): Promise<WorkerBeside> {
  const child = fork(entry, ['--role', 'worker'], {
    env: {
      ...neutralEnvironment(),
      PORT: '0',
      RUNYARD_DATA_DIR: dataDir.path,
      RUNYARD_DEMO: '0',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const url = await new Promise<string>((isReady, reject) => {
    child.once('exit', (code) => reject(new Error(`the worker ended before it was ready (exit ${code})`)))
    child.once('message', (message: { ready: string }) => isReady(message.ready))
  })
  return { pid: child.pid!, url, [Symbol.asyncDispose]: () => stop(child) }
}

interface ServiceFacts {
  base_url: string
  team_id: string
  api_key: string
  database_url: string
  pid: number
}

/** The first line of the file that a server keeps in its cluster while it runs. */
async function postgresPid(cluster: string): Promise<number> {
  return Number((await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[0])
}

/** service.json appears when the port is open; /readyz then says whether requests may come. */
async function untilReady(child: ChildProcess, file: string): Promise<ServiceFacts> {
  for (const end = performance.now() + readyMaxMs; performance.now() < end; await sleep(25)) {
    if (child.exitCode !== null) throw new Error(`the service ended before it was ready (exit ${child.exitCode})`)
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    const facts = text && (JSON.parse(text) as ServiceFacts)
    if (!facts || facts.pid !== child.pid) continue
    const answer = await fetch(`${facts.base_url}/readyz`)
    await answer.arrayBuffer()
    if (answer.ok) return facts
  }
  throw new Error(`the service was not ready within ${readyMaxMs / 1000} s`)
}

/** Without its channel the service stops as on Ctrl-C, on every platform; as the last of its data dir it stops PostgreSQL. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.connected) child.disconnect()
  for (const end = performance.now() + stopMaxMs; performance.now() < end; await sleep(25)) {
    if (child.signalCode !== null) throw new Error(`the service was killed by ${child.signalCode}`)
    if (child.exitCode === 0) return
    if (child.exitCode !== null) throw new Error(`the service stopped with exit code ${child.exitCode}`)
  }
  child.kill('SIGKILL')
  throw new Error(`the service did not stop within ${stopMaxMs / 1000} s`)
}

/** Settings of whoever runs the bench must not bend it. */
function neutralEnvironment(): NodeJS.ProcessEnv {
  const bending = /^(RUNYARD_|PG[A-Z]|DATABASE_URL$|PORT$|HOST$|PUBLIC_URL$|LOG_LEVEL$)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !bending.test(name)))
}
