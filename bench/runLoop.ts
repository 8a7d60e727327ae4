// Whole runs in a closed loop, in a process of its own: each connection starts a run over HTTP and starts its next one when that has
// ended. Whether runs have ended is looked up in the database, so that the service itself is asked by nobody unless a scenario wants it.
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { openConnection, requestWriter, type Shot } from './connection.ts'
import { startOrders, takeOrders, type Orders } from './orders.ts'
import { processorMs } from './processorTime.ts'
import { followRuns } from './watching.ts'
import type { Service } from './service.ts'

export interface RunOrder {
  service: Pick<Service, 'host' | 'port' | 'teamId' | 'apiKey' | 'databaseUrl'>
  /** The agent of all runs, or several that take turns. */
  agentId: string | string[]
  connections: number
  /** Runs are started for so long, and then waited for. */
  ms: number
  /** Ends at whichever comes first. */
  runsMax?: number
  /** A connection rests so long before each start; absent: it never does. */
  pauseMs?: number
  /** Starts are so many a second, as long as connections are free; absent: each connection starts its next when its last has ended. */
  startsPerSecond?: number
  /** So many streams of single runs and one of the team are open all the time; absent: none. */
  runStreams?: number
}

export interface RunLoopResult {
  /** All that were started; each has completed. */
  runs: number
  /** Those that had completed when the time was over. */
  perSecond: number
  /** From the request that starts a run to its completion. */
  p50Ms: number
  p99Ms: number
  /** From the request to `run.started` on the stream of the team, for each run, in ms. */
  seenMs: number[]
  /** What looking up the ends took of PostgreSQL: it is not the service's. */
  lookingMs: number
}

export type RunLoop = Orders<RunOrder, RunLoopResult>

export const startRunLoop = (signal: AbortSignal): Promise<RunLoop> =>
  startOrders(fileURLToPath(import.meta.url), 'the loop of runs', signal)

/** No run ends for so long: something hangs, and the bench fails instead of lasting for ever. */
const silenceMaxMs = 60_000

async function loop(order: RunOrder): Promise<RunLoopResult> {
  const { service, connections, ms, runsMax = Infinity, pauseMs = 0, startsPerSecond = Infinity } = order
  await using ends = await watchEnds(service.databaseUrl)
  await using watching = order.runStreams === undefined ? undefined : await followRuns(service, order.runStreams)
  const shots = [order.agentId].flat().map((agentId): Shot => ({
    method: 'POST',
    path: `/v2/teams/${service.teamId}/runs`,
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agent_id: agentId, message: 'hello' }),
    freshKey: false,
    status: 201,
  }))
  const open = await Promise.all(Array.from({ length: connections }, () => startOn(order, shots)))
  const latencies: number[] = []
  let started = 0
  let inTime = 0
  const startedAt = performance.now()
  const endsAt = startedAt + ms
  const work = async (start: Start) => {
    while (performance.now() < endsAt && started < runsMax) {
      const nth = started
      started += 1
      if (pauseMs > 0) await sleep(pauseMs)
      const earlyMs = startedAt + (nth * 1000) / startsPerSecond - performance.now()
      if (earlyMs > 0) await sleep(earlyMs)
      const sentAt = performance.now()
      const runId = await start.send(nth)
      watching?.started(runId, sentAt)
      await ends.of(runId)
      const now = performance.now()
      latencies.push(now - sentAt)
      if (now <= endsAt) inTime += 1
    }
  }
  try {
    await Promise.all(open.map(work))
    await watching?.allSeen()
  } finally {
    for (const start of open) start.close()
  }
  latencies.sort((a, b) => a - b)
  return {
    runs: latencies.length,
    perSecond: (inTime * 1000) / ms,
    p50Ms: latencies[Math.floor(latencies.length * 0.5)]!,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)]!,
    seenMs: watching?.seenMs ?? [],
    lookingMs: ends.processorMs(),
  }
}

interface Start {
  /** Starts the nth run and gives its id. */
  send(nth: number): Promise<string>
  close(): void
}

async function startOn({ service }: RunOrder, shots: Shot[]): Promise<Start> {
  const connection = await openConnection(service)
  const { socket } = connection
  const writers = shots.map((shot) => requestWriter(service, shot))
  let broken: ((error: Error) => void) | undefined
  socket.once('error', (error) => broken?.(error))
  socket.once('close', () => broken?.(new Error('the connection was closed')))
  return {
    send: (nth) =>
      new Promise((resolve, reject) => {
        broken = reject
        connection.onAnswer = (answer) => {
          const runId = /"run_id": ?"([0-9a-f-]{36})"/.exec(answer.text())?.[1]
          if (answer.status === 201 && runId) resolve(runId)
          else reject(new Error(`a start failed: ${answer.text()}`))
        }
        socket.write(writers[nth % writers.length]!(), 'latin1')
      }),
    close: () => socket.removeAllListeners('close').destroy(),
  }
}

interface Ends extends AsyncDisposable {
  /** Resolves when this run has completed. */
  of(runId: string): Promise<void>
  processorMs(): number
}

const lookEveryMs = 4
/** What is asked of the database beside the service. */
export const lookText = `select id, status from runs where id = any ($1::uuid[]) and status in ('completed', 'failed', 'stopped')`

/** All runs under way with one look by their primary key: one prepared statement, whatever the service does. */
async function watchEnds(databaseUrl: string): Promise<Ends> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const [{ pid }] = (await client.query('select pg_backend_pid() as pid')).rows as [{ pid: number }]
  const waiting = new Map<string, { resolve: () => void; reject: (error: Error) => void }>()
  const look = { name: 'ended', text: lookText }
  const leaving = new AbortController()
  let lastAt = performance.now()
  const looking = (async () => {
    for (; !leaving.signal.aborted; await sleep(lookEveryMs)) {
      if (waiting.size === 0) {
        lastAt = performance.now()
        continue
      }
      const { rows } = await client.query<{ id: string; status: string }>({ ...look, values: [[...waiting.keys()]] })
      for (const { id, status } of rows) {
        if (status === 'completed') waiting.get(id)!.resolve()
        else waiting.get(id)!.reject(new Error(`run ${id} ended as ${status}`))
        waiting.delete(id)
        lastAt = performance.now()
      }
      if (performance.now() - lastAt > silenceMaxMs) throw new Error(`no run ended within ${silenceMaxMs} ms`)
    }
  })()
  looking.catch((error: Error) => {
    for (const { reject } of waiting.values()) reject(error)
  })
  return {
    of: (runId) => new Promise((resolve, reject) => waiting.set(runId, { resolve, reject })),
    processorMs: () => processorMs(pid) ?? 0,
    async [Symbol.asyncDispose]() {
      leaving.abort()
      await looking.catch(() => undefined)
      await client.end()
    },
  }
}

if (import.meta.main) takeOrders(loop)
