// The load generator: a closed loop of keep-alive connections in a process of its own, on raw sockets.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'

/** One request, sent over and over. */
export interface Shot {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
  /** Each request gets an Idempotency-Key that was never used before. */
  freshKey: boolean
  /** Any other status counts as a failure. */
  status: number
}

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

export interface Load extends AsyncDisposable {
  run(order: Order): Promise<LoadResult>
}

/** The child is kept from round to round, so that its code is compiled before the first figure counts. */
export async function startLoad(signal?: AbortSignal): Promise<Load> {
  const child = fork(fileURLToPath(import.meta.url), { ...(signal && { signal }) })
  let failed: ((error: Error) => void) | undefined
  child.on('error', (error) => failed?.(error))
  child.on('exit', (code, killedBy) => failed?.(new Error(`the load generator ended (${code ?? killedBy})`)))
  await once(child, 'spawn')
  return {
    run: (order) =>
      new Promise((resolve, reject) => {
        failed = reject
        child.once('message', (answer: LoadResult | { problem: string }) => {
          if ('problem' in answer) reject(new Error(`the load generator failed: ${answer.problem}`))
          else resolve(answer)
        })
        child.send(order, (error) => error && reject(error))
      }),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      failed = undefined
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

/** No answer for this long means that the service hangs: the run fails instead of lasting for ever. */
const silenceMaxMs = 30_000

async function shoot(order: Order): Promise<LoadResult> {
  const { shot, connections, ms, requestsMax = Infinity, pauseMs = 0 } = order
  const write = requestWriter(order)
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

/** The text of the next request; all but the key is made once. */
function requestWriter({ host, port, shot }: Order): () => string {
  const body = shot.body ?? ''
  const lines = [
    `${shot.method} ${shot.path} HTTP/1.1`,
    `host: ${host}:${port}`,
    ...Object.entries(shot.headers).map(([name, value]) => `${name}: ${value}`),
    ...(shot.body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
  ]
  const head = lines.join('\r\n')
  // latin1 writes bytes as they are, so a body beyond ASCII is spelled out as its UTF-8 here
  const tail = `\r\n\r\n${Buffer.from(body).toString('latin1')}`
  if (!shot.freshKey) return () => head + tail
  // as long as a UUID, which is what clients send
  const run = crypto.randomUUID().slice(0, 24)
  let count = 0
  return () => `${head}\r\nidempotency-key: ${run}${String(++count).padStart(12, '0')}${tail}`
}

interface Answer {
  status: number
  text(): string
}

interface Connection {
  socket: Socket
  onAnswer: ((answer: Answer) => void) | undefined
}

/** One buffer a connection, read into again and again (`onread`): no stream machinery and no garbage a request. */
async function openConnection({ host, port }: Order): Promise<Connection> {
  const buffer = Buffer.allocUnsafe(65_536)
  let partial: Buffer | undefined
  const take = (size: number): boolean => {
    const fresh = buffer.subarray(0, size)
    const bytes = partial ? Buffer.concat([partial, fresh]) : fresh
    const length = answerLength(bytes)
    const isWhole = length !== undefined && length <= bytes.length
    partial = isWhole ? undefined : Buffer.from(bytes)
    // "HTTP/1.1 200": the status is three digits at byte 9
    if (isWhole) connection.onAnswer?.({ status: Number(bytes.toString('latin1', 9, 12)), text: () => String(bytes) })
    return true
  }
  const socket = connect({ host, port, noDelay: true, onread: { buffer, callback: take } })
  const connection: Connection = { socket, onAnswer: undefined }
  await once(socket, 'connect')
  return connection
}

const headEnd = Buffer.from('\r\n\r\n')

/** Of the whole answer; undefined while its head is incomplete. One request is under way at a time, so nothing follows it. */
function answerLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(headEnd)
  if (end < 0) return undefined
  const found = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, end))
  if (!found) throw new Error('an answer without Content-Length, which this generator does not read')
  return end + 4 + Number(found[1])
}

if (import.meta.main) {
  process.on('disconnect', () => process.exit(0))
  process.on('message', (order: Order) => {
    shoot(order).then(
      (result) => process.send!(result),
      (error: unknown) => process.send!({ problem: String(error) }),
    )
  })
}
