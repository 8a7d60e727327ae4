// Positions: each event one, in an order that agrees with its run's, however many give them and however many are due.
import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { newId } from '../base/ids.ts'
import { seedTeam, type TestTeam } from '../../test/kit/seed.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { givePositions, openLine } from './eventPositions.ts'
import { proves } from '../../test/kit/proves.ts'

const service = await testApp()
const { db } = service.context
const { sql } = db
let team: TestTeam
beforeEach(async () => {
  team = await seedTeam(service)
})

interface Placed {
  run_id: string
  sequence: number
  position: number | null
}

const read = () => sql<Placed>`
  select run_id, sequence, position from events where team_id = ${team.id} order by position, run_id, sequence`

/** Events of so many runs, written second by second; each `seconds` long ago at least. */
async function write(runs: number, eventsEach: number, seconds: number): Promise<void> {
  const runIds = Array.from({ length: runs }, newId)
  await sql`
    insert into events (id, team_id, run_id, sequence, event, data, created_at)
    select gen_random_uuid(), ${team.id}, run_id, n, 'run.file.created', '{}', now() - make_interval(secs => ${seconds} + (${eventsEach}::int - n))
    from unnest(${runIds}::uuid[]) run_id, generate_series(1, ${eventsEach}::int) n`
}

function requireOrder(events: Placed[]): void {
  const last = new Map<string, number>()
  for (const { run_id, sequence, position } of events) {
    assert.ok(position !== null)
    assert.equal(sequence, (last.get(run_id) ?? 0) + 1)
    last.set(run_id, sequence)
  }
  assert.equal(new Set(events.map(({ position }) => position)).size, events.length)
}

describe('positions', () => {
  test('are not given to what happened before the team’s first stream', async () => {
    await write(2, 5, 3600)
    await openLine(db, team.id, undefined)
    await givePositions(db, [team.id])
    assert.deepEqual(
      (await read()).map(({ position }) => position),
      Array(10).fill(null),
    )
    await write(1, 1, 0)
    await givePositions(db, [team.id])
    assert.equal((await read()).filter(({ position }) => position !== null).length, 1)
  })

  proves(
    'streams.runOrder',
    'follow the sequence of a run, also where a later event began its transaction earlier',
    async () => {
      await openLine(db, team.id, undefined)
      const runId = newId()
      for (const [sequence, secondsAgo] of [
        [1, 30],
        [2, 5],
        [3, 20],
        [4, 10],
      ]) {
        await sql`
        insert into events (id, team_id, run_id, sequence, event, data, created_at) values (${newId()}, ${team.id}, ${runId},
          ${sequence}, 'run.file.created', '{}', now() - make_interval(secs => ${secondsAgo}))`
      }
      await givePositions(db, [team.id])
      const events = await read()
      assert.equal(events.length, 4)
      requireOrder(events)
    },
  )

  test('are given once when several processes give them at the same time', async () => {
    await openLine(db, team.id, undefined)
    await write(5, 50, 0)
    await Promise.all(Array.from({ length: 8 }, () => givePositions(db, [team.id])))
    await givePositions(db, [team.id])
    requireOrder(await read())
  })

  proves('streams.backlog', 'are given in order to a backlog of many thousands, in batches', async () => {
    // a line that was read a while ago, so that what came since is due
    await openLine(db, team.id, undefined)
    await sql`update event_lines set since = now() - interval '20 hours' where team_id = ${team.id}`
    await write(12, 1000, 10)
    let rounds = 1
    while (await givePositions(db, [team.id])) rounds += 1
    const events = await read()
    assert.equal(events.length, 12_000)
    assert.ok(rounds >= 2, `in ${rounds} rounds`)
    requireOrder(events)
  })

  test('are all given before a stream begins now', async () => {
    await openLine(db, team.id, undefined)
    await sql`update event_lines set since = now() - interval '20 hours' where team_id = ${team.id}`
    await write(11, 1000, 0)
    const { after, isGap } = await openLine(db, team.id, undefined)
    assert.equal(isGap, false)
    const events = await read()
    assert.equal(events.length, 11_000)
    requireOrder(events)
    assert.ok(events.every(({ position }) => position! <= after))
  })

  proves(
    'streams.insertCost',
    'make no event dearer to write: it enters three indexes, whether its team is read or not',
    async () => {
      const indexes = await sql<{ name: string; partial: string | null }>`
      select indexrelid::regclass::text as name, pg_get_expr(indpred, indrelid) as partial
      from pg_index where indrelid = 'events'::regclass order by 1`
      const entered = indexes
        .filter(({ partial }) => partial === null || /IS NULL/.test(partial))
        .map(({ name }) => name)
      assert.deepEqual(entered, ['events_pkey', 'events_run_id_sequence_key', 'events_without_position'])
    },
  )
})
