// One API process and 1, 2, 4 and 8 worker processes: what a run costs all of them together, busy and not busy, and what they cost while
// nothing happens. `npm run bench -- workers/4` measures one number of them.
import { setTimeout as sleep } from 'node:timers/promises'
import { makeAgent } from './agent.ts'
import { costsOf } from './costs.ts'
import { allowLoopback } from './deliveries.ts'
import { connections, type Bed } from './interleave.ts'
import { watchLocks } from './lockWaits.ts'
import { insideSteps, outsideSteps } from './scenarios.ts'
import { lookText, startRunLoop, type RunLoop } from './runLoop.ts'
import { makeDataDir, startService, startWorkerBeside, type DataDir, type Service, type WorkerBeside } from './service.ts'
import { untilSettled } from './settled.ts'
import { callsOf, countFromNextStart, countStatements, type Statement } from './statements.ts'
import { setFromNextStart } from './superuser.ts'
import type { Sheet } from './table.ts'
import { startTinyServer } from './tinyServer.ts'

const counts = [1, 2, 4, 8]
const steps = 3
/** The files of an agent's memory are written one commit after another, so runs of one agent would measure only that. */
const agents = 16
/** Below what two cores can do, so that nothing waits for a processor. */
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
  const first = await startApi(dataDir)
  await countFromNextStart(first)
  // nine processes with their pools; a server of its own would have been set so
  await setFromNextStart(first, 'max_connections', '400')
  await first.stop()
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
  'statements',
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
  const lines: string[][] = []
  for (const load of loads) {
    for (const perSecond of [pacedPerSecond, undefined]) {
      const ms = perSecond === undefined ? times.closedMs : times.pacedMs
      const line = await measure(place, started, load, ms, perSecond)
      bed.tell(`${count} workers, ${line.slice(0, 9).join(', ')}`)
      lines.push([String(count), ...line, '', ''])
    }
  }
  // what a process does once a minute is part of it, and what it does just after a load is not
  await untilQuiet(place.api)
  const idle = await measureIdle(place, started)
  bed.tell(`${count} workers idle: ${idle.join(', ')}`)
  lines[0]!.splice(-2, 2, ...idle)
  return lines
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
): Promise<string[]> {
  const { api } = place
  const heardBefore = await heardBy(place, started)
  await using locks = await watchLocks(api)
  let result: Awaited<ReturnType<typeof runLoad>> | undefined
  let costs: Awaited<ReturnType<typeof costsOf>>['costs'] | undefined
  const statements = await countStatements(api, async () => {
    const measured = await costsOf({ ...api, otherPids: started.map(({ pid }) => pid) }, () =>
      runLoad(place, load, ms, perSecond),
    )
    result = measured.result
    costs = measured.costs
  })
  const { runs, perSecond: ended, p50Ms, p99Ms, lookingMs } = result!
  const { waits, waitedMs, lookedMs } = await locks.end()
  const heard = (await heardBy(place, started)) - heardBefore
  const each = (amount: number, digits: number): string => (amount / runs).toFixed(digits)
  return [
    `${load.what}, ${perSecond === undefined ? 'closed loop' : 'paced'}`,
    ended.toFixed(0),
    `${p50Ms.toFixed(0)} / ${p99Ms.toFixed(0)}`,
    each(callsOf(ofService(statements)), 2),
    each(costs!.walBytes / 1024, 1),
    `${each(waits, 3)} / ${each(waitedMs, 2)}`,
    `${each(sentIn(statements), 2)} / ${each(heard, 2)}`,
    each(costs!.postgresMs - lookingMs - lookedMs, 2),
    each(costs!.nodeMs, 2),
  ]
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

async function measureIdle({ api, times }: Place, started: WorkerBeside[]): Promise<string[]> {
  const { idleMs } = times
  let costs: Awaited<ReturnType<typeof costsOf>>['costs'] | undefined
  const statements = await countStatements(api, async () => {
    const measured = await costsOf({ ...api, otherPids: started.map(({ pid }) => pid) }, () => sleep(idleMs))
    costs = measured.costs
  })
  const share = (ms: number) => ((ms / idleMs) * 100).toFixed(1)
  return [
    ((callsOf(statements) * 60_000) / idleMs).toFixed(0),
    `${share(costs!.postgresMs)} / ${share(costs!.nodeMs)}`,
  ]
}
