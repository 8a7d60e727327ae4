// What the look of the open streams asks four times a second goes by indexes, however large the tables are.
import assert from 'node:assert/strict'
import { seedTeam } from '../../test/kit/seed.ts'
import { testApp } from '../../test/kit/testApp.ts'
import type { Sql } from '../base/db.ts'
import { flatten } from '../base/sql.ts'
import { newId } from '../base/ids.ts'
import { oldestOpen } from './eventPositions.ts'
import * as read from './readEvents.ts'
import { proves } from '../../test/kit/proves.ts'

const service = await testApp()
const { db } = service.context
const team = await seedTeam(service)

/** Runs a statement and keeps the plan that any values of it would get. */
function explained(plans: string[], sql: Sql): Sql {
  return async <Row extends object>(strings: TemplateStringsArray, ...values: unknown[]) => {
    const { text } = flatten(strings, values).statement
    const { rows } = await db.pool.query<Record<string, string>>(`explain (generic_plan) ${text}`)
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
    return sql<Row>(strings, ...values)
  }
}

proves('streams.plans', 'new events are found and read by index', async () => {
  await db.sql`
    insert into event_batches (id, team_id, run_id, last, kinds, entries, created_at)
    select gen_random_uuid(), ${team.id}, md5(run::text)::uuid, n, 'w', '[{}]', now() - random() * interval '10 hours'
    from generate_series(1, 1000) run, generate_series(1, 20) n`
  await db.sql`
    insert into runs (id, team_id, agent_id, build_id, run_number, source, title, status, event_seq)
    select md5(run::text)::uuid, ${team.id}, ${team.id}, ${team.id}, run, 'api', 'Followed', 'running', 20
    from generate_series(1, 1000) run`
  await db.sql`analyze event_batches, runs`

  const plans: string[] = []
  const sql = explained(plans, db.sql)
  const [run] = await db.sql<{ id: string }>`select id from runs limit 1`
  const groups = [{ teamId: team.id, runId: run!.id, after: 3 }]
  assert.equal((await read.runsThatMoved(sql, groups)).length, 1)
  assert.equal((await read.runEvents(sql, groups))[0]!.events.length, 17)
  const { xid: until } = await oldestOpen(db.sql)
  const inTeam = [{ teamId: team.id, after: { xid: 1, last: 0, place: 0, id: newId() } }]
  assert.equal((await read.teamsThatMoved(sql, inTeam, until)).length, 1)
  const { events } = (await read.teamEvents(sql, inTeam, until))[0]!
  assert.equal(events.length, 100)
  // the cheap look is held back by transactions of other databases, so it may see less: the beginning of the same
  const surely = (await read.surelyTeamEvents(sql, inTeam)).batches[0]?.events ?? []
  assert.deepEqual(surely, events.slice(0, surely.length))
  assert.equal(plans.length, 5)
  assert.deepEqual(
    plans.filter((plan) => /Seq Scan on (event_batches_before|runs)/.test(plan)),
    [],
  )
  const ofRun = plans[1]!
  assert.ok(!ofRun.includes('by_xid'), 'a run is not looked for among all batches of its team')
})
