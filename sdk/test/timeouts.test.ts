// Calls that take too long, and calls that the caller ends: each is an error of its own.
import assert from 'node:assert/strict'
import { proves } from '../../server/test/kit/proves.ts'
import { ConnectionError, Runyard, TimeoutError } from '../src/index.ts'
import { answerJson, localServer, refusal } from './kit/localServer.ts'

const clientOf = (baseUrl: string, more = {}): Runyard =>
  new Runyard({ baseUrl, apiKey: 'none', teamId: 'team', maxRetries: 0, ...more })

const silent = () => localServer(() => undefined)

proves('sdk.timeouts', 'a server that does not answer in time is an error of its own, also in the middle', async () => {
  const half = await localServer((response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"queue":')
  })
  for (const { url } of [await silent(), half]) {
    await assert.rejects(
      async () => clientOf(url).queues.get('one', { timeoutMs: 50 }),
      (error) =>
        error instanceof TimeoutError && error instanceof ConnectionError && error.message.includes('within 50 ms'),
    )
    await assert.rejects(async () => clientOf(url, { timeoutMs: 50 }).queues.get('one'), TimeoutError)
  }
})

proves('sdk.timeouts', 'each attempt has the whole time, and a late one is tried again', async () => {
  const { url, asked } = await localServer((response, _, index) =>
    index === 0 ? undefined : answerJson(response, 200, { queue_id: 'one' }),
  )
  // one is answered at once, and is late all the same where this process stands still for a second
  await clientOf(url).queues.get('one', { timeoutMs: 1000, maxRetries: 9 })
  assert.ok(asked.length >= 2, `${asked.length} attempts`)
})

proves('sdk.timeouts', 'a time that is too long for a timer sets no limit', async () => {
  const { url } = await localServer((response) => answerJson(response, 200, { queue_id: 'one' }))
  await clientOf(url).queues.get('one', { timeoutMs: Infinity })
  await clientOf(url).queues.get('one', { timeoutMs: 2 ** 31 })
})

proves('sdk.timeouts', 'an abort ends the call with its reason, while it is sent and while it waits', async () => {
  const { url } = await silent()
  const reason = new Error('enough')
  const sending = new AbortController()
  setTimeout(() => sending.abort(reason), 20)
  await assert.rejects(async () => clientOf(url).queues.get('one', { signal: sending.signal }), reason)

  const waiting = new AbortController()
  const busy = await localServer((response) => {
    answerJson(response, 429, refusal('rate_limited'), { 'retry-after': '30' })
    setTimeout(() => waiting.abort(), 50)
  })
  await assert.rejects(
    async () => clientOf(busy.url, { maxRetries: 5 }).queues.get('one', { signal: waiting.signal }),
    (error) => error instanceof DOMException && error.name === 'AbortError',
  )
  assert.equal(busy.asked.length, 1)

  await assert.rejects(async () => clientOf(busy.url).queues.get('one', { signal: AbortSignal.abort(reason) }), reason)
  assert.equal(busy.asked.length, 1)
})

proves('sdk.timeouts', 'calls leave nothing on the signal that they were given', async () => {
  const { url } = await localServer((response) => answerJson(response, 200, { queue_id: 'one' }))
  const { signal } = new AbortController()
  let listening = 0
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (...words: Parameters<typeof add>) => {
    listening += 1
    add(...words)
  }
  signal.removeEventListener = (...words: Parameters<typeof remove>) => {
    listening -= 1
    remove(...words)
  }
  const runyard = clientOf(url)
  for (let count = 0; count < 20; count += 1) await runyard.queues.get('one', { signal })
  assert.equal(listening, 0)
})
