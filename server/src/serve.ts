// One running process: the database found, the roles started, and how it all stops without dropping anything.
import { rm } from 'node:fs/promises'
import { join as joinPath } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { mustHave } from './base/mustHave.ts'
import { buildApp } from './app.ts'
import type { Config } from './base/config.ts'
import { openDatabase } from './base/db.ts'
import { connectionUrl, type EmbeddedPostgres } from './base/embeddedPostgres.ts'
import { readIfThere, writeWhole } from './base/atomicFile.ts'
import { isAlive } from './base/isAlive.ts'
import type { Log } from './base/log.ts'
import { pauseAfter } from './base/pause.ts'
import { abandonDatabase, findDatabase, findPooler, leaveDatabase, prepareDatabase } from './database.ts'
import { reviveRuns } from './engine/admission/claim.ts'
import { engineOf } from './engine/engine.ts'
import { features as allFeatures } from './features.ts'
import { type Feature } from './kit/feature.ts'
import type { FirstKey } from './firstStart.ts'
import { hostForUrl, type Context } from './kit/context.ts'
import { createContext } from './kit/createContext.ts'
import { suspectRoles, type Company } from './kit/deaths.ts'
import { announcePresence, drillWorkerRole, type Presence } from './kit/presence.ts'
import { startReporting } from './kit/processReport.ts'
import { startDrillWorker, startWorker } from './kit/worker.ts'
import { startSuspectProcesses } from './kit/suspectProcesses.ts'
import { startSuspectWork } from './suspectWork.ts'
import { closeFeatures } from './kit/registry.ts'

export interface Running {
  context: Context
  firstKey: FirstKey
  /** The folder of the embedded cluster, or undefined with DATABASE_URL. */
  place: string | undefined
  baseUrl: string | undefined
  /** `patient`: a load balancer watches /readyz, so requests may still come for two of its intervals. */
  stop(options: { patient: boolean }): Promise<void>
}

/** How many connections a process of a drill has at most: it is a guest on the database. */
const guestConnections = 10

/** The port is taken; the message says what to do. */
export class PortTaken extends Error {}

interface ServeOptions {
  features?: Feature[] | undefined
  /** The file that starts another process of this service. */
  entry: string
}

export async function serve(config: Config, log: Log, { features, entry }: ServeOptions): Promise<Running> {
  const role = config.drillTeam === undefined ? config.role : drillWorkerRole
  const { context, presence, embedded, firstKey, leave } = await join(config, log, features, role)
  const hasApi = config.role !== 'worker' || config.portGiven
  const opened = Promise.withResolvers<void>()
  let app: FastifyInstance | undefined
  let worker: { stop(): Promise<void> } | undefined
  let serviceFile: string | undefined
  const close = async () => {
    opened.resolve()
    await app?.close()
    if (serviceFile) await rm(serviceFile, { force: true })
    await leave()
  }
  try {
    app = hasApi ? await listen(context, opened.promise) : undefined
    // a file that a killed process left is replaced before the first request is answered
    serviceFile = app && config.role !== 'worker' ? await announce(context, firstKey, embedded) : undefined
    opened.resolve()
    worker = config.role === 'api' ? undefined : await startWork(context, presence, entry)
  } catch (error) {
    await close()
    throw error
  }

  return {
    context,
    firstKey,
    place: embedded?.place,
    baseUrl: app && context.baseUrl(),
    async stop({ patient }) {
      context.lifecycle.draining = true
      const stillListening = patient && app ? sleep(config.readinessIntervalMs * 2) : undefined
      await Promise.all([worker?.stop(), stillListening])
      await app?.close()
      if (serviceFile) await rm(serviceFile, { force: true })
      await leave()
    },
  }
}

/** A process that does only the suspects that the process that started it names (kit/suspectProcesses.ts). */
export async function serveSuspects(
  config: Config,
  log: Log,
  company: Company,
  features?: Feature[],
): Promise<Running> {
  const { context, presence, embedded, firstKey, leave } = await join(config, log, features, suspectRoles[company])
  const worker = await startSuspectWork(context, presence)
  return {
    context,
    firstKey,
    place: embedded?.place,
    baseUrl: undefined,
    async stop() {
      await worker.stop()
      await leave()
    },
  }
}

/** The process of a drill: it answers requests on this machine under a role of its own, and nobody takes it for the service. */
export async function serveDrill(config: Config, log: Log): Promise<Running & { processId: string }> {
  const { context, presence, embedded, firstKey, leave } = await join(config, log, allFeatures, 'drill')
  const app = await listen(context, Promise.resolve()).catch(async (error: unknown) => {
    await leave()
    throw error
  })
  return {
    context,
    processId: presence.processId,
    firstKey,
    place: embedded?.place,
    // not the public one, which leads to the service
    baseUrl: context.lifecycle.listeningOn,
    async stop() {
      await app.close()
      await leave()
    },
  }
}

/** A process of the service with its database, its context and its presence; its role decides what it does with them. */
async function join(config: Config, log: Log, features: Feature[] = allFeatures, role: string = config.role) {
  const { address, embedded } = await findDatabase(config, log)
  const pooler = await findPooler(config, log)
  let announced: Presence | undefined
  const { keyring, firstKey } = await prepareDatabase(config, log, address(), {
    pooler,
    async announce() {
      announced = await announcePresence({ address, role, log })
    },
  }).catch(async (error: unknown) => {
    await announced?.leave()
    await abandonDatabase(embedded, log)
    throw error
  })
  const presence = mustHave(announced, 'the presence of this process')
  const db = openDatabase({
    address,
    log,
    connectionsMax: role === 'drill' || config.drillTeam !== undefined ? guestConnections : 30,
    pingTimeoutMs: config.databaseAnswerMs,
    pooler,
    onMissed: () => presence.doubt(),
    ...(embedded && { onAway: () => void bringBack(embedded) }),
  })
  let isBringingBack = false
  const left = new AbortController()
  /**
   * One loop at a time; a start that failed is repeated for as long as the database is away. A process that stops needs the database as
   * well: for what it finishes, and to leave.
   */
  async function bringBack(postgres: EmbeddedPostgres): Promise<void> {
    if (isBringingBack) return
    isBringingBack = true
    for (let failures = 0; !db.watch.isPresent() && !left.signal.aborted;) {
      try {
        await postgres.ensureRunning()
        failures = 0
      } catch (error) {
        failures += 1
        log.error({ err: error }, 'the embedded database does not start; will retry')
      }
      // it keeps no process alive that has left
      await sleep(pauseAfter(failures + 1, { firstMs: 1000, longestMs: 30_000 }), undefined, { ref: false })
    }
    isBringingBack = false
  }
  const context = createContext({ config, log, db, keyring, features })
  context.lifecycle.processId = presence.processId
  const reporting = startReporting(context, presence.processId)

  const leave = () =>
    leaveDatabase({
      embedded,
      presence,
      sql: db.sql,
      log,
      async close() {
        left.abort()
        await reporting.stop()
        await closeFeatures(context)
        await context.telemetry.shutdown()
        await context.outbound.close()
        await context.listener.close()
        await db.close()
      },
    })
  return { context, presence, embedded, firstKey, leave }
}

/** The two kinds of work: jobs, and the runs of agents; both find what a dead process left. */
async function startWork(context: Context, presence: Presence, entry: string): Promise<{ stop(): Promise<void> }> {
  const { config, db, log } = context
  const suspectProcesses = startSuspectProcesses({
    log,
    entry,
    args: (company) => ['--role', 'worker', '--suspects', company],
    sharePercent: config.teamShare,
  })
  const runs = engineOf(context).work({
    id: presence.processId,
    seats: config.workerConcurrency,
    lost: () => presence.held(),
    suspectProcesses,
  })
  const poll = () => runs.poll()
  if (config.drillTeam !== undefined) {
    const drilled = startDrillWorker(context, presence, { poll, suspectProcesses })
    return {
      async stop() {
        await Promise.all([runs.stop(config.drainS * 1000), drilled.stop(), suspectProcesses.stop()])
      },
    }
  }
  const jobs = await startWorker(context, presence, {
    async reap(dead) {
      if ((await reviveRuns(db.sql, dead)) > 0) runs.notify()
    },
    poll,
    suspectProcesses,
  })
  return {
    async stop() {
      await Promise.all([runs.stop(config.drainS * 1000), jobs.stop(), suspectProcesses.stop()])
    },
  }
}

/** Requests that come before `opened` wait for it. */
async function listen(context: Context, opened: Promise<void>): Promise<FastifyInstance> {
  const { config, lifecycle } = context
  const app = buildApp(context)
  app.addHook('onRequest', () => opened)
  try {
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    await app.close()
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new PortTaken(
      `Port ${config.port} on ${config.host} is taken by another process. ` +
        `Stop that one, or set PORT to a free port: PORT=${config.port + 1} npm start`,
      { cause: error },
    )
  }
  const address = app.server.address()
  const port = typeof address === 'object' && address ? address.port : config.port
  lifecycle.listeningOn = `http://${hostForUrl(config.host)}:${port}`
  return app
}

/** service.json shows scripts and the command line where the service is; a second API process leaves the first one's. */
async function announce(
  context: Context,
  firstKey: FirstKey,
  embedded: EmbeddedPostgres | undefined,
): Promise<string | undefined> {
  const file = joinPath(context.config.dataDir, 'service.json')
  const present = await readIfThere(file)
  const { pid: other } = JSON.parse(present ?? '{}') as { pid?: number }
  // in a restarted container a killed process may have had the same process id as this one
  if (other !== undefined && other !== process.pid && isAlive(other)) return undefined
  const facts = {
    base_url: context.baseUrl(),
    team_id: firstKey.teamId,
    api_key: firstKey.secret ?? null,
    pid: process.pid,
    database_url: embedded ? connectionUrl(embedded.address()) : context.config.databaseUrl,
  }
  await writeWhole(file, `${JSON.stringify(facts, null, 2)}\n`, 0o600)
  return file
}
