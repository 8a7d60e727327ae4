// The outside world of the long work: pages to read, two facts in the third one, and a count of every call by its Idempotency-Key.
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Arrival } from '../../src/drill/callCounter.ts'

export interface LongWorld {
  url: string
  /** What the third page has: one at its beginning, one so deep that no excerpt shows it. */
  gate: string
  deep: string
  /** Where the deep one stands, in characters. */
  deepAt: number
  /** Words before the first one, which only the page itself has. */
  phrase: string
  arrivals: Arrival[]
  close: () => Promise<void>
}

export const pageName = (page: number): string => `page-${String(page).padStart(6, '0')}`

/** Finds facts of this kind in a text. */
export const factOf = (kind: 'gate' | 'deep'): RegExp => new RegExp(`${kind}-fact-[0-9a-f]{8}`, 'g')

const fact = (kind: 'gate' | 'deep'): string => `${kind}-fact-${randomBytes(4).toString('hex')}`

const phrase = 'The code of the gate is'
const deepAt = 15_000
const filler = 'The weather was calm and the harbour was quiet. '

export async function startLongWorld(): Promise<LongWorld> {
  const [gate, deep] = [fact('gate'), fact('deep')]
  const arrivals: Arrival[] = []
  const third = `${pageName(3)} ${phrase} ${gate}. ${filler.repeat(400)}`
  const withDeep = `${third.slice(0, deepAt)} ${deep} ${filler.repeat(20)}`
  const server = createServer((request, response) => {
    const at = Date.now()
    const id = request.headers['idempotency-key']?.toString() ?? ''
    const arrival: Arrival = { id, method: request.method ?? '', at, answeredAt: null, cutOffAt: null }
    arrivals.push(arrival)
    const name = request.url?.slice(1) ?? ''
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.end(name === pageName(3) ? withDeep : `${name} ${filler.repeat(25)}`)
    response.on('close', () => {
      arrival[response.writableFinished ? 'answeredAt' : 'cutOffAt'] = Date.now()
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    gate,
    deep,
    deepAt,
    phrase,
    arrivals,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
