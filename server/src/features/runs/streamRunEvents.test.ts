// A run's stream: everything from the first event to the last, once and in order, whatever happens to process and reader.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { envelopeOf, type EventName } from '../../kit/event.ts'
import { validatorOf } from '../../kit/validate.ts'
import { readStream, type StreamReader } from '../../../test/kit/eventStream.ts'
import { endRun, logEvents, seedRunningRun } from '../../../test/kit/followedRuns.ts'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { proves } from '../../../test/kit/proves.ts'

const address = await testDatabase()
const service = await testApp({ address })
const { db } = service.context
const { sql } = db
const team = await seedTeam(service)
const baseUrl = await service.listen()
before(() => seeders['agent']!(team, {}))

const pathOf = (runId: string) => `/v2/runs/${runId}/events`
const idsOf = ({ events }: StreamReader) => events.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]))
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe('the stream of a run', () => {
  proves(
    'streams.run',
    'gives its events from the first on, new ones as they come, and ends behind the last',
    async () => {
      const runId = await seedRunningRun(team)
      await logEvents(sql, runId, 3)
      const reader = await readStream(baseUrl, team, pathOf(runId))
      await reader.until(({ events }) => events.length === 3)
      await logEvents(sql, runId, 2)
      await reader.until(({ events }) => events.length === 5)
      await endRun(db, runId)
      assert.equal(await reader.ended, 'whole')
      assert.deepEqual(idsOf(reader), upTo(6))
      assert.ok(reader.text().startsWith('retry: 1000\n\n'))
      const last = reader.events.at(-1)!
      assert.deepEqual([last.id, last.event, last.data], [undefined, 'end', { run_id: runId, status: 'completed' }])
    },
  )

  proves(
    'streams.envelope',
    'carries each event in the envelope of webhooks, whose id is the event’s own',
    async () => {
      const runId = await seedRunningRun(team)
      await logEvents(sql, runId, 2, 'a line\nand another')
      await endRun(db, runId)
      const reader = await readStream(baseUrl, team, pathOf(runId))
      await reader.ended
      assert.equal(reader.events.length, 4)
      for (const { id, event, data } of reader.events.slice(0, -1)) {
        const isEnvelope = validatorOf(envelopeOf(event as EventName).schema).Check(data as unknown)
        assert.ok(isEnvelope, JSON.stringify(data))
        assert.equal(data.event, event)
        assert.equal(data.id, data.data.event_id)
        assert.equal(String(data.data.sequence), id)
      }
      assert.equal(reader.events[0]!.data.data.path, 'a line\nand another')
    },
  )

  proves('streams.headers', 'has headers that make proxies pass it on as it comes, and a request id', async () => {
    const runId = await seedRunningRun(team)
    const { headers } = await readStream(baseUrl, team, pathOf(runId))
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-accel-buffering'], 'no')
    assert.match(headers['x-request-id'] as string, /^[0-9a-f-]{36}$/)
  })

  proves('streams.lastEventId', 'continues behind Last-Event-ID, and refuses one that is not a number', async () => {
    const runId = await seedRunningRun(team)
    await logEvents(sql, runId, 5)
    const reader = await readStream(baseUrl, team, pathOf(runId), { lastEventId: 3 })
    await reader.until(({ events }) => events.length === 2)
    assert.deepEqual(idsOf(reader), [4, 5])
    const beyond = await readStream(baseUrl, team, pathOf(runId), { lastEventId: 999 })
    await logEvents(sql, runId)
    await beyond.until(({ events }) => events.length === 1)
    assert.deepEqual(idsOf(beyond), [6])
    for (const lastEventId of ['x', '-1', '1.5', '1, 2', '0x1', '9'.repeat(16)]) {
      const { status, body } = await team.call(`GET ${pathOf(runId)}`, { headers: { 'last-event-id': lastEventId } })
      assert.equal(status, 400, lastEventId)
      assert.match(body.message, /Last-Event-ID/)
    }
  })

  proves('streams.again', 'streams again when a message has started the run again', async () => {
    const runId = await seeders['run']!(team, {})
    const first = await readStream(baseUrl, team, pathOf(runId))
    await first.ended
    assert.equal(first.events.at(-1)!.event, 'end')
    const { status } = await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'Once more' } })
    assert.equal(status, 201)
    const second = await readStream(baseUrl, team, pathOf(runId), { lastEventId: first.lastEventId() })
    await second.until(({ events }) => events.length === 1)
    assert.equal(second.events[0]!.data.data.message.text_content, 'Once more')
    assert.equal(Number(second.events[0]!.id), Number(first.lastEventId()) + 1)
  })

  test('ends when the run is deleted, and skips what is kept no more', async () => {
    const runId = await seedRunningRun(team)
    for (let n = 0; n < 4; n++) await logEvents(sql, runId)
    await sql`delete from event_batches where run_id = ${runId} and last <> 3`
    const reader = await readStream(baseUrl, team, pathOf(runId))
    await reader.until(({ events }) => events.length === 1)
    await sql`delete from event_batches where run_id = ${runId}`
    await logEvents(sql, runId)
    await reader.until(({ events }) => events.length === 2)
    assert.deepEqual(idsOf(reader), [3, 5])
    await sql`delete from runs where id = ${runId}`
    await reader.ended
    assert.deepEqual(reader.events.at(-1)!.data, { run_id: runId, status: null })
  })

  proves(
    'streams.restart',
    'loses and doubles nothing when its process goes and another takes over, while events are written',
    async () => {
      const runId = await seedRunningRun(team)
      const total = 300
      const writer = (async () => {
        for (let written = 0; written < total; written += 3) await logEvents(sql, runId, 3)
        await endRun(db, runId)
      })()
      const seen: number[] = []
      for (let round = 1; ; round++) {
        const process = await testApp({ address })
        const reader = await readStream(await process.listen(), team, pathOf(runId), { lastEventId: seen.at(-1) })
        await reader.until(({ events }) => events.length >= 40 || events.some(({ event }) => event === 'end'))
        // the process says goodbye in the middle of it
        const [, outcome] = await Promise.all([process.close(), reader.ended])
        seen.push(...idsOf(reader))
        assert.equal(outcome, 'whole')
        if (reader.events.at(-1)?.event === 'end') break
        assert.ok(round < 50)
      }
      await writer
      assert.deepEqual(seen, upTo(total + 1))
    },
  )

  proves('streams.many', 'serves three hundred readers of one process, each all of its events in order', async () => {
    const runIds = await Promise.all(Array.from({ length: 100 }, () => seedRunningRun(team)))
    const readers = await Promise.all(
      Array.from({ length: 300 }, (_, index) => readStream(baseUrl, team, pathOf(runIds[index % 100]!))),
    )
    const gauge = await (await fetch(`${baseUrl}/metrics`)).text()
    assert.match(gauge, /runyard_open_streams\{operation="streamRunEvents"\} 3\d\d/)
    for (let round = 0; round < 2; round++) await Promise.all(runIds.map((runId) => logEvents(sql, runId, 5)))
    await Promise.all(runIds.map((runId) => endRun(db, runId)))
    await Promise.all(readers.map(({ ended }) => ended))
    for (const reader of readers) assert.deepEqual(idsOf(reader), upTo(11))
  })
})
