// One API process and 1, 2, 4 and 8 worker processes: what a run costs all of them together, busy and not busy, and what they cost while
// nothing happens. `npm run bench -- workers/4` measures one number of them.
import { setTimeout as sleep } from 'node:timers/promises'
import { embeddedPostgres } from '../server/src/base/embeddedPostgres.ts'
import { makeAgent } from './agent.ts'
import { costsOf, type Costs } from './costs.ts'
import { allowLoopback } from './deliveries.ts'
import { connections, type Bed } from './interleave.ts'
import { watchLocks, type LockWaits } from './lockWaits.ts'
import { insideSteps, outsideSteps } from './scenarios.ts'
import { lookText, startRunLoop, type RunLoop } from './runLoop.ts'
import {
  makeDataDir,
  startService,
  startWorkerBeside,
  type DataDir,
  type Service,
  type WorkerBeside,
} from './service.ts'
import { untilSettled } from './settled.ts'
import { callsOf, countStatements, type Statement } from './statements.ts'
import type { Sheet } from './table.ts'
import { startTinyServer } from './tinyServer.ts'

const counts = [1, 2, 4, 8]
const steps = 3
/** Runs of one agent that write the same files of its memory wait for each other. That is the agent's row and not ours, so there are many. */
const agents = 64
/** Below what two cores can do, so that nothing waits for a processor. BENCH_STARTS makes it fewer where the machine is busy. */
const pacedPerSecond = Number(process.env['BENCH_STARTS'] ?? 40)

interface Times {
  warmUpMs: number
  pacedMs: number
  closedMs: number
  idleMs: number
}
const wholeTimes: Times = { warmUpMs: 3000, pacedMs: 15_000, closedMs: 8000, idleMs: 60_000 }
const quickTimes: Times = { warmUpMs: 1500, pacedMs: 4000, closedMs: 2000, idleMs: 10_000 }

export async function workers(bed: Bed): Promise<Sheet> {
  const wanted = bed.parts.length > 0 ? bed.parts.map(Number) : counts
  if (!wanted.every((count) => count >= 1)) throw new Error('name a number of workers, such as workers/4')
  const times = bed.isQuick ? quickTimes : wholeTimes
  await using dataDir = await makeDataDir()
  await using outside = await startTinyServer()
  await using loop = await startRunLoop(bed.signal)
  // the service finds it running; nine processes have more connections than the service allows a server that it starts itself
  const settings = { max_connections: 400, shared_preload_libraries: 'pg_stat_statements' }
  await embeddedPostgres({ dataDir: dataDir.path, log: () => undefined, settings })
  const api = await startApi(dataDir)
  try {
    const loads = await makeLoads(api, outside.url)
    const lines: string[][] = []
    for (const count of wanted) lines.push(...(await withWorkers({ bed, dataDir, api, loop, loads, times }, count)))
    return {
      title:
        `one API process and so many workers, ${steps} steps a run, ${agents} agents of one team, all figures a run; paced: ${pacedPerSecond} starts a ` +
        `second; closed loop: ${connections} connections; lock waits: sessions seen waiting for a lock, and for how long, by looking every 10 ms; ` +
        'sent and heard: by pg_stat_statements and by the processes; pg_stat_statements is loaded, which costs a few percent',
      columns,
      lines,
    }
  } finally {
    await api.stop()
  }
}

const columns = [
  'workers',
  'load',
  'runs/s',
  'ms p50 / p99',
  'statements / beyond those of idle processes',
  'WAL KB',
  'lock waits seen / ms',
  'notifications sent / heard',
  'PostgreSQL ms',
  'Node ms',
  'idle: statements a minute',
  'idle: PostgreSQL / Node % of a core',
]

const startApi = (dataDir: DataDir): Promise<Service> =>
  startService(dataDir, { args: ['--role', 'api'], env: allowLoopback })

interface Load {
  what: string
  agentIds: string[]
}

async function makeLoads(api: Service, outsideUrl: string): Promise<Load[]> {
  const kinds = { inside: insideSteps(steps), outside: outsideSteps(steps, outsideUrl) }
  const loads: Load[] = []
  for (const [what, procedure] of Object.entries(kinds)) {
    const agentIds: string[] = []
    for (let n = 0; n < agents; n++) agentIds.push(await makeAgent(api, procedure))
    loads.push({ what, agentIds })
  }
  return loads
}

interface Place {
  bed: Bed
  dataDir: DataDir
  api: Service
  loop: RunLoop
  loads: Load[]
  times: Times
}

async function withWorkers(place: Place, count: number): Promise<string[][]> {
  const { bed, dataDir, loads, times } = place
  await using stack = new AsyncDisposableStack()
  const started: WorkerBeside[] = []
  for (let n = 0; n < count; n++) started.push(stack.use(await startWorkerBeside(dataDir, allowLoopback)))
  for (const load of loads) await runLoad(place, load, times.warmUpMs, undefined)
  const measured: Measured[] = []
  for (const load of loads) {
    for (const perSecond of [pacedPerSecond, undefined]) {
      const ms = perSecond === undefined ? times.closedMs : times.pacedMs
      const one = await measure(place, started, load, ms, perSecond)
      measured.push(one)
      bed.tell(
        `${count} workers, ${one.what}: ${one.runs} runs, ${(one.statements / one.runs).toFixed(2)} statements each`,
      )
    }
  }
  // what a process does once a minute is part of it, and what it does just after a load is not
  await untilQuiet(place.api)
  const idle = await measureIdle(place, started)
  bed.tell(`${count} workers idle: ${idle.perMinute.toFixed(0)} statements a minute`)
  return measured.map((one, index) => [String(count), ...cellsOf(one, idle), ...(index === 0 ? idle.cells : ['', ''])])
}

interface Measured {
  what: string
  runs: number
  /** From the first start until nothing was left to do. */
  tookMs: number
  endedPerSecond: number
  p50Ms: number
  p99Ms: number
  statements: number
  costs: Costs
  locks: LockWaits
  sent: number
  heard: number
}

function cellsOf(one: Measured, idle: Idle): string[] {
  const { runs, costs, locks } = one
  const each = (amount: number, digits: number): string => (amount / runs).toFixed(digits)
  const anyway = (idle.perMinute * one.tookMs) / 60_000
  return [
    one.what,
    one.endedPerSecond.toFixed(0),
    `${one.p50Ms.toFixed(0)} / ${one.p99Ms.toFixed(0)}`,
    `${each(one.statements, 2)} / ${each(one.statements - anyway, 2)}`,
    each(costs.walBytes / 1024, 1),
    `${each(locks.waits, 3)} / ${each(locks.waitedMs, 2)}`,
    `${each(one.sent, 2)} / ${each(one.heard, 2)}`,
    each(costs.postgresMs, 2),
    each(costs.nodeMs, 2),
  ]
}

async function runLoad({ api, loop }: Place, { agentIds }: Load, ms: number, perSecond: number | undefined) {
  const { host, port, teamId, apiKey, databaseUrl } = api
  const ended = await loop.run({
    service: { host, port, teamId, apiKey, databaseUrl },
    agentId: agentIds,
    connections,
    ms,
    ...(perSecond !== undefined && { startsPerSecond: perSecond }),
  })
  // what was put off is part of what runs cost
  await untilSettled(api)
  return ended
}

async function measure(
  place: Place,
  started: WorkerBeside[],
  load: Load,
  ms: number,
  perSecond: number | undefined,
): Promise<Measured> {
  const { api, bed } = place
  const heardBefore = await heardBy(place, started)
  await using watch = await watchLocks(api)
  const beganAt = performance.now()
  const { result, statements } = await counted(api, () =>
    costsOf({ ...api, otherPids: started.map(({ pid }) => pid) }, () => runLoad(place, load, ms, perSecond)),
  )
  const tookMs = performance.now() - beganAt
  const locks = await watch.end()
  if (locks.most)
    bed.tell(`of ${locks.waitedMs.toFixed(0)} ms of lock waits ${locks.most[1].toFixed(0)} in: ${locks.most[0]}`)
  const { runs, perSecond: endedPerSecond, p50Ms, p99Ms, lookingMs } = result.result
  return {
    what: `${load.what}, ${perSecond === undefined ? 'closed loop' : 'paced'}`,
    runs,
    tookMs,
    endedPerSecond,
    p50Ms,
    p99Ms,
    statements: callsOf(ofService(statements)),
    costs: { ...result.costs, postgresMs: result.costs.postgresMs - lookingMs - locks.lookedMs },
    locks,
    sent: sentIn(statements),
    heard: (await heardBy(place, started)) - heardBefore,
  }
}

/** What the work gives, with the statements that ran meanwhile. */
async function counted<T>(api: Service, work: () => Promise<T>): Promise<{ result: T; statements: Statement[] }> {
  const results: T[] = []
  const statements = await countStatements(api, async () => results.push(await work()))
  return { result: results[0]!, statements }
}

/** All but what the generator of the load asks. */
const ofService = (statements: Statement[]): Statement[] =>
  statements.filter(({ text }) => !text.startsWith(lookText.slice(0, lookText.indexOf(' and '))))

/** A statement that notifies gives a row for each notification. */
const sentIn = (statements: Statement[]): number =>
  statements.filter(({ text }) => text.includes('pg_notify')).reduce((sum, { rows }) => sum + rows, 0)

/** How many notifications all processes heard so far, as their metrics say. */
async function heardBy({ api }: Place, started: WorkerBeside[]): Promise<number> {
  let heard = 0
  for (const url of [`http://${api.host}:${api.port}`, ...started.map((one) => one.url)]) {
    const text = await (await fetch(`${url}/metrics`)).text()
    for (const [, value] of text.matchAll(/^runyard_notifications_heard_total\{.*\} (\d+)$/gm)) heard += Number(value)
  }
  return heard
}

/** Longer than what a process still does after its last run. */
const quietAfterMs = 7000

async function untilQuiet(api: Service): Promise<void> {
  await untilSettled(api)
  await sleep(quietAfterMs)
}

interface Idle {
  perMinute: number
  cells: string[]
}

async function measureIdle({ api, times }: Place, started: WorkerBeside[]): Promise<Idle> {
  const { idleMs } = times
  const { result, statements } = await counted(api, () =>
    costsOf({ ...api, otherPids: started.map(({ pid }) => pid) }, () => sleep(idleMs)),
  )
  const perMinute = (callsOf(statements) * 60_000) / idleMs
  const share = (ms: number) => ((ms / idleMs) * 100).toFixed(1)
  return {
    perMinute,
    cells: [perMinute.toFixed(0), `${share(result.costs.postgresMs)} / ${share(result.costs.nodeMs)}`],
  }
}
