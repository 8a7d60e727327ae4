// Counts of cases are exact at every moment, whoever writes and folds at the same time.
import assert from 'node:assert/strict'
import { newId } from '../../../base/ids.ts'
import { isLongForm } from '../../../../test/kit/longForm.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { foldCounts } from './caseCounts.ts'
import { makeLabels } from '../labels/label.ts'
import type { MoveType } from '../cases/caseLifecycle.ts'
import { moveCases } from '../cases/moveCases.ts'
import { proves } from '../../../../test/kit/proves.ts'

const service = await testApp()
const { db } = service.context
const writers = 20
const rounds = isLongForm ? 25 : 10

/** In one statement and so at one moment: every count that is not what the tables say, of a kind and of which it is. */
const wrongCounts = () => db.sql`
  with told as (
    select 'queue' as what, queue_id as id, display_status || priority as kind, sum(cases) as cases from case_counts group by 2, 3
    union all select 'label', label_id, display_status || priority, sum(cases) from label_counts group by 2, 3
    union all select 'hour', queue_id, hour::text, sum(cases) from case_hours group by 2, 3
  ),
  counted as (
    select 'queue' as what, queue_id as id, display_status || priority as kind, count(*) as cases from cases group by 2, 3
    union all
    select 'label', l.label_id, c.display_status || c.priority, count(*) from case_labels l join cases c on c.id = l.case_id group by 2, 3
    union all select 'hour', queue_id, run_hour(created_at)::text, count(*) from cases group by 2, 3
  )
  select what, kind, told.cases as told, counted.cases as counted from told full join counted using (what, id, kind)
  where coalesce(told.cases, 0) <> coalesce(counted.cases, 0)`

interface Place {
  teamId: string
  memberId: string
  queueId: string
  labelIds: string[]
}

/** One change of many kinds to cases that others change too; a lost race changes nothing. */
async function write({ teamId, memberId, queueId, labelIds }: Place, n: number): Promise<void> {
  const types: MoveType[] = ['claimed', 'completed', 'released', 'failed']
  await db.transaction(async (sql) => {
    const id = newId()
    await sql`insert into cases (id, team_id, queue_id, title, data) values (${id}, ${teamId}, ${queueId}, 'Refund', '')`
    await sql`insert into case_labels (case_id, label_id, created_at) select id, ${labelIds[n % 3]}, created_at from cases where id = ${id}`
  })
  const some = await db.sql<{ id: string }>`
    select id from cases where queue_id = ${queueId} order by md5(id::text || ${n}) limit 3`
  const [one, two, three] = some.map(({ id }) => id)
  if (one) await moveCases(db.sql, [{ case_id: one, team_id: teamId, by: { user_id: memberId }, type: types[n % 4]! }])
  if (two && n % 3 === 0) await db.sql`delete from cases where id = ${two} and team_id = ${teamId}`
  if (three && n % 3 === 1)
    await db.sql`update cases set priority = ${n % 3} where id = ${three} and team_id = ${teamId}`
  if (three && n % 5 === 2) {
    // the case before its links, as whoever changes labels does
    await db.transaction(async (sql) => {
      await sql`select id from cases where id = ${three} for no key update`
      await sql`delete from case_labels where case_id = ${three}`
    })
  }
}

proves(
  'queues.counts',
  'counts by status, priority, label and hour are exact while twenty write and others fold',
  async () => {
    const team = await seedTeam(service)
    const queueId = newId()
    await db.sql`insert into queues (id, team_id, name) values (${queueId}, ${team.id}, 'Busy')`
    const names = ['a', 'b', 'c'].map((value) => ({ key: 'kind', value }))
    const labels = await makeLabels(db.sql, { teamId: team.id, queueId }, names)
    const place = { teamId: team.id, memberId: team.memberId, queueId, labelIds: labels.map(({ id }) => id) }
    const written = new AbortController()
    const folding = async () => {
      while (!written.signal.aborted) await foldCounts(db.sql)
    }
    const looking = async () => {
      while (!written.signal.aborted) assert.deepEqual(await wrongCounts(), [])
    }
    const writer = async (_: unknown, index: number) => {
      for (let round = 0; round < rounds; round++) await write(place, index * rounds + round)
    }
    const writing = Promise.all(Array.from({ length: writers }, writer)).finally(() => written.abort())
    await Promise.all([writing, folding(), folding(), looking()])

    assert.deepEqual(await wrongCounts(), [])
    await foldCounts(db.sql)
    assert.deepEqual(await wrongCounts(), [])
    const [rows] = await db.sql<{ counts: number; kinds: number }>`
    select count(*) as counts, count(distinct (display_status, priority)) as kinds from case_counts where queue_id = ${queueId}`
    assert.equal(rows!.counts, rows!.kinds)
    assert.ok(rows!.kinds > 1)
  },
)

proves(
  'queues.counts.grown',
  'counts that have come apart into twenty thousand pieces since their plan was made are folded',
  async () => {
    const queueIds = Array.from({ length: 2000 }, newId)
    await db.pool.query('analyze case_counts')
    // kept from the sixth time on
    for (let time = 0; time < 6; time++) await foldCounts(db.sql)
    await db.sql`
    insert into case_counts (queue_id, display_status, priority, cases)
    select queue_id, 'pending', 0, 1 from unnest(${queueIds}::uuid[]) as q (queue_id), generate_series(1, 10)`
    await foldCounts(db.sql)
    const [rows] = await db.sql<{ rows: number; least: number; most: number }>`
    select count(*) as rows, min(cases) as least, max(cases) as most from case_counts where queue_id = any(${queueIds}::uuid[])`
    assert.deepEqual(rows, { rows: 2000, least: 10, most: 10 })
  },
)
