// Which calls are tried again, when, and that all attempts of a call are one call to the server.
import assert from 'node:assert/strict'
import { freePort } from '../../server/test/survival/processes.ts'
import { proves } from '../../server/test/kit/proves.ts'
import {
  ApiError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  RateLimitError,
  Runyard,
  RunyardError,
  ServerError,
  type Attempt,
} from '../src/index.ts'
import { waitBeforeRetry } from '../src/retry.ts'
import { answerJson, localServer, refusal } from './kit/localServer.ts'

const clientOf = (baseUrl: string, more = {}): Runyard =>
  new Runyard({ baseUrl, apiKey: 'none', teamId: 'team', ...more })

const create = (runyard: Runyard) => runyard.queues.create({ name: 'Tried' })

proves('sdk.retries', 'a cut connection is tried again, before the answer and in the middle of it', async () => {
  const { url, asked } = await localServer((response, _, index) => {
    if (index === 0) response.destroy()
    else if (index > 1) answerJson(response, 201, { queue_id: 'one' })
    else {
      response.writeHead(201, { 'content-type': 'application/json', 'content-length': 100 })
      response.write('{"queue_id":', () => response.destroy())
    }
  })
  assert.deepEqual(await create(clientOf(url)), { queue_id: 'one' })
  assert.equal(asked.length, 3)
})

proves('sdk.retries', 'a failure of the server is tried again, twice unless another number is given', async () => {
  for (const [maxRetries, attempts] of [
    [undefined, 3],
    [0, 1],
    [4, 5],
  ] as const) {
    const seen: Attempt[] = []
    const { url, asked } = await localServer((response) => answerJson(response, 503, refusal('internal_error')))
    const options = {
      onAttempt: (one: Attempt) => void seen.push(one),
      ...(maxRetries !== undefined && { maxRetries }),
    }
    await assert.rejects(async () => create(clientOf(url, options)), ServerError)
    assert.equal(asked.length, attempts)
    assert.deepEqual(
      seen.map(({ attempt, status }) => ({ attempt, status })),
      Array.from({ length: attempts }, (_, attempt) => ({ attempt, status: 503 })),
    )
  }
})

proves('sdk.retries', 'a server that is not there is an error of the connection', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  await assert.rejects(
    async () => create(clientOf(url, { maxRetries: 1 })),
    (error) => error instanceof ConnectionError && /cannot be reached: .*ECONNREFUSED/.test(error.message),
  )
})

proves('sdk.retries', 'a 429 waits as long as the server asks', async () => {
  const { url, asked } = await localServer((response, _, index) =>
    index === 0
      ? answerJson(response, 429, refusal('rate_limited'), { 'retry-after': '1' })
      : answerJson(response, 201, { queue_id: 'one' }),
  )
  await create(clientOf(url))
  const waited = (asked[1]?.at ?? 0) - (asked[0]?.at ?? 0)
  assert.ok(waited >= 995, `${waited} ms`)
})

proves('sdk.retries', 'a server that asks for more than a minute gets no second attempt', async () => {
  const { url, asked } = await localServer((response) =>
    answerJson(response, 429, refusal('rate_limited'), { 'retry-after': '61' }),
  )
  await assert.rejects(
    async () => create(clientOf(url)),
    (error) => error instanceof RateLimitError && error.retryAfter === 61,
  )
  assert.equal(asked.length, 1)
})

const errorWith = (status: number, headers: Record<string, string> = {}) =>
  new ApiError(new Response(null, { status, headers }), '')

proves('sdk.retries', 'a wait is what the server asks for, up to a minute, and otherwise random and bounded', () => {
  for (let count = 0; count < 100; count += 1) {
    const asked = waitBeforeRetry(errorWith(503, { 'retry-after': '60' }), 0) ?? 0
    assert.ok(asked >= 60_000 && asked <= 60_500)
    for (const [attempt, most] of [500, 1000, 2000, 4000, 8000, 8000].entries()) {
      const random = waitBeforeRetry(errorWith(500), attempt)
      assert.ok(random !== undefined && random >= 0 && random <= most)
    }
  }
  const date = new Date(Date.now() + 50_000).toUTCString()
  const least = () => Date.parse(date) - Date.now()
  const most = least() + 500
  const untilThen = waitBeforeRetry(errorWith(429, { 'retry-after': date }), 0) ?? 0
  assert.ok(untilThen >= least() && untilThen <= most, `${untilThen} ms`)
  for (const status of [400, 401, 403, 404, 405, 409]) assert.equal(waitBeforeRetry(errorWith(status), 0), undefined)
})

proves('sdk.retries', 'a 409 is tried again only while the first request with its key still runs', async () => {
  const busy = await localServer((response, _, index) =>
    index === 0
      ? answerJson(response, 409, refusal('idempotency_key_in_use'))
      : answerJson(response, 201, { queue_id: 'one' }),
  )
  await create(clientOf(busy.url))
  assert.equal(busy.asked.length, 2)
  for (const code of ['duplicate_name', 'idempotency_key_reused', 'conflict']) {
    const { url, asked } = await localServer((response) => answerJson(response, 409, refusal(code)))
    await assert.rejects(
      async () => create(clientOf(url)),
      (error) => error instanceof ConflictError && error.code === code,
    )
    assert.equal(asked.length, 1)
  }
})

proves('sdk.retries', 'a refusal is not tried again', async () => {
  const { url, asked } = await localServer((response) => answerJson(response, 400, refusal('invalid_request')))
  await assert.rejects(async () => create(clientOf(url)), InvalidRequestError)
  assert.equal(asked.length, 1)
})

proves('sdk.keys', 'all attempts of a call have one key and one body, and another call has another key', async () => {
  const { url, asked } = await localServer((response, _, index) =>
    index % 3 < 2 ? void response.destroy() : answerJson(response, 201, { queue_id: 'one' }),
  )
  const runyard = clientOf(url)
  await create(runyard)
  await create(runyard)
  const keys = asked.map(({ headers }) => headers['idempotency-key'])
  assert.match(String(keys[0]), /^[\da-f]{32}$/)
  assert.deepEqual([keys[1], keys[2]], [keys[0], keys[0]])
  assert.deepEqual([keys[4], keys[5]], [keys[3], keys[3]])
  assert.notEqual(keys[3], keys[0])
  assert.deepEqual([...new Set(asked.map(({ body }) => body))], ['{"name":"Tried"}'])
  await runyard.queues.list().page()
  assert.equal(asked.at(-1)?.headers['idempotency-key'], undefined)
  await runyard.agents.checkProcedure({ input: 'A question' })
  assert.deepEqual([asked.at(-1)?.method, asked.at(-1)?.headers['idempotency-key']], ['POST', undefined])
  await runyard.agents.checkProcedure({ input: 'A question' }, { idempotencyKey: 'my own' })
  assert.equal(asked.at(-1)?.headers['idempotency-key'], 'my own')
})

proves('sdk.retries', 'a body that is a stream is sent once, since it can be read only once', async () => {
  const { url, asked } = await localServer((response) => answerJson(response, 503, refusal('internal_error')))
  await assert.rejects(
    () => clientOf(url).request('POST', '/v2/bytes', { body: new Blob(['bytes']).stream(), maxRetries: 5 }),
    ServerError,
  )
  assert.deepEqual(
    asked.map(({ body }) => body),
    ['bytes'],
  )
  const blobs = await localServer((response) => answerJson(response, 503, refusal('internal_error')))
  await assert.rejects(() => clientOf(blobs.url).request('POST', '/v2/bytes', { body: new Blob(['bytes']) }))
  assert.equal(blobs.asked.length, 3)
})

proves('sdk.errors', 'a page of another server is an error that shows its beginning', async () => {
  const { url } = await localServer((response, _, index) =>
    response.writeHead(index === 0 ? 404 : 200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
  )
  await assert.rejects(
    async () => clientOf(url).queues.get('one'),
    (error) => error instanceof ApiError && error.code === 'unknown' && error.message.includes('<h1>Welcome'),
  )
  await assert.rejects(
    async () => clientOf(url).queues.get('one'),
    (error) => error instanceof RunyardError && /not JSON.*<h1>Welcome/.test(error.message),
  )
})

proves('sdk.errors', 'a path or an id that would name something else is refused before anything is sent', async () => {
  const { url, asked } = await localServer((response) => answerJson(response, 200, {}))
  const runyard = clientOf(url)
  for (const id of ['', '.', '..']) await assert.rejects(async () => runyard.queues.delete(id), RunyardError)
  await assert.rejects(async () => runyard.memory.get('agent', 'a/../../b'), RunyardError)
  for (const path of ['v2/teams', '@other.example/v2', '.other.example/'])
    await assert.rejects(() => runyard.request('GET', path), /does not begin with a slash/)
  assert.equal(asked.length, 0)
  await runyard.queues.get('a/../b?c#d')
  assert.equal(asked[0]?.path, '/v2/queues/a%2F..%2Fb%3Fc%23d')
})

proves('sdk.errors', 'a changed path is not followed by a call that changes something', async () => {
  const { url, asked } = await localServer((response, { path }) =>
    path === '/moved' ? answerJson(response, 200, {}) : response.writeHead(301, { location: '/moved' }).end(),
  )
  await assert.rejects(async () => create(clientOf(url, { maxRetries: 0 })), ConnectionError)
  assert.deepEqual(
    asked.map(({ method }) => method),
    ['POST'],
  )
})
