// Totals while everything moves: whoever changes runs, and whenever the changes are folded, the counts are those of the rows.
import assert from 'node:assert/strict'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { seedRuns } from '../../../test/kit/seedRuns.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { part, type Part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { countedAs, foldRunCounts } from '../../engine/counting/runCounts.ts'
import { filterOf, type RunFilter } from './runFilter.ts'
import { readRuns, sorts } from './runPages.ts'
import { totalsOf } from './runTotals.ts'
import { spansOf } from '../../engine/counting/timeSpans.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { db } = service.context

interface Seeded {
  team: TestTeam
  agentIds: string[]
  users: string[]
}

async function seeded(runs: number): Promise<Seeded> {
  const team = await seedTeam(service)
  const agentIds = await Promise.all([1, 2].map(() => seeders['agent']!(team, {})))
  const users = [newId(), newId()]
  const agents = agentIds.map((id) => ({ id, buildId: newId() }))
  await seedRuns(db.sql, { teamId: team.id, agents, users, queues: [newId()], runs, days: 2 })
  return { team, agentIds, users }
}

/** Moves runs one step along the table of states, at random; some get an evaluation, a few are deleted, a few are new. */
async function moveSome(teamId: string, agentId: string, share: number): Promise<void> {
  await db.sql`
    update runs set
      status = case status when 'pending' then 'running' when 'running' then (array['waiting', 'completed', 'failed'])[1 + floor(random() * 3)]
        when 'waiting' then 'running' else 'pending' end,
      waiting_on = case when status = 'running' and random() < 0.5 then '{"kind": "human"}'::jsonb end,
      eval_summary = case when random() < 0.3 then '{"passed": 1, "total": 2, "severity_counts": {"low": 1}}'::jsonb else eval_summary end
    where id in (select id from runs where team_id = ${teamId} and random() < ${share} for update skip locked)`
  await db.sql`
    delete from runs where id in (
      select id from runs where team_id = ${teamId} and status = 'completed' and random() < ${share / 20} for update skip locked)`
  await db.sql`
    insert into runs (id, team_id, agent_id, build_id, run_number, source, title, status)
    select gen_random_uuid(), ${teamId}, ${agentId}, ${newId()}, nextval('run_numbers'), 'mcp', 'New', 'pending' from generate_series(1, 3)`
}

function filtersOf({ team, agentIds, users }: Seeded): RunFilter[] {
  const since = new Date(Date.now() - 30 * 3_600_000).toISOString()
  const queries: Parameters<typeof filterOf>[1][] = [
    {},
    ...countedAs.map((status) => ({ status })),
    ...agentIds.map((agent_id) => ({ agent_id })),
    { agent_id: agentIds[0]!, status: 'completed,failed' },
    { since },
    { since, agent_id: agentIds[0]!, status: 'running' },
    { user_id: users[0]! },
    { source: 'mcp', since },
    { has_issues: true },
    { status: 'waiting', has_issues: false },
  ]
  return queries.map((query) => filterOf({ team_id: team.id, member_id: team.memberId }, query)!)
}

async function requireExact(made: Seeded): Promise<void> {
  for (const filter of filtersOf(made)) {
    const { total } = await totalsOf(db.sql, filter)
    const [counted] = await db.sql<{ total: number }>`
      select count(*) as total from runs r where team_id = ${made.team.id}
        and (${filter.agentId}::uuid is null or agent_id = ${filter.agentId}::uuid)
        and (${filter.userId}::uuid is null or user_id = ${filter.userId}::uuid)
        and (${filter.source}::text is null or source = ${filter.source}::text)
        and (${filter.statuses}::text[] is null or counted_as = any(${filter.statuses}::text[]))
        and (${filter.issues}::int[] is null or issues = any(${filter.issues}::int[]))
        and (${filter.since}::timestamptz is null or created_at >= ${filter.since}::timestamptz)`
    assert.equal(total, counted!.total, JSON.stringify(filter))
  }
}

proves('runs.counts', 'totals are those of the rows after any moves, before and after they are folded', async () => {
  const made = await seeded(400)
  await requireExact(made)
  for (let round = 1; round <= 6; round++) {
    await moveSome(made.team.id, made.agentIds[0]!, 0.3)
    if (round % 2) await foldRunCounts(db)
    await requireExact(made)
  }
  await foldRunCounts(db)
  await requireExact(made)
  const [left] = await db.sql<{ deltas: number; empty: number }>`
    select (select count(*) from run_count_deltas where team_id = ${made.team.id}) as deltas,
      (select count(*) from run_counts where team_id = ${made.team.id} and runs = 0)
      + (select count(*) from run_origin_counts where team_id = ${made.team.id} and runs = 0) as empty`
  assert.deepEqual(left, { deltas: 0, empty: 0 })
})

proves(
  'runs.countsTogether',
  'several movers, folders and readers at once leave nothing out and count nothing twice',
  async () => {
    const made = await seeded(300)
    const whole = filterOf(
      { team_id: made.team.id, member_id: made.team.memberId },
      { since: '2020-01-01T00:00:00Z', until: '2099-01-01T00:00:00Z' },
    )!
    const move = async () => {
      for (let round = 0; round < 8; round++) {
        await db.sql`
        update runs set status = case status when 'pending' then 'running' when 'running' then 'completed' when 'waiting' then 'running'
          else 'pending' end, waiting_on = null
        where id in (select id from runs where team_id = ${made.team.id} and random() < 0.2 for update skip locked)`
      }
    }
    const moving = new AbortController()
    const fold = async () => {
      while (!moving.signal.aborted) await foldRunCounts(db)
    }
    const read = async () => {
      // nothing is made or deleted here, so at every single moment there are exactly 300
      while (!moving.signal.aborted) assert.equal((await totalsOf(db.sql, whole)).total, 300)
    }
    const others = [fold(), fold(), read(), read()]
    await Promise.all([move(), move(), move()]).finally(() => moving.abort())
    await Promise.all(others)
    await requireExact(made)
    await foldRunCounts(db)
    await requireExact(made)
  },
)

/** Three runs of a member in the last hour, and one of two days ago; all of them completed. */
async function seedFour(): Promise<{ team: TestTeam; filter: RunFilter }> {
  const team = await seedTeam(service)
  const [agentId, user] = [await seeders['agent']!(team, {}), newId()]
  await db.sql`
    insert into runs (id, team_id, agent_id, build_id, run_number, source, title, status, user_id, created_at, completed_at)
    select gen_random_uuid(), ${team.id}, ${agentId}, ${newId()}, nextval('run_numbers'), 'api', 'Moves', 'completed', ${user},
      now() - make_interval(hours => case when n = 1 then 48 else 0 end), now() from generate_series(1, 4) n`
  const query = { agent_id: agentId, user_id: user }
  return { team, filter: filterOf({ team_id: team.id, member_id: team.memberId }, query)! }
}

const moveOn = (which: Part) => db.sql`
  update runs set status = case status when 'completed' then 'pending' when 'pending' then 'running' else 'completed' end,
    completed_at = case when status = 'running' then now() end where ${which}`

proves('runs.countsTogether', 'a run that moves on between a total and its page is on the page', async () => {
  const { team, filter } = await seedFour()
  for (const sort_by of sorts) {
    const totals = await totalsOf(db.sql, filter)
    assert.equal(totals.total, 4)
    await moveOn(part`team_id = ${team.id}`)
    const page = await readRuns(db.sql, filter, totals, { sort_by, sort_order: 'desc', limit: 20, offset: 0 })
    assert.equal(page.length, 4, sort_by)
  }
})

proves('runs.countsTogether', 'a total of some time is that of one moment while older runs move', async () => {
  const { team, filter } = await seedFour()
  const since = new Date(Date.now() - 24 * 3_600_000)
  let statements = 0
  const moving: Sql = async <Row extends object>(strings: TemplateStringsArray, ...values: unknown[]) => {
    const rows = await db.sql<Row>(strings, ...values)
    statements += 1
    await moveOn(part`team_id = ${team.id} and created_at < ${since}`)
    return rows
  }
  const { total, share } = await totalsOf(moving, { ...filter, statuses: ['completed'], since })
  assert.deepEqual([total, share, statements], [3, 0.75, 3])
})

proves('runs.countsUndone', 'a change that is rolled back is not counted', async () => {
  const made = await seeded(50)
  const undone = db.transaction(async (sql) => {
    await sql`update runs set status = 'pending' where team_id = ${made.team.id} and status = 'completed'`
    await sql`delete from runs where team_id = ${made.team.id} and status = 'failed'`
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  await requireExact(made)
})

proves('runs.countsFold', 'a list that finds many deltas has them folded', async () => {
  const made = await seeded(10)
  await db.sql`
    insert into runs (id, team_id, agent_id, build_id, run_number, source, title, status, created_at)
    select gen_random_uuid(), ${made.team.id}, ${made.agentIds[0]}, ${newId()}, nextval('run_numbers'), 'api', 'One', 'stopped',
      now() - make_interval(hours => n) from generate_series(1, 5100) n`
  const { body } = await made.team.call('GET /v2/teams/:teamId/runs?count_only=true')
  await service.drain()
  const [left] = await db.sql<{ deltas: number }>`
    select count(*) as deltas from run_count_deltas where team_id = ${made.team.id}`
  assert.deepEqual([body.total, left!.deltas], [5110, 0])
  await requireExact(made)
})

proves(
  'runs.countsSpans',
  'a range of time is cut into whole days, whole hours and edges that meet without a gap',
  () => {
    const hourMs = 3_600_000
    for (let round = 0; round < 2000; round++) {
      const since = new Date(1_700_000_000_000 + Math.floor(Math.random() * 40) * (round % 2 ? hourMs / 2 : 1_234_567))
      const until = new Date(since.getTime() + Math.floor(Math.random() * 100) * (round % 3 ? hourMs : 777_777))
      const { days, hours, wholeHours, edges } = spansOf(since, until)
      const pieces = [
        ...edges.map(([from, to]) => [from.getTime(), to.getTime()]),
        ...hours.map(([from, to]) => [from * hourMs, to * hourMs]),
        [days[0] * 24 * hourMs, days[1] * 24 * hourMs],
      ]
        .filter(([from, to]) => from! < to!)
        .toSorted((a, b) => a[0]! - b[0]!)
      let at = since.getTime()
      for (const [from, to] of pieces) {
        assert.equal(from, at)
        at = to!
      }
      assert.equal(at, until.getTime())
      const counted = [...hours, [days[0] * 24, days[1] * 24]].reduce((sum, [from, to]) => sum + to! - from!, 0)
      assert.equal(wholeHours[1] - wholeHours[0], counted)
    }
  },
)
