// A keep-alive connection of a load generator on a raw socket: one request after the other, and as little work of its own as possible.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

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

export interface Address {
  host: string
  port: number
}

/** The text of the next request; all but the key is made once. */
export function requestWriter({ host, port }: Address, shot: Shot): () => string {
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

export interface Answer {
  status: number
  text(): string
}

export interface Connection {
  socket: Socket
  onAnswer: ((answer: Answer) => void) | undefined
}

/** One buffer a connection, read into again and again (`onread`): no stream machinery and no garbage a request. */
export async function openConnection({ host, port }: Address): Promise<Connection> {
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
