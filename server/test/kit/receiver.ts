// A receiver of outgoing requests for tests: a real HTTP server on loopback that remembers what it got.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

export interface Received {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: Buffer
  at: Date
}

export interface Receiver {
  url: string
  received: Received[]
  /** Resolves when so many requests have come. */
  got(count: number): Promise<Received[]>
  /** What is answered from now on; 200 until told otherwise. */
  answer(status: number, headers?: Record<string, string>, body?: string): void
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const waiting: { count: number; resolve: (all: Received[]) => void }[] = []
  let next: { status: number; headers: Record<string, string>; body: string } = { status: 200, headers: {}, body: 'ok' }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      received.push({ method, url, headers, body: Buffer.concat(chunks), at: new Date() })
      for (const { count, resolve } of waiting) if (received.length >= count) resolve(received)
      response.writeHead(next.status, next.headers).end(next.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  after(close)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    got: (count) =>
      received.length >= count ? Promise.resolve(received) : new Promise((resolve) => waiting.push({ count, resolve })),
    answer: (status, headers = {}, body = '') => {
      next = { status, headers, body }
    },
    close,
  }
}
