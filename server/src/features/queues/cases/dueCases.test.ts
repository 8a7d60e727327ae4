// Queues with more due cases than are looked at: which come first, also while others have locked some, and how they are found.
import assert from 'node:assert/strict'
import { seedQueue, seedWorker } from '../../../../test/kit/cases.ts'
import { plansOn } from '../../../../test/kit/plans.ts'
import { proves } from '../../../../test/kit/proves.ts'
import { seedTeam, type TestTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import type { Sql } from '../../../base/db.ts'
import type { Context } from '../../../kit/context.ts'
import { dispatchQueue } from '../dispatch/dispatch.ts'
import { nextFreeCase } from './freeCase.ts'

const service = await testApp()
const { context } = service
const { db } = context

/** A queue that gives out three cases at once, and has as many due ones. The first one is due longest, and the 90th and the 180th raise the priority. */
async function seedDue(team: TestTeam, count: number): Promise<{ queueId: string; ids: string[] }> {
  const queueId = await seedQueue(team, 3)
  await seedWorker(team, queueId)
  const rows = await team.sql<{ id: string }>`
    insert into cases (id, team_id, queue_id, title, data, display_status, postponed_to, priority, created_at)
    select new_id(), ${team.id}, ${queueId}, 'Postponed', '', 'postponed', now() - interval '1 day' + n * interval '1 s', least(n / 90, 2),
      now() - interval '2 days' + n * interval '1 s'
    from generate_series(1, ${count}::int) n returning id`
  return { queueId, ids: rows.map(({ id }) => id) }
}

/** In a transaction that is undone. */
async function undone<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
  let result: T | undefined
  const end = new Error('undone')
  await assert.rejects(
    db.transaction(async (sql) => {
      result = await work(sql)
      throw end
    }),
    end,
  )
  return result!
}

/** The service, but for its transactions, which are all this one. */
const within = (sql: Sql): Context => ({ ...context, db: { ...db, transaction: (work) => work(sql) } })

/** Which cases are in progress after one dispatch, in the order of their runs. */
async function dispatched(sql: Sql, queueId: string): Promise<string[]> {
  await dispatchQueue(within(sql), queueId)
  const rows = await sql<{ id: string }>`
    select c.id from cases c join runs r on r.id = c.claimed_by_run_id where c.queue_id = ${queueId} order by r.run_number`
  return rows.map(({ id }) => id)
}

proves('cases.order', 'among the hundred cases that are due longest the higher priority comes first', async () => {
  const team = await seedTeam(service)
  const { queueId, ids } = await seedDue(team, 300)
  assert.deepEqual(await undone((sql) => dispatched(sql, queueId)), ids.slice(89, 92))
  const claimed = await undone((sql) => nextFreeCase(sql, team.id, queueId))
  assert.equal(claimed?.id, ids[89])
})

proves(
  'cases.order',
  'where others have locked the cases that are due longest, the ones behind come next',
  async () => {
    const team = await seedTeam(service)
    const { queueId, ids } = await seedDue(team, 104)
    const locked = ids.slice(0, 102).filter((id) => id !== ids[5])
    await undone(async (holder) => {
      await holder`select from cases where id = any(${locked}::uuid[]) and team_id = ${team.id} for update`
      assert.deepEqual(await undone((sql) => dispatched(sql, queueId)), [ids[5], ids[102], ids[103]])
      await holder`select from cases where id = ${ids[5]} and team_id = ${team.id} for update`
      assert.equal((await undone((sql) => nextFreeCase(sql, team.id, queueId)))?.id, ids[102])
    })
  },
)

proves('cases.orderPlans', 'a dispatch goes by an index of the queue, and sorts no more than it looks at', async () => {
  const team = await seedTeam(service)
  const { queueId } = await seedDue(team, 5000)
  await db.pool.query('analyze cases')
  const plansOf = await plansOn(db)
  const plans = await plansOf((sql) => dispatchQueue(within(sql), queueId))
  for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan on cases\b/, plan)
  const plan = plans.find((one) => one.includes('looked_at'))
  assert.match(plan!, /Limit\n +-> {2}Index Scan using cases_postponed/, plan)
  assert.doesNotMatch(plan!, /Sort\n.*\n +-> {2}Index Scan using cases_postponed/, plan)
})
