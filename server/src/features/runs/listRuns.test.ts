// Lists of runs held against a plain filter over the same rows: every filter, every pair of them, every order.
import assert from 'node:assert/strict'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { seedRuns } from '../../../test/kit/seedRuns.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { foldRunCounts } from '../../engine/counting/runCounts.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const team = await seedTeam(service)
const stranger = await seedTeam(service)
const users = [team.memberId, newId(), newId()]
const queues = [newId(), newId()]
const agents = await Promise.all([1, 2, 3].map(() => agentOf(team)))
const until = new Date('2026-03-04T05:37:21.123Z')
await seedRuns(team.sql, { teamId: team.id, agents, users, queues, runs: 300, until, days: 4 })
// the same runs again in another team: nothing of them may show
const strangers = await Promise.all([1, 2, 3].map(() => agentOf(stranger)))
await seedRuns(team.sql, { teamId: stranger.id, agents: strangers, users, queues, runs: 300, until, days: 4 })

async function agentOf(owner: typeof team): Promise<{ id: string; buildId: string }> {
  const id = await seeders['agent']!(owner, {})
  const { body } = await owner.call(`GET /v2/agents/${id}`)
  return { id, buildId: body.agent.live_build_id }
}

interface Row {
  id: string
  agent_id: string
  status: string
  waiting_on: { kind: string } | null
  user_id: string | null
  case_queue_id: string | null
  case_title: string | null
  source: string
  title: string
  message: unknown
  run_number: number
  created_at: Date
  completed_at: Date | null
  eval_summary: { severity_counts: Record<string, number> } | null
}

const rows = await team.sql<Row>`select * from runs where team_id = ${team.id}`

/** What each value of a query parameter asks of a run, said once more in plain words. */
const asks: Record<string, (run: Row, value: string) => boolean> = {
  agent_id: (run, value) => run.agent_id === value,
  user_id: (run, value) => run.user_id === value,
  case_queue_id: (run, value) => run.case_queue_id === value,
  source: (run, value) => run.source === value,
  status: (run, value) =>
    value
      .split(',')
      .some((one) => run.status === one || (one === 'needs_attention' && run.waiting_on?.kind === 'human')),
  since: (run, value) => run.created_at >= new Date(value),
  until: (run, value) => run.created_at < new Date(value),
  has_issues: (run, value) =>
    run.eval_summary !== null &&
    Object.values(run.eval_summary.severity_counts).some((count) => count > 0) === (value === 'true'),
  issue_severity: (run, value) => (run.eval_summary?.severity_counts[value] ?? 0) > 0,
  search: (run, value) => hasWords(run, value),
}

function hasWords(run: Row, value: string): boolean {
  const text = [run.title, run.case_title, ...texts(run.message)].join(' ')
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const wanted = value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const isBeginning = (index: number) => value.trim().endsWith('*') && index === wanted.length - 1
  return wanted.every((word, index) => words.some((one) => (isBeginning(index) ? one.startsWith(word) : one === word)))
}

const texts = (message: unknown): string[] =>
  typeof message === 'object' && message !== null ? Object.entries(message).flat().map(String) : [String(message)]

const filters: [name: string, value: string][] = [
  ['agent_id', agents[1]!.id],
  ['status', 'failed'],
  ['status', 'waiting'],
  ['status', 'needs_attention,pending,stopped'],
  ['user_id', users[1]!],
  ['case_queue_id', queues[0]!],
  ['source', 'api'],
  ['since', '2026-03-02T10:20:30Z'],
  ['until', '2026-03-03T04:05:06.789Z'],
  ['has_issues', 'true'],
  ['has_issues', 'false'],
  ['issue_severity', 'critical'],
  ['issue_severity', 'low'],
  ['search', 'invoice ORDER'],
  ['search', 'ticket17'],
  ['search', 'ORDER, ticket1*'],
  ['search', 'now customer1*'],
]

const sorts: ((a: Row, b: Row) => number)[] = [
  (a, b) => a.created_at.getTime() - b.created_at.getTime(),
  // what has not ended comes as if it ended last
  (a, b) => (a.completed_at?.getTime() ?? Infinity) - (b.completed_at?.getTime() ?? Infinity) || 0,
  (a, b) => a.run_number - b.run_number,
]
const sortNames = ['created_at', 'completed_at', 'run_number']

function expected(asked: [string, string][], sort: number, order: string): string[] {
  const fitting = rows.filter((run) => asked.every(([name, value]) => asks[name]!(run, value)))
  const up = (a: Row, b: Row) => sorts[sort]!(a, b) || (a.id < b.id ? -1 : 1)
  return fitting.toSorted((a, b) => (order === 'asc' ? up(a, b) : up(b, a))).map(({ id }) => id)
}

async function requireSame(asked: [string, string][], sort: number, order: string, offset: number): Promise<void> {
  const query = [
    ...asked,
    ['sort_by', sortNames[sort]!],
    ['sort_order', order],
    ['offset', String(offset)],
    ['limit', '15'],
  ]
    .map(([name, value]) => `${name}=${encodeURIComponent(value!)}`)
    .join('&')
  const { body } = await team.call(`GET /v2/teams/:teamId/runs?${query}`)
  const all = expected(asked, sort, order)
  assert.equal(body.total, all.length, query)
  assert.deepEqual(
    body.data.map(({ id }: Row) => id),
    all.slice(offset, offset + 15),
    query,
  )
}

proves('runs.list', 'the newest twenty come first, and the total is all of them', async () => {
  const { body } = await team.call('GET /v2/teams/:teamId/runs')
  assert.equal(body.total, 300)
  assert.deepEqual(Object.keys(body), ['data', 'total'])
  assert.deepEqual(
    body.data.map(({ id }: Row) => id),
    expected([], 0, 'desc').slice(0, 20),
  )
  const one = await team.call(`GET /v2/runs/${body.data[0].id}`)
  assert.deepEqual(body.data[0], one.body.run)
})

for (const isFolded of [false, true]) {
  proves(
    'runs.listFilters',
    `every filter and every pair gives exactly the runs that fit, ${isFolded ? 'counted' : 'not yet counted'}`,
    async () => {
      if (isFolded) await foldRunCounts(service.context.db)
      const pairs = filters.flatMap((one, index) =>
        filters
          .slice(index + 1)
          .filter(([name]) => name !== one[0])
          .map((other) => [one, other]),
      )
      for (const [round, asked] of [...filters.map((one) => [one]), ...pairs].entries()) {
        await requireSame(asked, round % 3, round % 2 ? 'desc' : 'asc', round % 4 === 0 ? 7 : 0)
      }
    },
  )
}

proves('runs.listSorts', 'every order holds for every filter, page after page', async () => {
  for (const asked of [[], ...filters.map((one) => [one])]) {
    for (const sort of [0, 1, 2]) for (const order of ['asc', 'desc']) await requireSame(asked, sort, order, 15)
  }
})

proves(
  'runs.listTotals',
  'totals hold for time ranges of every length, from within an hour to more than a day',
  async () => {
    const times = rows.map(({ created_at }) => created_at.getTime()).toSorted((a, b) => a - b)
    const first = times[40]!
    for (const hours of [0, 0.4, 1.7, 24, 30.5, 49]) {
      for (const start of [
        first,
        Math.ceil(first / 3_600_000) * 3_600_000,
        Math.ceil(first / 86_400_000) * 86_400_000,
      ]) {
        const asked: [string, string][] = [
          ['since', new Date(start).toISOString()],
          ['until', new Date(start + hours * 3_600_000).toISOString()],
        ]
        await requireSame(asked, 0, 'desc', 0)
        await requireSame([...asked, ['status', 'completed']], 0, 'desc', 0)
        await requireSame([...asked, ['agent_id', agents[0]!.id]], 0, 'desc', 0)
        await requireSame([...asked, ['source', 'api']], 0, 'desc', 0)
      }
    }
  },
)

proves(
  'runs.listNothing',
  'a filter that names nothing, or two that exclude each other, give an empty page',
  async () => {
    for (const query of [
      `agent_id=${strangers[0]!.id}`,
      'agent_id=00000000-0000-0000-0000-000000000000',
      'user_id=nobody',
      'case_queue_id=%00x'.replace('%00', ''),
      'has_issues=false&issue_severity=low',
      'since=2026-03-04&until=2026-03-03',
      'search=unheardof',
    ]) {
      const { body } = await team.call(`GET /v2/teams/:teamId/runs?${query}`)
      assert.deepEqual(body, { data: [], total: 0 }, query)
    }
    assert.equal((await team.call('GET /v2/teams/:teamId/runs?status=done')).status, 400)
    assert.equal((await team.call('GET /v2/teams/:teamId/runs?status=failed,')).status, 400)
    assert.equal((await team.call('GET /v2/teams/:teamId/runs?limit=101')).status, 400)
  },
)

proves('runs.listCountOnly', 'count_only and limit=0 give the total alone', async () => {
  for (const query of ['count_only=true', 'limit=0', 'count_only=true&status=failed&search=order']) {
    const { body } = await team.call(`GET /v2/teams/:teamId/runs?${query}`)
    assert.deepEqual(body.data, [])
    assert.ok(body.total > 0)
  }
})

proves(
  'runs.searchText',
  'no search text can be a mistake, and one without a word in it asks for nothing',
  async () => {
    for (const search of [
      `'`,
      `"`,
      '&|!()<->:*',
      '\\',
      `invoice' & !order`,
      ':* ticket',
      'a:b*',
      '%',
      '_',
      `'';--`,
      '🦄 invoice',
    ]) {
      const { status, text } = await team.call(`GET /v2/teams/:teamId/runs?search=${encodeURIComponent(search)}`)
      assert.equal(status, 200, text)
    }
    const total = async (search: string) =>
      (await team.call(`GET /v2/teams/:teamId/runs?count_only=true&search=${encodeURIComponent(search)}`)).body.total
    assert.equal(await total(`invoice' & !ticket18`), rows.filter((run) => hasWords(run, 'invoice ticket18')).length)
    assert.equal(await total('!!! &'), 300)
    assert.equal((await team.call('GET /v2/teams/:teamId/runs?search=a%00b')).status, 400)
  },
)

const madeBy = (id: string) =>
  rows
    .filter(({ agent_id }) => agent_id === id)
    .map(({ created_at }) => created_at.toISOString())
    .toSorted()

proves('agents.runs', 'an agent tells how many runs it has and when the last one was made', async () => {
  for (const { id } of agents) {
    const { body } = await team.call(`GET /v2/agents/${id}`)
    assert.equal(body.agent.runs_count, madeBy(id).length)
    assert.equal(body.agent.last_run_at, madeBy(id).at(-1))
  }
  const idle = await agentOf(team)
  const { body } = await team.call(`GET /v2/agents/${idle.id}`)
  assert.deepEqual([body.agent.runs_count, body.agent.last_run_at], [0, null])
})
