// A team's stream: what is committed is given once, in an order that holds for every reader, and resumed for a day.
import assert from 'node:assert/strict'
import { before, beforeEach, describe } from 'node:test'
import { readStream, type StreamReader } from '../../../test/kit/eventStream.ts'
import { endRun, logEvents, seedRunningRun } from '../../../test/kit/followedRuns.ts'
import { begin } from '../../../test/kit/heldTransaction.ts'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

const address = await testDatabase()
const service = await testApp({ address })
const elsewhere = await testApp({ address })
const { db } = service.context
const { sql } = db
const path = '/v2/teams/:teamId/events'
let team: TestTeam
let baseUrl: string
let otherUrl: string

before(async () => {
  baseUrl = await service.listen()
  otherUrl = await elsewhere.listen()
})
beforeEach(async () => {
  team = await seedTeam(service)
  await seeders['agent']!(team, {})
})

const kindsOf = ({ events }: StreamReader) => events.map(({ event }) => event)
const told = ({ events }: StreamReader) => events.filter(({ event }) => event !== 'start' && event !== 'gap')
const sequencesOf = (reader: StreamReader) => told(reader).map(({ data }) => data.data.sequence as number)

/** A position as it would be if its reader had got it three days ago. */
function longAgo(position: string): string {
  const ms = (Date.now() - 3 * 86_400_000).toString(16).padStart(12, '0')
  return position.replace(
    /[0-9a-f]{8}-[0-9a-f]{4}(?=(-[0-9a-f]{4}){2}-[0-9a-f]{12}$)/,
    `${ms.slice(0, 8)}-${ms.slice(8)}`,
  )
}

async function writeThirty(runId: string): Promise<void> {
  for (let written = 0; written < 30; written += 2) await logEvents(sql, runId, 2)
}

describe('the stream of a team', () => {
  proves('streams.team', 'begins now, and then gives every event of the team and of no other', async () => {
    const stranger = await seedTeam(service)
    await seeders['agent']!(stranger, {})
    const before_ = await seedRunningRun(team)
    await logEvents(sql, before_, 2)
    const reader = await readStream(baseUrl, team, path)
    await logEvents(sql, await seedRunningRun(stranger), 2)
    const runId = await seedRunningRun(team)
    await logEvents(sql, runId, 2)
    await reader.until(({ events }) => events.length === 3)
    assert.deepEqual(kindsOf(reader), ['start', 'run.file.created', 'run.file.created'])
    for (const { data } of told(reader)) assert.equal(data.data.run_id, runId)
    assert.deepEqual(sequencesOf(reader), [1, 2])
  })

  proves('events.scopes', 'gives a credential only the kinds whose noun it may read', async () => {
    const { body } = await team.call('POST /v2/teams/:teamId/api-keys', { body: { scopes: ['runs:read'] } })
    const queue = await team.call('POST /v2/teams/:teamId/queues', { body: { name: 'Claims' } })
    const narrow = await readStream(baseUrl, team, path, { key: body.secret })
    const whole = await readStream(baseUrl, team, path)
    const created = { cases: [{ title: 'Claim', data: 'a secret of a customer' }] }
    await team.call(`POST /v2/queues/${queue.body.queue_id}/cases`, { body: created })
    const runId = await seedRunningRun(team)
    await logEvents(sql, runId)
    await endRun(service.context.db, runId)
    await whole.until((its) => kindsOf(its).includes('run.completed'))
    assert.deepEqual(kindsOf(whole), ['start', 'queue.case.created', 'run.file.created', 'run.completed'])
    await narrow.until((its) => kindsOf(its).includes('run.completed'))
    assert.deepEqual(kindsOf(narrow), ['start', 'run.completed'])
    assert.ok(!narrow.text().includes('a secret of a customer'))
    const ofRun = await readStream(baseUrl, team, `/v2/runs/${runId}/events`, { key: body.secret })
    await ofRun.ended
    assert.deepEqual(kindsOf(ofRun), ['run.completed', 'end'])
    const wanted = await team.call('GET /v2/teams/:teamId/events?events=queue.case.created', { key: body.secret })
    assert.equal(wanted.body.error, 'insufficient_scope')
    assert.match(wanted.body.message, /queues:read/)
  })

  proves('streams.commitOrder', 'does not lose an event that was made earlier and committed later', async () => {
    const [early, late] = [await seedRunningRun(team), await seedRunningRun(team)]
    const reader = await readStream(baseUrl, team, path)
    const first = await begin(address)
    await logEvents(first.its, early)
    await logEvents(sql, late)
    // begun later, and nobody waits for it: whoever could read the later event has looked by then
    const shown = await readStream(baseUrl, team, `/v2/runs/${late}/events`)
    await shown.until(({ events }) => events.length === 1)
    assert.deepEqual(told(reader), [])
    await first.commit()
    await reader.until((its) => told(its).length === 2)
    assert.deepEqual(
      told(reader).map(({ data }) => data.data.run_id),
      [early, late],
    )
  })

  proves(
    'streams.teamRestart',
    'loses and doubles nothing over restarts, with events from everywhere and commits out of order',
    async () => {
      const runIds = [await seedRunningRun(team), await seedRunningRun(team), await seedRunningRun(team)]
      let reader = await readStream(otherUrl, team, path)
      const held = await begin(address)
      await logEvents(held.its, runIds[0]!)
      const writers: Promise<void>[] = []
      const all: { id: string | undefined; key: string }[] = []
      const take = (from: StreamReader) => {
        for (const { id, data } of told(from)) all.push({ id, key: `${data.data.run_id} ${data.data.sequence}` })
      }
      for (const url of [baseUrl, otherUrl, baseUrl]) {
        writers.push(...runIds.slice(1).map(writeThirty))
        // what is written beside an older transaction comes when that has ended
        if (url === otherUrl) await held.commit()
        if (url !== baseUrl || writers.length > 2) await reader.until((its) => told(its).length >= 15)
        reader.leave()
        await reader.ended
        take(reader)
        reader = await readStream(url, team, path, { lastEventId: reader.lastEventId() })
      }
      await Promise.all(writers)
      await reader.until((its) => all.length + told(its).length >= 181)
      take(reader)
      assert.equal(all.length, 181)
      assert.equal(new Set(all.map(({ key }) => key)).size, 181)
      for (const runId of runIds) {
        const sequences = all.filter(({ key }) => key.startsWith(runId)).map(({ key }) => Number(key.split(' ')[1]))
        assert.deepEqual(
          sequences,
          [...sequences.keys()].map((index) => index + 1),
          'each run in its own order',
        )
      }
      assert.equal(new Set(all.map(({ id }) => id)).size, 181)
    },
  )

  proves(
    'streams.beforeFirst',
    'is resumed at its beginning by a reader who was cut off before the first event',
    async () => {
      const reader = await readStream(baseUrl, team, path)
      await reader.until(({ events }) => events.length === 1)
      reader.leave()
      await reader.ended
      await logEvents(sql, await seedRunningRun(team), 3)
      const again = await readStream(baseUrl, team, path, { lastEventId: reader.lastEventId() })
      await again.until((its) => told(its).length === 3)
      assert.deepEqual(kindsOf(again)[0], 'start')
    },
  )

  proves('streams.othersDoNotDelay', 'is not held back by a transaction of another database', async () => {
    const reader = await readStream(baseUrl, team, path)
    const foreign = await begin(await testDatabase())
    await foreign.its`create table kept_open (id int)`
    const runId = await seedRunningRun(team)
    for (let written = 0; written < 3; written++) {
      await logEvents(sql, runId)
      await reader.until((its) => told(its).length === written + 1)
    }
    await foreign.commit()
    assert.deepEqual(sequencesOf(reader), [1, 2, 3])
  })

  proves('streams.kinds', 'gives only the kinds that were asked for, and refuses an unknown one', async () => {
    const runId = await seedRunningRun(team)
    const reader = await readStream(baseUrl, team, `${path}?events=run.completed,run.failed`)
    await logEvents(sql, runId, 3)
    await endRun(db, runId)
    await reader.until((its) => told(its).length === 1)
    assert.deepEqual(kindsOf(reader), ['start', 'run.completed'])
    for (const events of ['run.finished', 'run.completed,', ',', 'run.completed;run.failed', 'RUN.COMPLETED']) {
      const { status, body } = await team.call(`GET ${path}?events=${events}`)
      assert.equal(status, 400, events)
      assert.match(body.message, /events/)
    }
  })

  proves(
    'streams.kept',
    'says so when what followed Last-Event-ID is kept no more, and continues with the oldest that is',
    async () => {
      const runId = await seedRunningRun(team)
      const reader = await readStream(baseUrl, team, path)
      for (let n = 0; n < 4; n++) await logEvents(sql, runId)
      await reader.until((its) => told(its).length === 4)
      const lastEventId = longAgo(reader.events[0]!.id!)
      reader.leave()
      await reader.ended
      await sql`
      update event_batches set created_at = created_at - interval '25 hours'
      where team_id = ${team.id} and run_id = ${runId} and last <= 3`
      const behind = await readStream(baseUrl, team, path, { lastEventId })
      await behind.until((its) => told(its).length === 1)
      assert.equal(kindsOf(behind)[0], 'gap')
      assert.deepEqual(sequencesOf(behind), [4])
      const current = await readStream(baseUrl, team, path, { lastEventId: behind.lastEventId() })
      await current.until(({ events }) => events.length === 1)
      assert.equal(kindsOf(current)[0], 'start')
    },
  )

  proves('streams.newLine', 'gives a reader who comes back after days the last day, behind a gap', async () => {
    const runId = await seedRunningRun(team)
    const reader = await readStream(baseUrl, team, path)
    await logEvents(sql, runId, 1)
    await reader.until((its) => told(its).length === 1)
    reader.leave()
    await reader.ended
    for (let n = 0; n < 3; n++) await logEvents(sql, runId)
    await sql`
      update event_batches set created_at = created_at - interval '3 days' where run_id = ${runId} and last <= 2`
    const back = await readStream(baseUrl, team, path, { lastEventId: longAgo(reader.lastEventId()!) })
    await back.until((its) => told(its).length === 2)
    assert.equal(kindsOf(back)[0], 'gap')
    assert.deepEqual(sequencesOf(back), [3, 4])
  })

  proves('streams.upgrade', 'takes the whole numbers that were its ids before, and refuses anything else', async () => {
    const runId = await seedRunningRun(team)
    await logEvents(sql, runId)
    await logEvents(sql, runId)
    await sql`update event_batches set xid = 0 where run_id = ${runId} and last = 1`
    const back = await readStream(baseUrl, team, path, { lastEventId: '4711' })
    await back.until((its) => told(its).length === 1)
    assert.equal(kindsOf(back)[0], 'gap')
    assert.deepEqual(sequencesOf(back), [2])
    for (const id of ['x', '1-2', '4711-1-0-not-an-id']) {
      const { status, body } = await team.call(`GET ${path}`, { headers: { 'last-event-id': id } })
      assert.deepEqual([status, body.error], [400, 'invalid_request'])
    }
  })
})
