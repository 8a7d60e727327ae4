// A receiver of deliveries that remembers every arrival, and that can be away for a while.
import { createHash } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Arrival {
  /** The path that it came to: each target has its own. */
  path: string
  id: string
  runId: string | undefined
  sequence: number | undefined
  bytes: string
}

export interface HookReceiver {
  url: string
  arrivals: Arrival[]
  /** Looks at each request as it comes; what it throws is counted by nobody but itself. */
  onRequest: (headers: IncomingHttpHeaders, body: string) => void
  /** From now on connections are refused, until it is up again. */
  down(): Promise<void>
  up(): Promise<void>
}

/** No event is larger. */
const bodyBytesMax = 16 * 1024 * 1024

interface Sent {
  id: string
  data: { run_id?: string; sequence?: number }
}

/** Undefined: somebody else of this machine sent something. */
function readDelivery(body: string): Sent | undefined {
  try {
    const sent = JSON.parse(body) as Sent | null
    return typeof sent?.id === 'string' && sent.data ? sent : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export async function startHookReceiver(): Promise<HookReceiver> {
  let server: Server | undefined
  let port = 0
  const receiver: HookReceiver = {
    url: '',
    arrivals: [],
    onRequest: () => undefined,
    async down() {
      const closing = server
      server = undefined
      if (!closing) return
      closing.closeAllConnections()
      await new Promise((resolve) => closing.close(resolve))
    },
    async up() {
      const opened = (server = createServer((request, response) => {
        const chunks: Buffer[] = []
        let size = 0
        request.on('data', (chunk: Buffer) => {
          chunks.push(chunk)
          size += chunk.length
          if (size > bodyBytesMax) request.destroy()
        })
        request.on('end', () => {
          const body = Buffer.concat(chunks).toString()
          const sent = readDelivery(body)
          if (!sent) {
            response.writeHead(400).end()
            return
          }
          const { id, data } = sent
          const bytes = createHash('sha256').update(body).digest('hex')
          receiver.arrivals.push({ path: request.url!, id, runId: data.run_id, sequence: data.sequence, bytes })
          receiver.onRequest(request.headers, body)
          response.end('ok')
        })
      }))
      await new Promise<void>((resolve) => opened.listen(port, '127.0.0.1', resolve))
      port = (opened.address() as AddressInfo).port
      receiver.url = `http://127.0.0.1:${port}`
    },
  }
  await receiver.up()
  return receiver
}
