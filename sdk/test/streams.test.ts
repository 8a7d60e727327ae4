// Streams that break: every event once and in order, from a server that keeps its events and cuts where it likes.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { proves } from '../../server/test/kit/proves.ts'
import { ConnectionError, NotFoundError, Runyard, StreamError, type StreamOptions } from '../src/index.ts'
import { answerJson, localServer, refusal, type Asked } from './kit/localServer.ts'

const clientOf = (baseUrl: string): Runyard => new Runyard({ baseUrl, apiKey: 'none', teamId: 'team' })

const eventText = (id: number): string =>
  `id: ${id}\nevent: run.completed\ndata: ${JSON.stringify({ id: String(id), event: 'run.completed', data: { output: `größer ${id}` } })}\n\n`

const begin = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })

/** The events of this stream after the one that the reader had last, as the service sends them. */
function textAfter({ headers }: Asked, count: number): string {
  const after = Number(headers['last-event-id'] ?? 0)
  const events = Array.from({ length: count - after }, (_, index) => eventText(after + index + 1))
  return `retry: 1000\n\nid: ${after}\nevent: start\ndata: {"position":${after}}\n\n${events.join('')}`
}

/** The ids that a stream gives until this many have come. */
async function idsOf(runyard: Runyard, count: number, options: StreamOptions = {}): Promise<string[]> {
  const ids: string[] = []
  for await (const event of runyard.teams.events(options)) {
    ids.push('id' in event ? event.id : event.event)
    if (ids.length > count) break
  }
  return ids
}

const inOrder = (count: number): string[] => [
  'start',
  ...Array.from({ length: count }, (_, index) => String(index + 1)),
]

proves('sdk.streams', 'a stream that is cut at random bytes gives every event once and in order', async () => {
  const count = 60
  const { url, asked } = await localServer((response, one) => {
    const bytes = Buffer.from(textAfter(one, count))
    const cut = asked.length < 25 ? Math.floor(Math.random() * Math.min(bytes.length, 900)) : bytes.length
    begin(response).write(bytes.subarray(0, cut), () => (cut < bytes.length ? response.destroy() : undefined))
  })
  assert.deepEqual(await idsOf(clientOf(url), count), inOrder(count))
  assert.ok(asked.length > 3)
})

proves('sdk.streams', 'a stream resumes by the id of the last event, and starts where the caller says', async () => {
  const { url, asked } = await localServer((response, one) => {
    begin(response)
    response.end(textAfter(one, asked.length * 2))
  })
  const stream = clientOf(url).teams.events()
  const ids: string[] = []
  for await (const event of stream) if (ids.push(event.event) === 7) break
  assert.deepEqual(
    asked.map(({ headers }) => headers['last-event-id']),
    [undefined, '2', '4'],
  )
  assert.equal(stream.position, '6')
  await idsOf(clientOf(url), 1, { after: '5' })
  assert.equal(asked.at(-1)?.headers['last-event-id'], '5')
})

proves('sdk.streams', 'a stream that falls silent is opened again', async () => {
  const { url, asked } = await localServer((response, one) => {
    begin(response).write(textAfter(one, asked.length))
  })
  assert.deepEqual(await idsOf(clientOf(url), 3, { silenceMs: 60 }), inOrder(3))
  // more often where this process stood still before it read what was there
  assert.ok(asked.length >= 3, `${asked.length} times`)
})

proves('sdk.streams', 'a reader that stops early closes its connection', async () => {
  let closed: Promise<unknown> | undefined
  const { url } = await localServer((response, one) => {
    closed = new Promise((resolve) => response.once('close', resolve))
    begin(response).write(textAfter(one, 2))
  })
  await idsOf(clientOf(url), 2)
  await closed
})

proves('sdk.streams', 'an abort ends a stream at once, also one that is silent', async () => {
  const { url } = await localServer((response) => begin(response).write('retry: 1000\n\n'))
  const reason = new Error('enough')
  const stopping = new AbortController()
  setTimeout(() => stopping.abort(reason), 50)
  await assert.rejects(() => idsOf(clientOf(url), 1, { signal: stopping.signal }), reason)
  const raw = new AbortController()
  const response = await clientOf(url).request('GET', '/v2/any', { signal: raw.signal })
  setTimeout(() => raw.abort(reason), 20)
  await assert.rejects(response.text())
})

proves('sdk.streams', 'an error in a stream is thrown after the events before it', async () => {
  const { url, asked } = await localServer((response, one) =>
    begin(response).end(`${textAfter(one, 1)}event: error\ndata: ${JSON.stringify(refusal('internal_error'))}\n\n`),
  )
  const ids: string[] = []
  await assert.rejects(
    async () => {
      for await (const event of clientOf(url).teams.events()) ids.push(event.event)
    },
    (error) => error instanceof StreamError && error.message === 'It says internal_error.',
  )
  assert.deepEqual(ids, ['start', 'run.completed'])
  assert.equal(asked.length, 1)
})

proves('sdk.streams', 'what is not a stream, and what is refused, is not asked for again', async () => {
  const page = await localServer((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hi'))
  await assert.rejects(() => idsOf(clientOf(page.url), 1), /text\/html where a stream was expected/)
  const none = await localServer((response) => answerJson(response, 404, refusal('not_found')))
  await assert.rejects(() => idsOf(clientOf(none.url), 1), NotFoundError)
  assert.deepEqual([page.asked.length, none.asked.length], [1, 1])
  const broken = await localServer((response) => begin(response).end('id: 1\ndata: {not JSON\n\n'))
  await assert.rejects(() => idsOf(clientOf(broken.url), 1), /not JSON: \{not JSON/)
})

proves('sdk.streams', 'a server that stays away ends the stream, counted from when it went away', async () => {
  const { url, asked } = await localServer((response, one) => {
    if (asked.length > 1) response.destroy()
    else begin(response).write(textAfter(one, 1), () => setTimeout(() => response.destroy(), 10))
  })
  const options = { giveUpAfterMs: 700 }
  let given = 0
  await assert.rejects(async () => {
    for await (const event of clientOf(url).teams.events(options)) {
      given += 1
      // longer than the patience, while the server was still there
      if (event.event !== 'start') await new Promise((resolve) => setTimeout(resolve, 800))
    }
  }, ConnectionError)
  assert.equal(given, 2)
  assert.ok(asked.length > 1, 'it was tried again')
})
