// The embedded PostgreSQL of a data dir: made, started, joined, restarted and stopped by whichever process needs it.
import { mkdir, realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { binaryPackage, type Binaries, usableBinaries } from './postgres/binaries.ts'
import { ensureRoleAndDatabase, makeCluster } from './postgres/cluster.ts'
import type { Facts } from './postgres/facts.ts'
import type { Account } from './accounts.ts'
import { accountFor, type LogLine, prepareServerFolder } from './postgres/serverFolder.ts'
import { makeShutdownFast, runningPostmaster, type StartedServer, startServer, stopServer } from './postgres/server.ts'
import { freePort, lastLogLines, portIsFree, setAsideStaleLock, type Settings } from './postgres/server.ts'
import { knownFacts, type KnownFacts, agreeOnFacts } from './postgres/agreeOnFacts.ts'
import { connectionSettings, SessionClient, type Address } from './session.ts'

export type EmbeddedPostgres = {
  /** The connection settings of the runtime role; they follow the server when it moved to another port. */
  address(): Address
  superuser(): Address
  /** The folder where the cluster and the server's log lie. */
  place: string
  /** Joins the server, or starts it when it is dead. Single-flight; throws after 30 s without a sign of life. */
  ensureRunning(): Promise<void>
  /** Fast shutdown; resolves when the server is gone. The caller must know whether others still need it. */
  stop(): Promise<void>
  serverPid(): number | undefined
}

/**
 * PostgreSQL's own lock is the only lock here. The first link(2) of postgres.json decides the passwords, the first rename(2) of a whole
 * folder decides the cluster, and postmaster.pid decides the server. A process that loses uses what the winner made.
 */
export async function embeddedPostgres(options: {
  dataDir: string
  log: LogLine
  /** Over our own, for a server that this call starts: tests may do without fsync. */
  settings?: Settings
}): Promise<EmbeddedPostgres> {
  const { log, settings = {} } = options
  await mkdir(options.dataDir, { recursive: true })
  const dataDir = await realpath(options.dataDir)
  const programs = binaryPackage()
  const settled = await agreeOnFacts(dataDir, join(programs.root, 'native'), log)
  const place = resolve(dataDir, settled.place)
  const cluster = join(place, settled.cluster)
  const account = await accountFor(cluster)
  await prepareServerFolder(place, dataDir, account)
  const binaries = await usableBinaries(programs, place, account, log)
  const begun = Date.now()
  const made = await makeCluster(binaries, cluster, settled, account)
  if (made) log('made a new PostgreSQL cluster', { cluster, ms: Date.now() - begun })

  const known = knownFacts(dataDir, settled)
  const server: Server = { place, cluster, account, binaries, settings, known, log }
  let underWay: Promise<void> | undefined
  const ensureRunning = () => (underWay ??= bringUp(server).finally(() => (underWay = undefined)))
  await ensureRunning()
  return {
    address: () => runtimeAddress(known.get()),
    superuser: () => superuserAddress(known.get()),
    place,
    ensureRunning,
    async stop() {
      // Waits for a start that is under way; those who asked for that start get its failure.
      await underWay?.catch(() => undefined)
      await stopServer(cluster, log, binaries)
    },
    serverPid: () => runningPostmaster(cluster)?.pid,
  }
}

/** The connection settings as one DATABASE_URL. Passwords are base64url, so nothing needs escaping. */
export function connectionUrl({ host, port, user, password, database }: Address): string {
  return `postgres://${user}:${password}@${host}:${port}/${database}`
}

function runtimeAddress({ host, port, user, password, database }: Facts): Address {
  return { host, port, user, password, database }
}

function superuserAddress({ host, port, superuser, superuser_password }: Facts): Address {
  return { host, port, user: superuser, password: superuser_password, database: 'postgres' }
}

type Server = {
  place: string
  cluster: string
  account: Account | undefined
  binaries: Binaries
  settings: Settings
  known: KnownFacts
  log: LogLine
}

const patienceMs = 30_000

/**
 * Finds the server, joins or starts it, and repeats this until it answers. After a kill -9 PostgreSQL may refuse to start for up to 2 s
 * (0.1–0.5 s measured), until the last of the old processes has released the shared memory. If a server is alive and replays its log, this
 * waits for as long as that takes.
 */
async function bringUp(server: Server): Promise<void> {
  const { cluster, log } = server
  const begun = performance.now()
  let deadline = begun + patienceMs
  let started: StartedServer | undefined
  let problem: unknown
  for (let pauseMs = 20; performance.now() < deadline; await sleep(pauseMs)) {
    const running = runningPostmaster(cluster)
    if (running?.status === 'ready') {
      try {
        await confirm(server, running.port)
        const how = running.pid === started?.pid ? 'started' : 'joined'
        log(`${how} PostgreSQL`, { pid: running.pid, port: running.port, ms: Math.round(performance.now() - begun) })
        return
      } catch (error) {
        if (isRefusal(error)) {
          if (running.pid === started?.pid) await stopServer(cluster, log, server.binaries)
          throw error
        }
        problem = error
      }
    } else if (running?.status === 'stopping') {
      // A server that was asked to stop when its sessions end (a plain kill) would wait for our own idle sessions: make it a fast shutdown.
      makeShutdownFast(running.pid)
    } else if (running) {
      deadline = performance.now() + patienceMs
    } else if (!started || started.ended()) {
      if (started) {
        problem = started.ended()
        pauseMs = 150
      }
      started = await start(server)
    }
  }
  // we stop a server that we started and cannot use
  if (started && !started.ended()) await stopServer(cluster, log, server.binaries)
  throw new Error(
    `The embedded PostgreSQL in ${server.place} does not start: ${String(problem)}\n` +
      (await lastLogLines(server.place)),
    { cause: problem },
  )
}

/** Another process of ours that asks at the same time has the port for a moment, so it is asked twice. */
async function isTaken(port: number): Promise<boolean> {
  if (await portIsFree(port)) return false
  await sleep(probeMs)
  return !(await portIsFree(port))
}

/** Longer than the question for a port takes. */
const probeMs = 50

async function start({ place, cluster, account, binaries, settings, known, log }: Server): Promise<StartedServer> {
  await setAsideStaleLock(cluster, log)
  let { port } = known.get()
  if ((await isTaken(port)) && !runningPostmaster(cluster)) {
    const taken = port
    port = await freePort()
    log('another program has taken the port of PostgreSQL: moving', { taken, port })
  }
  return startServer(binaries, cluster, port, place, account, settings)
}

/** Joins the server of postmaster.pid: it must know our password and be on our cluster, then the rest is completed. */
async function confirm({ cluster, known }: Server, port: number): Promise<void> {
  const facts = known.get()
  const client = new SessionClient({
    ...connectionSettings({ ...superuserAddress(facts), port }),
    connectionTimeoutMillis: 5_000,
    query_timeout: patienceMs,
  })
  client.on('error', () => undefined) // the call that needed the connection reports its loss
  try {
    await client.connect()
    const { rows } = await client.query<{ data_directory: string }>('show data_directory')
    if (rows[0]?.data_directory !== cluster) throw new Error(`the server on port ${port} is not that of ${cluster}`)
    await ensureRoleAndDatabase(client, facts)
    await known.movedTo(port)
  } finally {
    await client.end()
  }
}

/** 28xxx: the server is there and does not take our password. Waiting does not change that. */
const isRefusal = (error: unknown): boolean => String((error as { code?: unknown }).code).startsWith('28')
