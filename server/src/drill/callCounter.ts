// The outside world of a drill: a process of its own that counts calls by their Idempotency-Key, whatever the service believes.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startProgram } from './children.ts'

export interface Arrival {
  /** The Idempotency-Key; of a call to the model, which has none, the word `marker-…` in its body. */
  id: string
  method: string
  /** Times are in ms since 1970, by the clock of this machine. */
  at: number
  answeredAt: number | null
  /** When the caller hung up before it had its answer. */
  cutOffAt: number | null
}

export interface CallCounter {
  /** Answers anything below `/ms/N` after so many ms, anything else after 200. */
  url: string
  arrivals: () => Promise<Arrival[]>
  /** How often a call has come so far. */
  count: (id: string) => Promise<number>
  stop: () => Promise<unknown>
}

const countedPath = '/counted'
/** How long it may take to say what it counted. */
const answerMs = 30_000

export async function startCallCounter(): Promise<CallCounter> {
  const program = await startProgram({ entry: fileURLToPath(import.meta.url), readySign: '\n', endsWithUs: true })
  const url = `http://127.0.0.1:${program.box.trim()}`
  const read = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(answerMs) })
    return (await answer.json()) as Arrival[]
  }
  return {
    url,
    arrivals: () => read(countedPath),
    count: async (id) => (await read(`${countedPath}?id=${id}`)).length,
    stop: () => program.stop('SIGKILL'),
  }
}

/** After a pause of this process a question may be read before calls that came earlier: one turn accepts their connections, the next reads them. */
async function allCame(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await nextTurn()
}

function serve(): void {
  // Ctrl-C in a terminal reaches all processes; whoever started this one still asks it what it counted
  process.on('SIGINT', () => undefined)
  process.on('disconnect', () => process.exit())
  const arrivals: Arrival[] = []
  const byId = new Map<string, Arrival[]>()
  const server = createServer((request, response) => {
    const at = Date.now()
    const { pathname, searchParams } = new URL(request.url!, 'http://counter')
    if (pathname === countedPath) {
      const id = searchParams.get('id')
      void allCame().then(() => response.end(JSON.stringify(id === null ? arrivals : (byId.get(id) ?? []))))
      return
    }
    const arrival: Arrival = {
      id: request.headers['idempotency-key']?.toString() ?? '',
      method: request.method!,
      at,
      answeredAt: null,
      cutOffAt: null,
    }
    const note = () => {
      arrivals.push(arrival)
      byId.set(arrival.id, [...(byId.get(arrival.id) ?? []), arrival])
    }
    if (arrival.id) note()
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      if (arrival.id) return
      arrival.id = /marker-[\w-]+/.exec(body)?.[0] ?? 'unmarked'
      note()
    })
    const timer = setTimeout(() => response.end('counted'), Number(/^\/ms\/(\d+)/.exec(pathname)?.[1] ?? 200))
    response.on('close', () => {
      clearTimeout(timer)
      arrival[response.writableFinished ? 'answeredAt' : 'cutOffAt'] = Date.now()
    })
  })
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
}

if (import.meta.main) serve()
