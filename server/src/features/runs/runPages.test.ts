// Lists of many runs: no way of asking reads the whole table, and frequent words are found and counted as exactly as rare ones.
import assert from 'node:assert/strict'
import { seedArtifact } from '../../../test/kit/artifactRuns.ts'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { seedRuns } from '../../../test/kit/seedRuns.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { flatten } from '../../base/sql.ts'
import { foldRunCounts } from '../../engine/counting/runCounts.ts'
import { filterOf, type RunFilter } from './runFilter.ts'
import { readRuns, sorts, type RunPage } from './runPages.ts'
import { searchWords } from '../../kit/lists/words.ts'
import { searchRuns } from './runSearch.ts'
import { totalsOf } from './runTotals.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { db } = service.context
const team = await seedTeam(service)
const caller = { team_id: team.id, member_id: team.memberId }
const agentIds = await Promise.all([1, 2, 3, 4].map(() => seeders['agent']!(team, {})))
const users = [newId(), newId(), newId()]
const queues = [newId(), newId()]
const runs = 8000
await seedRuns(db.sql, {
  teamId: team.id,
  agents: agentIds.map((id) => ({ id, buildId: newId() })),
  users,
  queues,
  runs,
})
await foldRunCounts(db)
for (const table of ['runs', 'run_search', 'run_counts', 'run_origin_counts', 'run_count_deltas']) {
  await db.pool.query(`vacuum analyze ${table}`)
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  Plans?: PlanNode[]
}

/** Scans of whole tables in the plan of each statement, for the values at hand and for any. */
async function wholeScans(text: string, parameters: unknown[]): Promise<string[]> {
  const client = await db.pool.connect()
  try {
    const custom = await client.query(`explain (format json) ${text}`, parameters)
    const generic = await client.query(`explain (generic_plan, format json) ${text}`)
    return [custom, generic].flatMap(({ rows }) => scansIn(rows[0]['QUERY PLAN'][0].Plan as PlanNode))
  } finally {
    client.release()
  }
}

const scansIn = (node: PlanNode): string[] => [
  ...(node['Node Type'] === 'Seq Scan' ? [node['Relation Name']!] : []),
  ...(node.Plans ?? []).flatMap(scansIn),
]

let statements = 0

/** Runs statements as usual, and fails where one would read a whole table of runs. */
const watched: Sql = async (strings, ...values) => {
  const { statement, parameters } = flatten(strings, values)
  statements += 1
  const scanned = await wholeScans(statement.text, parameters)
  assert.deepEqual(
    scanned.filter((table) => ['runs', 'run_search'].includes(table)),
    [],
    statement.text,
  )
  return db.sql(strings, ...values)
}

const since = new Date(Date.now() - 20 * 86_400_000).toISOString()
const one: Parameters<typeof filterOf>[1][] = [
  { agent_id: agentIds[0]! },
  { status: 'completed' },
  { status: 'failed,stopped' },
  { status: 'needs_attention' },
  { user_id: users[0]! },
  { case_queue_id: queues[0]! },
  { source: 'api' },
  { has_issues: true },
  { issue_severity: 'critical' },
  { since },
]

proves('runs.listPlans', 'a list of runs of artifacts, and its total, follow their own index', async () => {
  const artifact = await seedArtifact(service, team)
  await db.sql`
    insert into runs (id, team_id, agent_id, build_id, run_number, source, title, limits, status, created_at)
    select gen_random_uuid(), ${team.id}, ${artifact.agentId}, ${artifact.buildIds[0]}, nextval('run_numbers'), 'artifact', 'Refresh', '{}',
      'pending', now() - make_interval(secs => n) from generate_series(1, 500) n`
  await db.pool.query('vacuum analyze runs')
  for (const query of [{}, ...one.filter((each) => !('source' in each))]) {
    const filter = filterOf(caller, { ...query, source: 'artifact' })!
    for (const sort_by of sorts) {
      const totals = await totalsOf(watched, filter)
      await readRuns(watched, filter, totals, { sort_by, sort_order: 'desc', limit: 20, offset: 0 })
    }
  }
  const plans: string[] = []
  const explaining: Sql = async (strings, ...values) => {
    const { statement, parameters } = flatten(strings, values)
    const { rows } = await db.pool.query(`explain (format json) ${statement.text}`, parameters)
    plans.push(JSON.stringify(rows))
    return db.sql(strings, ...values)
  }
  const filter = filterOf(caller, { source: 'artifact' })!
  const totals = await totalsOf(explaining, filter)
  await readRuns(explaining, filter, totals, { sort_by: 'created_at', sort_order: 'desc', limit: 20, offset: 0 })
  assert.deepEqual([totals.total, plans.length], [500, 2])
  for (const plan of plans) assert.match(plan, /runs_of_artifacts"/)
  const words = await searchWords(db.sql, team.id, 'refresh')
  const found = await totalsOf(explaining, { ...filter, words })
  assert.equal(found.total, 500)
  assert.match(plans.at(-1) ?? '', /runs_of_artifacts_by_word/)
})

proves('runs.listPlans', 'no filter, pair of filters or order reads the whole table', async () => {
  const pairs = one.flatMap((a, index) => one.slice(index + 1).map((b) => ({ ...a, ...b })))
  const queries = [{}, ...one, ...pairs]
  for (const [index, query] of queries.entries()) {
    const filter = filterOf(caller, query)!
    for (const sort_by of index < 12 ? sorts : [sorts[index % 3]!]) {
      const totals = await totalsOf(watched, filter)
      await readRuns(watched, filter, totals, {
        sort_by,
        sort_order: index % 2 === 0 ? 'desc' : 'asc',
        limit: 20,
        offset: 0,
      })
    }
  }
  assert.ok(statements > queries.length, `${statements} statements for ${queries.length} lists`)
})

/** The same by a plain look at everything. */
async function plainly(filter: RunFilter, word: string): Promise<{ total: number; ids: string[] }> {
  const rows = await db.sql<{ id: string }>`
    select id from runs where team_id = ${team.id} and (title || ' ' || message::text) ilike ${`%${word}%`}
      and (${filter.statuses}::text[] is null or counted_as = any(${filter.statuses}::text[]))
      and (${filter.userId}::uuid is null or user_id = ${filter.userId}::uuid)
      and (${filter.agentId}::uuid is null or agent_id = ${filter.agentId}::uuid)
      and (${filter.since}::timestamptz is null or created_at >= ${filter.since}::timestamptz)
    order by created_at desc, id desc`
  return { total: rows.length, ids: rows.slice(30, 50).map(({ id }) => id) }
}

const page: RunPage = { sort_by: 'created_at', sort_order: 'desc', limit: 20, offset: 30 }

proves(
  'runs.searchFrequent',
  'words that thousands of runs have are found and counted exactly, alone and with other filters',
  async () => {
    for (const query of [
      {},
      { status: 'failed' },
      { user_id: users[0]! },
      { agent_id: agentIds[0]!, status: 'completed' },
      { since },
    ]) {
      for (const word of ['invoice', 'order']) {
        const words = (await searchWords(db.sql, team.id, word))!
        const filter = { ...filterOf(caller, query)!, words }
        // counting thousands reads them all, in whatever way; from then on nothing does
        await searchRuns(db.sql, filter, page)
        const found = await searchRuns(Object.keys(query).length === 0 ? watched : db.sql, filter, page)
        const plain = await plainly(filter, word)
        assert.equal(found.total, plain.total, JSON.stringify({ query, word }))
        assert.deepEqual(
          found.data.map(({ id }) => id),
          plain.ids,
        )
      }
    }
  },
)

proves(
  'runs.searchFrequent',
  'words that thousands of runs have are also found when all of these are old',
  async () => {
    const old = await seedTeam(service)
    const { body: agent } = await old.call('POST /v2/teams/:teamId/agents', { body: {} })
    // behind more runs than a page walks past, with as many hits as are not gathered at once
    await db.sql`
    insert into runs (id, team_id, agent_id, build_id, run_number, source, title, limits, status, created_at)
    select gen_random_uuid(), ${old.id}, ${agent.agent_id}, ${agent.build_id}, n, 'api', case when n <= 5200 then 'Old' else 'New' end,
      '{"max_steps": 1, "max_duration_s": 1, "max_cost_usd": null, "max_tokens": null}', 'stopped', now() - make_interval(mins => 30000 - n) from generate_series(1, 26000) n`
    const { body } = await old.call('GET /v2/teams/:teamId/runs?search=old&offset=5190')
    assert.equal(body.total, 5200)
    assert.deepEqual(
      body.data.map(({ run_number }: { run_number: number }) => run_number),
      [10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
    )
  },
)

proves(
  'runs.searchTotals',
  'a remembered total stays exact while runs are written and deleted, in whatever order they commit',
  async () => {
    const total = async () => {
      const { body } = await team.call('GET /v2/teams/:teamId/runs?search=receipt&count_only=true')
      const [counted] = await db.sql<{ n: number }>`
      select count(*) as n from runs where team_id = ${team.id} and title ilike '%receipt%'`
      assert.equal(body.total, counted!.n)
      return counted!.n
    }
    const insert = (sql: Sql, count: number) => sql`
    insert into runs (id, team_id, agent_id, build_id, run_number, source, title, status, created_at)
    select gen_random_uuid(), ${team.id}, ${agentIds[0]}, ${newId()}, nextval('run_numbers'), 'api', 'A late Receipt', 'stopped',
      now() - interval '30 days' from generate_series(1, ${count})`
    // one transaction is under way while the total is counted for the first time, and commits last
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const late = db.transaction(async (sql) => {
      await insert(sql, 3)
      begun.resolve()
      await goOn.promise
    })
    await begun.promise
    const first = await total()
    await insert(db.sql, 5)
    assert.equal(await total(), first + 5)
    goOn.resolve()
    await late
    assert.equal(await total(), first + 8)
    // more than is counted anew at every look
    await insert(db.sql, 1200)
    assert.equal(await total(), first + 1208)
    assert.equal(await total(), first + 1208)
    await insert(db.sql, 1)
    await db.sql`
    delete from runs where id in (select id from runs where team_id = ${team.id} and title = 'A late Receipt' limit 9)`
    assert.equal(await total(), first + 1200)
    const [known] = await db.sql<{ searches: number }>`
    select count(*) as searches from run_search_totals where team_id = ${team.id} and search like '%receipt%'`
    assert.equal(known!.searches, 1)
  },
)

proves(
  'runs.searchTotals',
  'a remembered total of ended runs stays exact while runs end, continue and are deleted, in whatever order they commit',
  async () => {
    const ofReceipts = part`team_id = ${team.id} and title ilike '%receipt%'`
    const total = async () => {
      const { body } = await team.call('GET /v2/teams/:teamId/runs?search=receipt&status=completed&count_only=true')
      const [counted] = await db.sql<{ n: number }>`
      select count(*) as n from runs where ${ofReceipts} and status = 'completed'`
      assert.equal(body.total, counted!.n)
      return counted!.n
    }
    const end = (sql: Sql, count: number) => sql`
    update runs set status = 'completed', completed_at = now()
    where id in (select id from runs where ${ofReceipts} and status = 'running' limit ${count} for update skip locked)`
    const continueOld = (count: number) => db.sql`
    update runs set status = 'pending', completed_at = null
    where id in (select id from runs where ${ofReceipts} and status = 'completed' order by completed_at limit ${count})`
    const remembered = () => db.sql<{ ended_before: Date }>`
    select ended_before from run_ended_totals where team_id = ${team.id} and search like '%receipt%completed%'`
    // one transaction is under way while the total is counted for the first time, and commits later
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const late = db.transaction(async (sql) => {
      await end(sql, 3)
      begun.resolve()
      await goOn.promise
    })
    await begun.promise
    const first = await total()
    await end(db.sql, 2)
    assert.equal(await total(), first + 2)
    goOn.resolve()
    await late
    assert.equal(await total(), first + 5)
    const [before] = await remembered()
    // more than is counted anew at every look
    await db.sql`
    insert into runs (id, team_id, agent_id, build_id, run_number, source, title, status, created_at, completed_at)
    select gen_random_uuid(), ${team.id}, ${agentIds[0]}, ${newId()}, nextval('run_numbers'), 'api', 'A late Receipt', 'completed',
      now() - interval '30 days', now() from generate_series(1, 1200)`
    assert.equal(await total(), first + 1205)
    assert.equal(await total(), first + 1205)
    const [after, ...others] = await remembered()
    assert.ok(
      before && after && after.ended_before > before.ended_before,
      'what has ended by now is part of what is remembered',
    )
    assert.deepEqual(others, [])
    await continueOld(1)
    assert.equal(await total(), first + 1204)
    // as many end as continue
    await continueOld(4)
    await end(db.sql, 4)
    assert.equal(await total(), first + 1204)
    await db.sql`
    delete from runs where id in (select id from runs where ${ofReceipts} and status = 'completed' limit 7)`
    assert.equal(await total(), first + 1197)
  },
)
