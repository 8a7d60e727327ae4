// Reads a stream of server-sent events over a socket of its own, the way a client does.
import assert from 'node:assert/strict'
import { request, type IncomingMessage } from 'node:http'
import { after } from 'node:test'
import type { TestTeam } from './seed.ts'

export interface Received {
  id: string | undefined
  event: string
  // read the way a client reads it
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any
}

export interface StreamReader {
  headers: IncomingMessage['headers']
  /** All that came so far, as it came. */
  text: () => string
  events: Received[]
  comments: string[]
  lastEventId: () => string | undefined
  /** Waits until it has come; fails when the stream ends before. */
  until: (isThere: (reader: StreamReader) => boolean) => Promise<void>
  /** Whether the service ended it in good order, once it is over. */
  ended: Promise<'whole' | 'cut off'>
  /** Takes nothing more off the socket. */
  pause: () => void
  resume: () => void
  leave: () => void
}

interface Options {
  key?: string
  lastEventId?: number | string | undefined
}

/** `:teamId` in the path stands for the team's. */
export async function readStream(
  baseUrl: string,
  team: TestTeam,
  path: string,
  { key = team.key, lastEventId }: Options = {},
): Promise<StreamReader> {
  const asked = request(baseUrl + path.replace(':teamId', team.id), {
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      ...(lastEventId !== undefined && { 'last-event-id': String(lastEventId) }),
    },
  })
  after(() => asked.destroy())
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.on('response', resolve)
    asked.on('error', reject)
    asked.end()
  })
  assert.equal(response.statusCode, 200)
  assert.match(response.headers['content-type'] ?? '', /^text\/event-stream/)
  return follow(response)
}

function follow(response: IncomingMessage): StreamReader {
  const events: Received[] = []
  const comments: string[] = []
  const waiting = new Set<() => void>()
  const chunks: string[] = []
  let rest = ''
  let lastId: string | undefined
  let outcome: 'whole' | 'cut off' | undefined

  function readBlock(block: string): void {
    const fields = new Map<string, string>()
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':')
      if (colon === 0) comments.push(line.slice(1).trim())
      else fields.set(line.slice(0, colon), line.slice(colon + 2))
    }
    const id = fields.get('id')
    if (id !== undefined) lastId = id
    const data = fields.get('data')
    if (data !== undefined) events.push({ id, event: fields.get('event')!, data: JSON.parse(data) })
  }

  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    chunks.push(chunk)
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop()!
    for (const block of blocks) readBlock(block)
    for (const look of waiting) look()
  })
  // being cut off is one way of ending, told by `ended`
  response.on('error', () => undefined)
  const ended = new Promise<'whole' | 'cut off'>((resolve) => {
    response.on('close', () => {
      outcome = response.complete ? 'whole' : 'cut off'
      for (const look of waiting) look()
      resolve(outcome)
    })
  })

  const reader: StreamReader = {
    headers: response.headers,
    text: () => chunks.join(''),
    events,
    comments,
    lastEventId: () => lastId,
    until: (isThere) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (isThere(reader)) resolve()
          else if (outcome) reject(new Error(`the stream ended before; it gave\n${chunks.join('').slice(-2000)}`))
          else return
          waiting.delete(look)
        }
        waiting.add(look)
        look()
      }),
    ended,
    pause: () => response.pause(),
    resume: () => response.resume(),
    leave: () => response.destroy(),
  }
  return reader
}
