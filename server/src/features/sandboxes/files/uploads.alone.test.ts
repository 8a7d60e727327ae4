// Upload addresses: one file each, of any size up to its cap, from whoever has the address.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import type { TestContext } from 'node:test'
import { newId } from '../../../base/ids.ts'
import { signedUrlOnce } from '../../../kit/signedUrl.ts'
import { renewalMs } from '../../../kit/uploadClaim.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { proves } from '../../../../test/kit/proves.ts'

const mebibyte = 1024 * 1024
const service = await testApp({ config: { sandboxBytesMax: 8 * mebibyte } })
const { context } = service
const { sql } = context.db
await service.listen()
const team = await seedTeam(service)

const makeSandbox = async (): Promise<string> => (await team.call('POST /v2/sandboxes')).body.sandbox_id
const sandboxId = await makeSandbox()

async function addressFor(path: string, sandbox = sandboxId): Promise<string> {
  const { status, body } = await team.call(`POST /v2/sandboxes/${sandbox}/upload-urls`, { body: { path } })
  assert.equal(status, 200)
  return body.upload_url
}

interface Put {
  status: number
  // read the way a client reads it
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

async function put(url: string, bytes: NonNullable<RequestInit['body']>, init: RequestInit = {}): Promise<Put> {
  const response = await fetch(url, { method: 'PUT', body: bytes, ...init })
  return { status: response.status, body: await response.json() }
}

const contentOf = async (path: string): Promise<string> =>
  (await team.call(`GET /v2/sandboxes/${sandboxId}/files/content?path=${path}`)).body.content

/** An upload that sends some bytes and then no more, until told to. */
function beginPut(url: string, length = 5 * mebibyte): ClientRequest {
  const request = httpRequest(url, { method: 'PUT', headers: { 'content-length': length } })
  request.on('error', () => undefined)
  request.write(Buffer.alloc(100))
  return request
}

/** Until a PUT to this sandbox holds its claim, or none does. */
async function untilClaimed(sandbox: string, isClaimed = true): Promise<void> {
  for (;;) {
    const rows = await sql`
      select from file_uploads where sandbox_id = ${sandbox} and claim is not null and spent_at is null`
    if (rows.length > 0 === isClaimed) return
  }
}

proves(
  'uploads.put',
  'one PUT stores the file at the path of its address, in pieces or with a length, also an empty one',
  async () => {
    const { body } = await team.call(`POST /v2/sandboxes/${sandboxId}/upload-urls`, { body: { path: './in//a b.bin' } })
    assert.deepEqual([body.path, body.expires_in_seconds], ['/workspace/in/a b.bin', 900])
    const bytes = randomBytes(3 * mebibyte + 17)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const stored = await put(body.upload_url, new Uint8Array(bytes))
    assert.deepEqual(stored, { status: 201, body: { path: body.path, size_bytes: bytes.length, sha256 } })
    assert.equal(await contentOf('in/a%20b.bin'), bytes.toString('base64'))
    const pieces = new Blob(['in ', 'pieces']).stream()
    const chunked = await put(await addressFor('chunked.txt'), pieces, { duplex: 'half' })
    assert.equal(chunked.body.size_bytes, 9)
    assert.equal(await contentOf('chunked.txt'), 'in pieces')
    assert.equal((await put(await addressFor('empty'), '')).body.size_bytes, 0)
    const strange = `été 😀 +&=#?'"%41.txt`
    assert.equal((await put(await addressFor(strange), 'text')).body.path, `/workspace/${strange}`)
  },
)

proves('uploads.once', 'an address that was used is refused, and the file stays as it is', async () => {
  const url = await addressFor('once.txt')
  assert.equal((await put(url, 'first')).status, 201)
  const again = await put(url, 'second')
  assert.deepEqual([again.status, again.body.error], [409, 'conflict'])
  assert.match(again.body.message, /was already used/)
  assert.equal(await contentOf('once.txt'), 'first')
})

proves('uploads.refused', 'an address that was changed, expired, or is for another method takes nothing', async () => {
  const url = await addressFor('refused.txt')
  const expired = (validS: number) =>
    signedUrlOnce(context, {
      method: 'PUT',
      path: new URL(url).pathname,
      query: { path: '/workspace/refused.txt', bytes_max: '1073741824' },
      teamId: team.id,
      validS,
    })
  assert.equal(new URL(expired(900)).pathname, new URL(url).pathname)
  const changed = [
    url.replace(/&signature=.*/, ''),
    `${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`,
    url.replace('refused.txt', 'other.txt'),
    url.replace('bytes_max=1073741824', 'bytes_max=9073741824'),
    url.replace(/expires=(\d+)/, (_, at: string) => `expires=${Number(at) + 1}`),
    url.replace(sandboxId, newId()),
    expired(-1),
  ]
  for (const one of changed) {
    const { status, body } = await put(one, 'text')
    assert.deepEqual([status, body.error], [403, 'forbidden'], one)
  }
  assert.equal((await fetch(url)).status, 403)
  assert.equal((await put(url, 'text')).status, 201)
})

proves('uploads.once', 'a second PUT is refused until the first one ends or its connection breaks', async () => {
  const sandbox = await makeSandbox()
  const url = await addressFor('broken.txt', sandbox)
  const first = beginPut(url)
  await untilClaimed(sandbox)
  const second = await put(url, 'second')
  assert.equal(second.status, 409)
  assert.match(second.body.message, /right now/)
  first.destroy()
  await untilClaimed(sandbox, false)
  assert.equal((await put(url, 'third')).status, 201)
  const [left] = await sql`select count(*) as blobs from blobs where sha256 is null`
  assert.deepEqual(left, { blobs: 0 })
})

proves('uploads.once', 'the claim of a process that died runs out', async () => {
  const sandbox = await makeSandbox()
  const url = await addressFor('died.txt', sandbox)
  await sql`
    update file_uploads set claim = ${newId()}, claimed_until = now() + interval '1 minute' where sandbox_id = ${sandbox}`
  assert.equal((await put(url, 'text')).status, 409)
  await sql`update file_uploads set claimed_until = now() - interval '1 second' where sandbox_id = ${sandbox}`
  assert.equal((await put(url, 'text')).status, 201)
})

/**
 * The renewal of the next claim, to be made early. The timers stay Node's own: a timer that another part of the service began before a mocked
 * clock could not be cleared under it, and this process would never end.
 */
function nextRenewal(t: TestContext): Promise<() => void> {
  const begin = setInterval
  const { promise, resolve } = Promise.withResolvers<() => void>()
  t.mock.method(globalThis, 'setInterval', (work: () => void, everyMs: number) => {
    if (everyMs === renewalMs) resolve(work)
    return begin(work, everyMs)
  })
  return promise
}

proves('uploads.once', 'an upload that takes its time keeps its claim', async (t) => {
  const renewal = nextRenewal(t)
  const sandbox = await makeSandbox()
  const request = beginPut(await addressFor('slow.txt', sandbox), 200)
  await untilClaimed(sandbox)
  await sql`update file_uploads set claimed_until = now() - interval '1 second' where sandbox_id = ${sandbox}`
  const renew = await renewal
  renew()
  const isHeld = () =>
    sql`select from file_uploads where sandbox_id = ${sandbox} and claimed_until > now() + interval '20 seconds'`
  while ((await isHeld()).length === 0) await sql`select pg_sleep(0.005)`
  request.end(Buffer.alloc(100))
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  assert.equal(answer.statusCode, 201)
  answer.resume()
})

proves('uploads.once', 'an upload whose claim was taken over stores nothing', async () => {
  const sandbox = await makeSandbox()
  const first = beginPut(await addressFor('late.txt', sandbox), 200)
  await untilClaimed(sandbox)
  await sql`update file_uploads set claim = ${newId()} where sandbox_id = ${sandbox}`
  first.end(Buffer.alloc(100))
  const [answer] = (await once(first, 'response')) as [IncomingMessage]
  assert.equal(answer.statusCode, 409)
  answer.resume()
  assert.deepEqual((await team.call(`GET /v2/sandboxes/${sandbox}/files`)).body.files, [])
})

proves(
  'uploads.cap',
  'more bytes than the address allows are refused, announced or not, and the address can be tried again',
  async () => {
    const { body } = await team.call(`POST /v2/sandboxes/${sandboxId}/upload-urls`, { body: { path: 'capped' } })
    const url = signedUrlOnce(context, {
      method: 'PUT',
      path: new URL(body.upload_url).pathname,
      query: { path: '/workspace/capped', bytes_max: '1000000' },
      teamId: team.id,
      validS: 900,
    })
    const announced = await put(url, new Uint8Array(1_000_001))
    assert.deepEqual([announced.status, announced.body.error], [400, 'payload_too_large'])
    const request = httpRequest(url, { method: 'PUT' })
    request.on('error', () => undefined)
    const answered = once(request, 'response') as Promise<[IncomingMessage]>
    request.write(Buffer.alloc(1_000_001))
    const [response] = await answered
    assert.equal(response.statusCode, 400)
    response.resume()
    request.destroy()
    assert.equal((await put(url, new Uint8Array(1_000_000))).status, 201)
  },
)

proves(
  'uploads.refused',
  'a held sandbox, a full one and a taken name refuse the file, and the address can be tried again',
  async () => {
    const sandbox = await makeSandbox()
    await team.call(`POST /v2/sandboxes/${sandbox}/files?path=taken`, { body: 'text' })
    const below = await put(await addressFor('taken/below', sandbox), 'text')
    assert.deepEqual([below.status, below.body.error], [400, 'invalid_request'])
    const url = await addressFor('a.bin', sandbox)
    const large = await put(url, new Uint8Array(9 * mebibyte))
    assert.match(large.body.message, /RUNYARD_SANDBOX_BYTES/)
    const exec = newId()
    await sql`
    insert into sandbox_execs (id, team_id, sandbox_id, command, timeout_s, awaited_until)
    values (${exec}, ${team.id}, ${sandbox}, 'sleep 1', 60, now() + interval '1 minute')`
    const held = await put(url, 'text')
    assert.deepEqual([held.status, held.body.error], [409, 'sandbox_busy'])
    await sql`update sandbox_execs set ended_at = now() where id = ${exec} and team_id = ${team.id}`
    assert.equal((await put(url, 'text')).status, 201)
  },
)

/** A PUT whose body begins and goes on only when told to. */
async function answerBeforeBody(url: string, headers: Record<string, string | number>): Promise<IncomingMessage> {
  const request = httpRequest(url, { method: 'PUT', headers })
  request.on('error', () => undefined)
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  request.flushHeaders()
  const [response] = await answered
  response.resume()
  request.destroy()
  return response
}

proves('uploads.refused', 'a file that cannot be at its path is refused before its body', async () => {
  const sandbox = await makeSandbox()
  await team.call(`POST /v2/sandboxes/${sandbox}/files?path=taken`, { body: 'text' })
  const below = await addressFor('taken/below', sandbox)
  assert.equal((await answerBeforeBody(below, { 'content-length': mebibyte })).statusCode, 400)
  assert.equal((await answerBeforeBody(below, { 'transfer-encoding': 'chunked' })).statusCode, 400)
})

proves('uploads.refused', 'what has no room when all of it is there is not stored, announced or not', async () => {
  const sandbox = await makeSandbox()
  const bytes = randomBytes(9 * mebibyte)
  const unannounced = await put(await addressFor('a.bin', sandbox), new Blob([bytes]).stream(), { duplex: 'half' })
  assert.equal(unannounced.status, 400)
  assert.match(unannounced.body.message, /RUNYARD_SANDBOX_BYTES/)
  const request = beginPut(await addressFor('b.bin', sandbox), mebibyte)
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  await untilClaimed(sandbox)
  // others fill it meanwhile
  const begun = () => sql`select from blobs where sha256 is null`
  while ((await begun()).length === 0) await sql`select pg_sleep(0.005)`
  await sql`update sandboxes set kept_bytes = ${8 * mebibyte} where id = ${sandbox}`
  const late = Buffer.alloc(mebibyte - 100, 7)
  request.end(late)
  const [response] = await answered
  response.resume()
  assert.equal(response.statusCode, 400)
  const names = [bytes, Buffer.concat([Buffer.alloc(100), late])].map((one) =>
    createHash('sha256').update(one).digest('hex'),
  )
  assert.deepEqual(await sql`select from blobs where sha256 is null or encode(sha256, 'hex') = any(${names})`, [])
})

proves('uploads.refused', 'the address of a sandbox that is gone is a 404', async () => {
  const sandbox = await makeSandbox()
  const url = await addressFor('a.bin', sandbox)
  await team.call(`DELETE /v2/sandboxes/${sandbox}`)
  assert.equal((await put(url, 'text')).status, 404)
})
