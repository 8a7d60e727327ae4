// Positions in a team's stream: nothing is passed over, a run keeps its order, and nobody writes for them.
import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { Client } from 'pg'
import { begin } from '../../test/kit/heldTransaction.ts'
import { logEvents, seedRunningRun } from '../../test/kit/followedRuns.ts'
import { testDatabase } from '../../test/kit/postgres.ts'
import { proves } from '../../test/kit/proves.ts'
import { seeders, seedTeam, type TestTeam } from '../../test/kit/seed.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { connectionSettings } from '../base/db.ts'
import { newId } from '../base/ids.ts'
import { alignEventClock } from './eventClock.ts'
import { oldestOpen, beginStream, positionText, readPosition, type Position } from './eventPositions.ts'
import { teamEvents } from './readEvents.ts'

const address = await testDatabase()
const service = await testApp({ address })
const { sql } = service.context.db
let team: TestTeam
beforeEach(async () => {
  team = await seedTeam(service)
  await seeders['agent']!(team, {})
})

interface Given {
  run_id: string
  sequence: number
}

/** Reads on from this position until at least so many events came: other work of the process may hold them back for a moment. */
async function readOn(after: Position, atLeast: number): Promise<{ given: Given[]; last: Position }> {
  const given: Given[] = []
  for (let last = after; ;) {
    const [batch] = await teamEvents(sql, [{ teamId: team.id, after: last }], (await oldestOpen(sql)).xid)
    if (batch!.events.length === 0) {
      if (given.length >= atLeast) return { given, last }
      continue
    }
    given.push(...batch!.events.map(({ text }) => (JSON.parse(text) as { data: Given }).data))
    last = batch!.events.at(-1)!.place
  }
}

const sequencesOf = (given: Given[], runId: string) =>
  given.filter(({ run_id }) => run_id === runId).map(({ sequence }) => sequence)

describe('positions', () => {
  proves('streams.runOrder', 'follow the sequence of a run, also where an older transaction writes later', async () => {
    const [runId, other] = [await seedRunningRun(team), await seedRunningRun(team)]
    const { after } = await beginStream(sql, team.id, undefined)
    // it has its number from here on
    const older = await begin(address)
    await logEvents(older.its, other)
    await logEvents(sql, runId, 2)
    await logEvents(older.its, runId, 2)
    assert.deepEqual((await readOn(after, 0)).given, [])
    await older.commit()
    const { given } = await readOn(after, 5)
    assert.deepEqual(sequencesOf(given, runId), [1, 2, 3, 4])
    assert.deepEqual(sequencesOf(given, other), [1])
  })

  proves('streams.backlog', 'lead through a backlog of thousands without a gap or a repetition', async () => {
    const runIds = [await seedRunningRun(team), await seedRunningRun(team), await seedRunningRun(team)]
    const { after } = await beginStream(sql, team.id, undefined)
    for (const runId of runIds) await logEvents(sql, runId, 1000)
    for (let n = 0; n < 20; n++) await logEvents(sql, runIds[n % 3]!)
    const { given, last } = await readOn(after, 3020)
    assert.equal(given.length, 3020)
    for (const runId of runIds) {
      const sequences = sequencesOf(given, runId)
      assert.deepEqual(
        sequences,
        [...sequences.keys()].map((index) => index + 1),
      )
    }
    assert.deepEqual((await readOn(last, 0)).given, [])
  })

  proves('streams.othersDoNotDelay', 'are not held back by transactions of another database', async () => {
    const elsewhere = await begin(await testDatabase())
    await elsewhere.its`create table kept_open (id int)`
    const { after } = await beginStream(sql, team.id, undefined)
    await logEvents(sql, await seedRunningRun(team))
    assert.equal((await readOn(after, 1)).given.length, 1)
    await elsewhere.commit()
  })

  test('do not count what was there when the stream began, although an older transaction is open', async () => {
    const [early, late] = [await seedRunningRun(team), await seedRunningRun(team)]
    const older = await begin(address)
    await logEvents(older.its, early)
    await logEvents(sql, late)
    const { after, had } = await beginStream(sql, team.id, undefined)
    assert.equal(had.size, 1)
    await older.commit()
    assert.equal((await readOn(after, 2)).given.length, 2)
  })

  test('of a time that the database was set back from lead to now, behind a gap', async () => {
    const { after, isGap } = await beginStream(sql, team.id, { xid: 900_000_000_000, last: 1, place: 0, id: newId() })
    assert.equal(isGap, true)
    await logEvents(sql, await seedRunningRun(team))
    assert.equal((await readOn(after, 1)).given.length, 1)
  })

  proves(
    'streams.movedDatabase',
    'rise also in a cluster that counts its transactions from a lower number',
    async () => {
      // a database of its own: others would see its numbers
      const moved = await testDatabase()
      const client = new Client(connectionSettings(moved))
      await client.connect()
      const app = await testApp({ address: moved })
      const its = await seedTeam(app)
      await seeders['agent']!(its, {})
      const runId = await seedRunningRun(its)
      await logEvents(app.context.db.sql, runId)
      await client.query('update event_batches set xid = xid + 1000000000000')
      await client.query('update runs set event_xid = event_xid + 1000000000000')
      await client.query(`update event_clock set cluster = 'another'`)
      await alignEventClock(app.context.db.sql)
      const { after } = await beginStream(app.context.db.sql, its.id, undefined)
      assert.ok(after.xid > 1_000_000_000_000)
      await logEvents(app.context.db.sql, runId)
      let events = 0
      while (events === 0) {
        const { xid: until } = await oldestOpen(app.context.db.sql)
        const [batch] = await teamEvents(app.context.db.sql, [{ teamId: its.id, after }], until)
        events = batch!.events.length
      }
      assert.equal(events, 1)
      const { rows } = await client.query('select base from event_clock')
      await alignEventClock(app.context.db.sql)
      assert.deepEqual((await client.query('select base from event_clock')).rows, rows, 'once in a move')
      await client.end()
    },
  )

  test('are read as they were written, and nothing else is one', () => {
    const position = { xid: 12, last: 3, place: 2, id: newId() }
    assert.deepEqual(readPosition(positionText(position)), position)
    for (const text of [
      '12',
      '12-3',
      `12-3-${newId()}`,
      `12-3-0-${newId()}x`,
      `-1-3-0-${newId()}`,
      `12-3-0-${newId().toUpperCase()}`,
    ])
      assert.equal(readPosition(text), undefined)
  })

  proves(
    'streams.insertCost',
    'make nothing dearer to write: what one change tells is one row in three indexes, written once',
    async () => {
      const indexes = await sql<{ name: string }>`
      select indexrelid::regclass::text as name from pg_index where indrelid = 'event_batches_before'::regclass order by 1`
      assert.deepEqual(
        indexes.map(({ name }) => name),
        ['event_batches_before_by_run', 'event_batches_before_by_xid', 'event_batches_before_pkey'],
      )
      const { after } = await beginStream(sql, team.id, undefined)
      await logEvents(sql, await seedRunningRun(team))
      const versions = () => sql`select xmin::text, xmax::text from event_batches where team_id = ${team.id}`
      const before = await versions()
      assert.equal((await readOn(after, 1)).given.length, 1)
      assert.deepEqual(await versions(), before)
    },
  )
})
