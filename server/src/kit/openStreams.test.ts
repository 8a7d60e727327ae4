// Open streams among bad company: readers that do not read, keys that are revoked, processes that stop.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { before, describe } from 'node:test'
import { readStream } from '../../test/kit/eventStream.ts'
import { logEvents, seedRunningRun } from '../../test/kit/followedRuns.ts'
import { testDatabase } from '../../test/kit/postgres.ts'
import { seeders, seedTeam } from '../../test/kit/seed.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { textDeltasOf } from '../engine/driving/textDeltas.ts'
import { issueApiKey } from '../features/credentials/apiKey.ts'
import { announceEvents } from './announceEvents.ts'
import { openStreamsOf } from './openStreams.ts'
import { proves } from '../../test/kit/proves.ts'

const address = await testDatabase()
const service = await testApp({ address })
const { sql } = service.context.db
const team = await seedTeam(service)
const baseUrl = await service.listen()
before(() => seeders['agent']!(team, {}))

const pathOf = (runId: string) => `/v2/runs/${runId}/events`
const endings = () =>
  service.logged
    .map(
      (line) =>
        JSON.parse(line) as { msg: string; operation: string; ended_by: string; request_id: string; events: number },
    )
    .filter(({ msg }) => msg === 'stream ended')

/** A reader, and the service's end of its connection. */
async function readFrom(runId: string) {
  const [reader, [socket]] = await Promise.all([
    readStream(baseUrl, team, pathOf(runId)),
    once(service.app.server, 'connection') as Promise<[Socket]>,
  ])
  return { reader, socket }
}

/**
 * Writes events until the service no longer gets them off its hands. The service looks for events a few times a second, so each
 * megabyte waits until the one before was sent: how much is written then depends on the socket, and not on how busy the machine is.
 */
async function fill(runId: string, socket: Socket): Promise<void> {
  const megabyte = 1_000_000
  for (let written = 0; !socket.writableNeedDrain; written += megabyte) {
    assert.ok(written < 100 * megabyte, 'the system takes 100 MB for a reader that reads nothing')
    const wanted = socket.bytesWritten + megabyte
    await logEvents(sql, runId, 20, 'x'.repeat(50_000))
    announceEvents(service.context)
    while (!socket.writableNeedDrain && socket.bytesWritten < wanted) await new Promise(setImmediate)
  }
}

describe('an open stream', () => {
  proves('streams.slow', 'that is not read costs little, is closed after 30 seconds, and harms no other', async () => {
    const runId = await seedRunningRun(team)
    const { reader: slow, socket } = await readFrom(runId)
    slow.pause()
    const quick = await readStream(baseUrl, team, pathOf(runId))
    await fill(runId, socket)
    await logEvents(sql, runId, 40, 'x'.repeat(50_000))
    const [{ event_seq: newest }] = (await sql`select event_seq from runs where id = ${runId}`) as [
      { event_seq: number },
    ]
    await quick.until(({ events }) => events.length === newest)
    assert.ok(socket.writableLength < 1024 * 1024, `${socket.writableLength} bytes wait for it`)
    await openStreamsOf(service.context).check(performance.now() + 10_000)
    assert.equal(socket.destroyed, false)
    await openStreamsOf(service.context).check(performance.now() + 31_000)
    assert.equal(socket.destroyed, true)
    slow.resume()
    assert.equal(await slow.ended, 'cut off')
    const rest = await readStream(baseUrl, team, pathOf(runId), { lastEventId: slow.lastEventId() })
    await rest.until(({ events }) => events.at(-1)?.id === String(newest))
    assert.deepEqual(
      [...slow.events, ...rest.events].map(({ id }) => Number(id)),
      Array.from({ length: newest }, (_, index) => index + 1),
    )
    quick.leave()
    rest.leave()
  })

  proves('streams.behind', 'that falls a megabyte of text behind is closed at once', async () => {
    const runId = await seedRunningRun(team)
    const { reader, socket } = await readFrom(runId)
    reader.pause()
    await fill(runId, socket)
    const closed = once(socket, 'close')
    for (let piece = 0; piece < 12; piece++) textDeltasOf(service.context).made(runId, 'x'.repeat(100_000))
    await closed
    reader.resume()
    assert.equal(await reader.ended, 'cut off')
    assert.equal(endings().at(-1)!.ended_by, 'slow reader')
  })

  proves('streams.heartbeat', 'says every 15 seconds that it lives, and how far its reader is', async () => {
    const openedAfter = performance.now()
    const reader = await readStream(baseUrl, team, '/v2/teams/:teamId/events?events=run.failed')
    await reader.until(({ events }) => events.length === 1)
    const began = reader.lastEventId()
    await logEvents(sql, await seedRunningRun(team), 2)
    const streams = openStreamsOf(service.context)
    await streams.check(openedAfter + 14_999)
    assert.deepEqual(reader.comments, [])
    // what was not asked for is passed over unseen, so it is looked for until it was
    while (reader.lastEventId() === began) {
      await streams.check(performance.now() + 16_000)
      await reader.until(({ comments }) => comments.length > 0)
      reader.comments.length = 0
    }
    assert.equal(reader.events.length, 1)
    reader.leave()
  })

  proves('streams.credential', 'ends soon after its key is revoked, and others continue', async () => {
    const runId = await seedRunningRun(team)
    const { apiKey, secret } = await issueApiKey(sql, {
      teamId: team.id,
      memberId: team.memberId,
      name: 'x',
      scopes: ['runs:read'],
    })
    const reader = await readStream(baseUrl, team, pathOf(runId), { key: secret })
    const other = await readStream(baseUrl, team, pathOf(runId))
    await team.call(`DELETE /v2/api-keys/${apiKey.id}`)
    assert.equal(await reader.ended, 'whole')
    assert.match(reader.comments.at(-1)!, /credential/)
    await logEvents(sql, runId)
    await other.until(({ events }) => events.length === 1)
    other.leave()
  })

  proves('streams.log', 'is logged by its request id when it is over', async () => {
    const runId = await seedRunningRun(team)
    await logEvents(sql, runId, 2)
    const reader = await readStream(baseUrl, team, pathOf(runId))
    await reader.until(({ events }) => events.length === 2)
    const isTold = () => endings().find(({ request_id }) => request_id === reader.headers['x-request-id'])
    reader.leave()
    while (!isTold()) await new Promise(setImmediate)
    const { ended_by, operation, events } = isTold()!
    assert.deepEqual({ ended_by, operation, events }, { ended_by: 'reader', operation: 'streamRunEvents', events: 2 })
  })

  proves(
    'streams.drain',
    'ends with a word when its process stops, read or not, and a new one is sent elsewhere at once',
    async () => {
      const stopping = await testApp({ address })
      const url = await stopping.listen()
      const runId = await seedRunningRun(team)
      const [reader, deaf] = [await readStream(url, team, pathOf(runId)), await readStream(url, team, pathOf(runId))]
      deaf.pause()
      await logEvents(sql, runId, 200, 'x'.repeat(50_000))
      await reader.until(({ events }) => events.length === 200)
      stopping.context.lifecycle.draining = true
      assert.equal(await reader.ended, 'whole')
      assert.match(reader.comments.at(-1)!, /connect again/)
      const late = await readStream(url, team, pathOf(runId))
      assert.equal(await late.ended, 'whole')
      await stopping.close()
      deaf.resume()
      assert.equal(await deaf.ended, 'cut off')
    },
  )
})
