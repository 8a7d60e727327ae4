// People who watch: one stream of the team's events and some of single runs, always open while runs are started, as consoles are.
import { once } from 'node:events'
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Service } from './service.ts'

type Watched = Pick<Service, 'host' | 'port' | 'teamId' | 'apiKey'>

export interface Watching extends AsyncDisposable {
  /** A run was accepted, by a request that was sent at this time. */
  started(runId: string, sentAt: number): void
  /** Resolves when the stream of the team has told the start of every run. */
  allSeen(): Promise<void>
  seenMs: number[]
}

const seenMaxMs = 30_000

export async function followRuns(service: Watched, runStreams: number): Promise<Watching> {
  const sent = new Map<string, number>()
  const seen = new Map<string, number>()
  const seenMs: number[] = []
  const note = (runId: string) => {
    const [from, until] = [sent.get(runId), seen.get(runId)]
    if (from === undefined || until === undefined) return
    seenMs.push(until - from)
    sent.delete(runId)
    seen.delete(runId)
  }
  const team = await openStream(service, `/v2/teams/${service.teamId}/events`)
  const reading = readEvents(team, (text) => {
    for (const [, runId] of text.matchAll(startedEvent)) {
      seen.set(runId!, performance.now())
      note(runId!)
    }
  })
  // the newest run that nobody watches yet: streams follow one another as people click
  let newest: string | undefined
  let isNew = Promise.withResolvers<void>()
  const leaving = new AbortController()
  const open = new Set<ClientRequest>()
  const watchers = Array.from({ length: runStreams }, async () => {
    while (!leaving.signal.aborted) {
      const runId = newest
      newest = undefined
      if (runId === undefined) {
        await isNew.promise
        continue
      }
      const stream = await openStream(service, `/v2/runs/${runId}/events`)
      open.add(stream.asked)
      await readEvents(stream)
      open.delete(stream.asked)
    }
  })
  return {
    started(runId, sentAt) {
      newest = runId
      isNew.resolve()
      isNew = Promise.withResolvers()
      sent.set(runId, sentAt)
      note(runId)
    },
    async allSeen() {
      for (const end = performance.now() + seenMaxMs; sent.size > 0; await sleep(5)) {
        if (performance.now() > end) throw new Error(`the stream did not tell the start of ${sent.size} runs`)
      }
    },
    seenMs,
    async [Symbol.asyncDispose]() {
      leaving.abort()
      isNew.resolve()
      team.asked.destroy()
      for (const asked of open) asked.destroy()
      await Promise.all([reading, ...watchers])
    },
  }
}

interface OpenStream {
  asked: ClientRequest
  response: IncomingMessage
}

/** As a browser does: a stream that has ended leaves its connection to the next one. */
const agent = new Agent({ keepAlive: true })

async function openStream({ host, port, apiKey }: Watched, path: string): Promise<OpenStream> {
  const asked = request({ host, port, path, agent, headers: { authorization: `Bearer ${apiKey}` } }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`GET ${path} gave ${response.statusCode}`)
  return { asked, response }
}

const startedEvent = /^event: run\.started\ndata: .*?"run_id": ?"([0-9a-f-]{36})"/gm

/** Until the stream ends, from whichever side. What comes is looked at as a whole: who watches costs the machine little beside the service. */
async function readEvents({ asked, response }: OpenStream, onEvents?: (text: string) => void): Promise<void> {
  asked.on('error', () => undefined)
  response.on('error', () => undefined)
  if (onEvents) {
    let rest = ''
    response.setEncoding('utf8').on('data', (piece: string) => {
      const text = rest + piece
      const whole = text.lastIndexOf('\n\n') + 2
      rest = whole < 2 ? text : text.slice(whole)
      if (whole >= 2) onEvents(text.slice(0, whole))
    })
  } else response.resume()
  if (!response.destroyed) await new Promise((resolve) => response.once('close', resolve))
}
