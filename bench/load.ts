// The load generator: a closed loop of keep-alive connections in a process of its own, on raw sockets.
import { fileURLToPath } from 'node:url'
import { openConnection, requestWriter, type Shot } from './connection.ts'
import { startOrders, takeOrders, type Orders } from './orders.ts'

export interface Order {
  host: string
  port: number
  shot: Shot
  connections: number
  /** A connection rests about so long between an answer and its next request; absent: it never does. */
  pauseMs?: number
  /** Ends at whichever comes first. */
  ms: number
  requestsMax?: number
}

export interface LoadResult {
  requests: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  failures: number
  /** The first answer that was no success, as it came. */
  firstFailure: string | undefined
  /** What the generator itself took of one core: it competes with what it measures. */
  cpuShare: number
}

export type Load = Orders<Order, LoadResult>

export const startLoad = (signal?: AbortSignal): Promise<Load> =>
  startOrders(fileURLToPath(import.meta.url), 'the load generator', signal)

/** No answer for this long means that the service hangs: the run fails instead of lasting for ever. */
const silenceMaxMs = 30_000

async function shoot(order: Order): Promise<LoadResult> {
  const { shot, connections, ms, requestsMax = Infinity, pauseMs = 0 } = order
  const write = requestWriter(order, shot)
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(order)))
  const latencies: number[] = []
  let sent = 0
  let failures = 0
  let firstFailure: string | undefined
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  const endsAt = startedAt + ms
  let inTime = 0
  let lastAt = startedAt

  const loops = open.map(
    (connection) =>
      new Promise<void>((resolve, reject) => {
        const { socket } = connection
        let sentAt = 0
        const next = () => {
          if (sentAt >= endsAt || sent >= requestsMax) return resolve()
          sent += 1
          sentAt = performance.now()
          socket.write(write(), 'latin1')
        }
        socket.setTimeout(silenceMaxMs, () => socket.destroy(new Error(`no answer within ${silenceMaxMs} ms`)))
        socket.once('error', reject)
        socket.once('close', () => reject(new Error('the connection was closed')))
        connection.onAnswer = (answer) => {
          const now = performance.now()
          if (answer.status !== shot.status) {
            failures += 1
            firstFailure ??= answer.text()
          }
          latencies.push(now - sentAt)
          if (now <= endsAt) {
            inTime += 1
            lastAt = now
          }
          sentAt = now
          // rests of one length bring all connections into step, and what is measured then is the last of a line of them
          if (pauseMs > 0) setTimeout(next, pauseMs * 2 * Math.random())
          else next()
        }
        next()
      }),
  )
  try {
    await Promise.all(loops)
  } finally {
    for (const { socket } of open) socket.removeAllListeners('close').destroy()
  }
  const cpu = process.cpuUsage(cpuBefore)
  const tookMs = Number.isFinite(requestsMax) ? lastAt - startedAt : ms
  latencies.sort((a, b) => a - b)
  return {
    requests: latencies.length,
    perSecond: (inTime * 1000) / tookMs,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    failures,
    firstFailure,
    cpuShare: (cpu.user + cpu.system) / 1000 / (performance.now() - startedAt),
  }
}

const percentile = (sorted: number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN

if (import.meta.main) takeOrders(shoot)
