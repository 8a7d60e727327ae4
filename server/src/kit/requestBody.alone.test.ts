// Bodies that trickle, pause or are not wanted: each is given up in its time, with a sentence that still arrives.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { PassThrough } from 'node:stream'
import { type TestContext } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { Fault } from '../base/errors.ts'
import { dropUnreadBody, readBytes, readPieces, readPiecesFitting, strangerBodyMs } from './requestBody.ts'
import { proves } from '../../test/kit/proves.ts'

/** All that a reader needs of a request whose body arrives as the test says. */
function requestOf(headers: IncomingHttpHeaders = {}): { request: FastifyRequest; body: PassThrough } {
  const body = Object.assign(new PassThrough(), { headers, socket: {}, complete: false })
  return { request: { raw: body } as unknown as FastifyRequest, body }
}

const isRefusal = (says: RegExp) => (error: unknown) =>
  error instanceof Fault && error.status === 400 && says.test(error.message) && error.headers['connection'] === 'close'

const withClock = (t: TestContext) => t.mock.timers.enable({ apis: ['setTimeout'] })

proves(
  'bodies.inTime',
  'a body that is not complete after five minutes is refused, however steadily it trickles',
  async (t) => {
    withClock(t)
    const { request, body } = requestOf()
    const refused = assert.rejects(readBytes(request, 1000), isRefusal(/300 seconds/))
    for (let minute = 0; minute < 5; minute++) {
      body.write('x')
      t.mock.timers.tick(60_000)
    }
    await refused
  },
)

proves('bodies.inTime', 'a body that alone can prove its sender is refused after ten seconds', async (t) => {
  withClock(t)
  const { request, body } = requestOf()
  const refused = assert.rejects(readBytes(request, 1000, strangerBodyMs), isRefusal(/10 seconds/))
  body.write('x')
  t.mock.timers.tick(10_000)
  await refused
})

proves('bodies.inTime', 'a large body may take hours, but not pause for a minute', async (t) => {
  withClock(t)
  const { request, body } = requestOf()
  const pieces = readPieces(request, 1000)
  for (let minute = 0; minute < 120; minute++) {
    const next = pieces.next()
    t.mock.timers.tick(59_000)
    body.write('x')
    assert.equal(String((await next).value), 'x')
  }
  const refused = assert.rejects(pieces.next(), isRefusal(/paused for 60 seconds/))
  t.mock.timers.tick(60_000)
  await refused
})

proves('bodies.inTime', 'a large body is read no faster than it is taken', async () => {
  const { request, body } = requestOf()
  const pieces = readPieces(request, 10_000_000)
  const first = pieces.next()
  let sent = 0
  while (body.write(Buffer.alloc(16_384)) && sent < 10_000_000) sent += 16_384
  await first
  while (body.write(Buffer.alloc(16_384)) && sent < 10_000_000) sent += 16_384
  assert.ok(sent < 500_000, `${sent} bytes were taken, and one piece was asked for`)
  body.end()
  let later = 0
  for await (const piece of pieces) later += piece.length
  assert.ok(later > 0)
})

proves('bodies.inTime', 'a large body over its cap is refused, and the rest of it can be thrown away', async () => {
  const { request, body } = requestOf()
  const pieces = readPieces(request, 10)
  body.write('eleven byte')
  await assert.rejects(pieces.next(), isRefusal(/10 bytes/))
  dropUnreadBody(request)
  for (let n = 0; n < 100; n++) body.write(Buffer.alloc(16_384))
  const ended = new Promise((resolve) => body.once('end', resolve))
  body.end()
  await ended
})

proves('bodies.fitting', 'a body without a length is refused while it arrives, once there is no room', async () => {
  const { request, body } = requestOf({ 'transfer-encoding': 'chunked' })
  const mebibyte = 1024 * 1024
  const asked: number[] = []
  const pieces = readPiecesFitting(request, 1024 * mebibyte, async (bytes) => {
    asked.push(bytes)
    if (bytes > 150 * mebibyte) throw new Fault('entitlement_exceeded', 'It does not fit.')
  })
  let taken = 0
  const read = async () => {
    for await (const piece of pieces) taken += piece.length
  }
  const refused = assert.rejects(read(), /does not fit/)
  for (let n = 0; n < 200 && asked.length < 3; n += 1) {
    if (!body.write(Buffer.alloc(mebibyte))) await Promise.race([once(body, 'drain'), refused])
  }
  await refused
  assert.equal(taken, asked[2]! - mebibyte)
  assert.deepEqual(asked, [65 * mebibyte, 130 * mebibyte, 195 * mebibyte])
})

proves('bodies.fitting', 'a body is held against the room once more when all of it is there', async () => {
  for (const headers of [{ 'content-length': '3' }, { 'transfer-encoding': 'chunked' }]) {
    const { request, body } = requestOf(headers)
    const asked: number[] = []
    body.end('abc')
    const pieces = readPiecesFitting(request, 10, async (bytes) => void asked.push(bytes))
    for await (const piece of pieces) assert.equal(String(piece), 'abc')
    assert.deepEqual(asked, [3])
  }
})

proves('bodies.inTime', 'what is answered before its body came is not waited for longer than any other body', (t) => {
  withClock(t)
  const { request, body } = requestOf()
  dropUnreadBody(request)
  t.mock.timers.tick(299_999)
  assert.equal(body.destroyed, false)
  t.mock.timers.tick(1)
  assert.equal(body.destroyed, true)
})
