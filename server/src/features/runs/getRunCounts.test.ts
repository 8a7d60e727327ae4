// Counts of runs over time against the rows themselves: every filter, interval and zone, whoever changes runs, folded or not.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { plansOn } from '../../../test/kit/plans.ts'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { insertRun, seedRuns } from '../../../test/kit/seedRuns.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { readMigrations } from '../../base/migrate.ts'
import { foldRunCounts } from '../../engine/counting/runCounts.ts'
import { countOverTime } from './countsOverTime.ts'
import { filterOf } from './runFilter.ts'
import { bucketStarts } from './timeBuckets.ts'

const service = await testApp()
const { db } = service.context
const team = await seedTeam(service)
const agentIds = await Promise.all([1, 2].map(() => seeders['agent']!(team, {})))
const users = [newId(), newId()]
const queues = [newId()]
const agents = agentIds.map((id) => ({ id, buildId: newId() }))
await seedRuns(db.sql, { teamId: team.id, agents, users, queues, runs: 1200, days: 9 })
/** These have so few of the runs that they are found by indexes of their own. */
const [rareUser, rareQueue] = [newId(), newId()]
await seedRuns(db.sql, { teamId: team.id, agents, users: [rareUser], queues: [rareQueue], runs: 40, days: 9 })
await db.sql`update runs set cost_usd = 0.25 * (1 + run_number % 4) where team_id = ${team.id}`

const hourMs = 3_600_000
const now = Date.now()
const at = (hoursAgo: number) => new Date(now - hoursAgo * hourMs).toISOString()

interface Row {
  created_at: Date
  completed_at: Date | null
  counted_as: string
  cost_usd: string
}

const asQuery = (query: Record<string, string>): string => new URLSearchParams(query).toString()

const read = async (owner: TestTeam, query: Record<string, string>) => {
  const answer = await owner.call(`GET /v2/teams/:teamId/run-counts?${asQuery(query)}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

const statuses = ['completed', 'failed', 'stopped', 'pending', 'running', 'waiting', 'needs_attention'] as const

function countedByHand(rows: Row[]) {
  const of = (status: string) => rows.filter(({ counted_as }) => counted_as === status).length
  const costs = rows.filter(({ completed_at }) => completed_at !== null).map(({ cost_usd }) => Number(cost_usd))
  return {
    ...Object.fromEntries(statuses.map((status) => [status, of(status)])),
    waiting: of('waiting') + of('needs_attention'),
    cost_usd: costs.reduce((sum, cost) => sum + cost, 0),
  }
}

/** The ids of the runs that fit come from listRuns, which has tests of its own. */
async function requireExact(query: Record<string, string>) {
  const { interval: _, time_zone: __, ...filter } = query
  const ids: string[] = []
  for (let offset = 0; ; offset += 100) {
    const asked = asQuery({ ...filter, limit: '100', offset: String(offset) })
    const { body } = await team.call(`GET /v2/teams/:teamId/runs?${asked}`)
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    if (body.data.length < 100) break
  }
  const rows = await db.sql<Row>`
    select created_at, completed_at, counted_as, cost_usd::text from runs where id = any(${ids}::uuid[])`
  const { buckets, totals } = await read(team, query)
  const starts = buckets.map(({ start }: { start: string }) => Date.parse(start))
  for (const [n, { start, ...counts }] of buckets.entries()) {
    const inside = rows.filter(
      ({ created_at: made }) => made.getTime() >= starts[n] && made.getTime() < (starts[n + 1] ?? Infinity),
    )
    assert.deepEqual(counts, countedByHand(inside), `${JSON.stringify(query)} ${start}`)
  }
  assert.deepEqual(totals, countedByHand(rows), JSON.stringify(query))
  return buckets
}

const time = { since: at(100.4), until: at(3.3) }
const filters: Record<string, string>[] = [
  time,
  { ...time, agent_id: agentIds[0]!, status: 'failed,waiting' },
  { ...time, source: 'schedule' },
  { ...time, user_id: users[0]!, agent_id: agentIds[1]! },
  { ...time, case_queue_id: queues[0]!, has_issues: 'true' },
  { ...time, user_id: rareUser },
  { ...time, user_id: rareUser, agent_id: agentIds[1]!, status: 'completed,failed' },
  { since: at(200), until: at(0), interval: 'day', case_queue_id: rareQueue, source: 'case_trigger' },
  { ...time, issue_severity: 'critical', has_issues: 'true' },
  { ...time, search: 'invoice' },
  { since: at(6), until: at(1), interval: 'minute' },
  { since: at(200), until: at(0), interval: 'day' },
  { since: at(200), until: at(0), interval: 'day', time_zone: 'Europe/Berlin' },
  { since: at(200), until: at(0), interval: 'day', time_zone: 'Asia/Kolkata' },
  { since: at(200), until: at(0), interval: 'day', source: 'api' },
  { since: at(200), until: at(0), interval: 'day', time_zone: 'Asia/Kathmandu', source: 'case_trigger' },
  { ...time, interval: 'day', time_zone: 'Asia/Kolkata', agent_id: agentIds[0]!, source: 'api', status: 'completed' },
]

proves(
  'runs.overTime',
  'every bucket counts exactly the runs and the money of its time, before and after a fold',
  async () => {
    for (const query of filters) {
      const buckets: { completed: number; failed: number }[] = await requireExact(query)
      assert.ok(
        buckets.some(({ completed, failed }) => completed + failed > 0),
        JSON.stringify(query),
      )
    }
    await foldRunCounts(db)
    for (const query of filters.filter((_, nth) => nth % 2 === 0)) await requireExact(query)
  },
)

proves('runs.overTime', 'a run that ends, starts again or is deleted takes its money with it', async () => {
  const made = await db.sql<{ id: string; status: string }>`
    select id, status from runs where team_id = ${team.id} and created_at > ${at(50)} order by id limit 200`
  const ids = made.filter(({ status }) => ['completed', 'failed', 'running'].includes(status))
  assert.ok(ids.length > 50)
  for (const [n, { id, status }] of ids.entries()) {
    if (status === 'running') {
      await db.sql`update runs set status = 'completed', completed_at = now(), cost_usd = cost_usd + 0.5 where id = ${id}`
    } else if (n % 3 === 0) await db.sql`delete from runs where id = ${id}`
    else if (n % 3 === 1) await db.sql`update runs set status = 'pending', completed_at = null where id = ${id}`
    else await db.sql`update runs set cost_usd = cost_usd + 2 where id = ${id}`
  }
  const some = [...filters.slice(0, 3), ...filters.slice(-4)]
  for (const query of some) await requireExact(query)
  await foldRunCounts(db)
  for (const query of some) await requireExact(query)
})

proves('runs.overTime', 'counts by source are exact for runs that are older than they are', async () => {
  const counts = () => db.sql`
    select source, agent_id, unit, at, counted_as, runs::int, cost_usd::float8 from run_source_counts
    where team_id = ${team.id} and (runs <> 0 or cost_usd <> 0) order by 1, 2, 3, 4, 5`
  const folded = await counts()
  assert.ok(folded.length > 1000)
  const { text } = (await readMigrations()).find(({ name }) => name.endsWith('run_source_counts'))!
  const fill = text.split(/\n\s*\n/).at(-1)!
  await db.pool.query('truncate run_source_counts')
  await seedRuns(db.sql, { teamId: team.id, agents, users, queues, runs: 50, days: 9 })
  await db.pool.query(fill)
  assert.deepEqual(await counts(), folded, 'what is still to be folded is not counted twice')
  await foldRunCounts(db)
  for (const query of filters.slice(-3)) await requireExact(query)
  const after = await counts()
  await db.pool.query(fill)
  assert.deepEqual(await counts(), after, 'it can be repeated')
})

proves(
  'runs.overTimeBuckets',
  'days begin at the midnights of the zone, also where a day has 23 or 25 hours',
  async () => {
    const query = {
      since: '2026-03-28T00:00:00Z',
      until: '2026-03-31T00:00:00Z',
      interval: 'day',
      time_zone: 'Europe/Berlin',
    }
    const { buckets } = await read(team, query)
    assert.deepEqual(
      buckets.map(({ start }: { start: string }) => start),
      ['2026-03-27T23:00:00.000Z', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z', '2026-03-30T22:00:00.000Z'],
    )
    for (const [interval, length] of [
      ['minute', 61],
      ['hour', 25],
      ['day', 31],
    ] as const) {
      const usual = await read(team, { interval })
      assert.ok(usual.buckets.length === length || usual.buckets.length === length - 1)
      assert.equal(usual.before, undefined)
    }
  },
)

proves(
  'runs.overTimeBuckets',
  'more than 400 buckets, a time that does not pass and an unknown zone are refused',
  async () => {
    const refused: Record<string, string>[] = [
      { since: '2026-01-01', until: '2026-01-18', interval: 'hour' },
      { since: '0001-01-01', interval: 'day' },
      { since: '2026-01-02', until: '2026-01-02' },
      { time_zone: 'Europe/Atlantis' },
      { interval: 'week' },
    ]
    for (const query of refused) {
      const { status, body } = await team.call(`GET /v2/teams/:teamId/run-counts?${asQuery(query)}`)
      assert.deepEqual([status, body.error], [400, 'invalid_request'], JSON.stringify(query))
    }
    const most = await read(team, { since: '2026-01-01T00:00:00Z', until: '2026-01-17T16:00:00Z' })
    assert.equal(most.buckets.length, 400)
  },
)

proves('runs.overTimeCompare', 'the same length of time before comes only if it is asked for', async () => {
  const [since, middle, until] = [at(60), at(40), at(20)]
  const { before } = await read(team, { since: middle, until, compare: 'true' })
  const { totals } = await read(team, { since, until: middle })
  assert.deepEqual(before, totals)
})

proves('runs.overTimePrivate', 'other teams and runs of artifacts are not counted', async () => {
  const own = await seedTeam(service)
  const [agentId, hidden] = [await seeders['agent']!(own, {}), await seeders['agent']!(own, {})]
  await db.sql`update agents set is_hidden = true where id = ${hidden}`
  const row = { team_id: own.id, build_id: newId(), status: 'completed', completed_at: new Date(), cost_usd: '1' }
  await insertRun(db.sql, { ...row, agent_id: agentId })
  await insertRun(db.sql, { ...row, agent_id: hidden, source: 'artifact' })
  for (const query of [{}, { interval: 'minute' }, { status: 'completed' }] as Record<string, string>[]) {
    const { totals } = await read(own, { ...query, until: new Date(Date.now() + hourMs).toISOString(), since: at(1) })
    assert.deepEqual([totals.completed, totals.cost_usd], [1, 1])
  }
  assert.equal((await read(own, { agent_id: hidden })).totals.completed, 0)
  assert.equal((await read(own, { agent_id: team.id })).totals.completed, 0)
})

proves('runs.overTimePlans', 'no filter reads the whole table', async () => {
  for (let n = 0; n < 3; n++) {
    const other = await seedTeam(service)
    await seedRuns(db.sql, { teamId: other.id, agents, users, queues, runs: 1500, days: 9 })
  }
  await db.pool.query('vacuum analyze')
  const plansOf = await plansOn(db)
  const caller = { team_id: team.id, member_id: team.memberId }
  for (const { interval, time_zone, ...query } of filters) {
    const given = query as { since: string; until: string }
    const [since, until] = [new Date(given.since), new Date(given.until)]
    const starts = bucketStarts({ since, until, interval: (interval ?? 'hour') as 'hour', zone: time_zone ?? 'UTC' })
    const filter = { ...filterOf(caller, query)!, since, until }
    const plans = await plansOf((sql) => countOverTime(sql, filter, starts!))
    assert.ok(plans.length > 0)
    for (const plan of plans) {
      assert.doesNotMatch(plan, /Seq Scan on (runs|run_counts|run_source_counts|run_search|run_count_deltas)\b/, plan)
      for (const [, condition] of plan.matchAll(/ on runs r\b.*\n\s+(.*)/g)) {
        assert.match(condition!, /^Index Cond: (\(id = l\.run_id\)|.*created_at >= .*created_at < )/, plan)
      }
    }
    const isBySource = plans.some((plan) => plan.includes('run_source_counts_pkey'))
    const isRare = [rareUser, rareQueue].some((id) => Object.values(query).includes(id))
    assert.equal(isBySource, 'source' in query && !isRare, plans.join('\n\n'))
    const isShort = plans.some((plan) => /run_search_by_(user|queue)/.test(plan))
    assert.ok(isShort || !isRare, plans.join('\n\n'))
  }
})
