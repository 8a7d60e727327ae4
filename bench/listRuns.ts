// Lists of runs at a million against ten thousand: pages, totals and searches, each at both sizes in turn.
import { filterOf } from '../server/src/features/runs/runFilter.ts'
import { readRuns, type RunPage } from '../server/src/features/runs/runPages.ts'
import { totalsOf } from '../server/src/features/runs/runTotals.ts'
import { median, type Bed } from './interleave.ts'
import type { Shot } from './connection.ts'
import { startWithRuns, type ManyRuns as Side } from './manyRuns.ts'
import { makeDataDir } from './service.ts'
import type { Row } from './table.ts'

const few = 10_000
/** BENCH_RUNS makes it smaller where time is short; the table then says so. */
const many = Number(process.env['BENCH_RUNS'] ?? 1_000_000)
const ratioMax = 2
const totalMaxMs = 200
const searchMaxMs = 40
const firstSearchMaxMs = 300

export async function listRuns(bed: Bed): Promise<Row[]> {
  await using smallDir = await makeDataDir()
  await using largeDir = await makeDataDir()
  const small = await startWithRuns(bed, smallDir, few)
  try {
    const large = await startWithRuns(bed, largeDir, many)
    try {
      const rows: Row[] = [{ what: `listRuns, p50 in ms of`, ours: `${many} runs`, floor: `${few} runs` }]
      for (const shape of shapes) rows.push(...(await compare(bed, shape, large, small)))
      for (const search of searches) rows.push(...(await compareSearch(bed, search, large, small)))
      return rows
    } finally {
      await large.db.close()
      await large.service.stop()
    }
  } finally {
    await small.db.close()
    await small.service.stop()
  }
}

interface Shape {
  what: string
  query: (side: Side) => Record<string, string>
  /** Its total comes from plain counts, and so the whole answer must not grow with the table. */
  isPlain: boolean
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

const plain = (what: string, query: Shape['query']): Shape => ({ what, query, isPlain: true })
const other = (what: string, query: Shape['query']): Shape => ({ what, query, isPlain: false })

const shapes: Shape[] = [
  plain('no filter', () => ({})),
  plain('status', () => ({ status: 'failed' })),
  plain('two statuses', () => ({ status: 'completed,failed' })),
  plain('needs_attention', () => ({ status: 'needs_attention' })),
  plain('agent', ({ agents }) => ({ agent_id: agents[3]!.id })),
  plain('agent, status', ({ agents }) => ({ agent_id: agents[3]!.id, status: 'failed' })),
  plain('since, until', () => ({ since: daysAgo(60.3), until: daysAgo(20.7) })),
  plain('since, status', () => ({ since: daysAgo(33.3), status: 'completed' })),
  plain('since, agent', ({ agents }) => ({ since: daysAgo(33.3), agent_id: agents[3]!.id })),
  plain('since, agent, status', ({ agents }) => ({ since: daysAgo(33.3), agent_id: agents[3]!.id, status: 'failed' })),
  plain('by completed_at', () => ({ sort_by: 'completed_at' })),
  plain('by completed_at, status', () => ({ sort_by: 'completed_at', status: 'failed' })),
  plain('by run_number, agent', ({ agents }) => ({ sort_by: 'run_number', agent_id: agents[3]!.id })),
  other('user', ({ users }) => ({ user_id: users[1]! })),
  other('queue', ({ queues }) => ({ case_queue_id: queues[1]! })),
  other('source', () => ({ source: 'api' })),
  other('has_issues', () => ({ has_issues: 'true' })),
  other('issue_severity', () => ({ issue_severity: 'critical' })),
  other('user, status', ({ users }) => ({ user_id: users[1]!, status: 'failed' })),
  other('user, source', ({ users }) => ({ user_id: users[1]!, source: 'case_trigger' })),
  other('agent, user', ({ agents, users }) => ({ agent_id: agents[3]!.id, user_id: users[1]! })),
  other('agent, has_issues', ({ agents }) => ({ agent_id: agents[3]!.id, has_issues: 'true' })),
  other('queue, status', ({ queues }) => ({ case_queue_id: queues[1]!, status: 'stopped' })),
  other('since, user', ({ users }) => ({ since: daysAgo(33.3), user_id: users[1]! })),
  other('since, source', () => ({ since: daysAgo(33.3), source: 'api' })),
  other('since, source, status', () => ({ since: daysAgo(33.3), source: 'api', status: 'completed' })),
  other('by run_number, user', ({ users }) => ({ sort_by: 'run_number', user_id: users[1]! })),
]

/** Rounds at both sizes in turn, each of so many requests one after the other. */
const rounds = 5
const requests = 40

async function compare(bed: Bed, shape: Shape, large: Side, small: Side): Promise<Row[]> {
  const whole = await bothP50(bed, shape.query, large, small)
  bed.tell(`${shape.what}: ${ms(whole.large)} and ${ms(whole.small)} ms`)
  if (shape.isPlain) return [ratioRow(`  ${shape.what}: page and total`, whole.large, whole.small)]
  const total = await bothP50(bed, (side) => ({ ...shape.query(side), count_only: 'true' }), large, small)
  const page = await bothPages(shape, large, small)
  return [
    ratioRow(`  ${shape.what}: page alone, without HTTP`, page.large, page.small),
    limitRow(`  ${shape.what}: total`, total.large, total.small, totalMaxMs),
  ]
}

const searches: { what: string; query: Record<string, string>; isFrequent: boolean }[] = [
  { what: 'a word that one run has', query: { search: 'ticket777' }, isFrequent: false },
  { what: 'a word that about 50 runs have', query: { search: 'customer17' }, isFrequent: false },
  { what: 'a word that every second run has', query: { search: 'invoice' }, isFrequent: true },
  { what: 'a word that every run has', query: { search: 'order' }, isFrequent: true },
  { what: 'two frequent words', query: { search: 'receipt order' }, isFrequent: true },
  { what: 'a frequent word, status', query: { search: 'invoice', status: 'failed' }, isFrequent: false },
]

async function compareSearch(
  bed: Bed,
  { what, query, isFrequent }: (typeof searches)[number],
  large: Side,
  small: Side,
): Promise<Row[]> {
  const first = { large: await once(bed, large, query), small: await once(bed, small, query) }
  const known = await bothP50(bed, () => query, large, small)
  bed.tell(`search for ${what}: first ${ms(first.large)} ms, then ${ms(known.large)} ms`)
  const rows = [limitRow(`  search for ${what}: page and total`, known.large, known.small, searchMaxMs)]
  if (isFrequent)
    rows.unshift(limitRow(`  search for ${what}: the first time`, first.large, first.small, firstSearchMaxMs))
  return rows
}

const ms = (value: number) => value.toFixed(1)

function ratioRow(what: string, large: number, small: number): Row {
  const ratio = large / small
  return {
    what,
    ours: ms(large),
    floor: ms(small),
    ratio: `${ratio.toFixed(1)}×`,
    target: `≤ ${ratioMax}×`,
    met: ratio <= ratioMax,
  }
}

function limitRow(what: string, large: number, small: number, max: number): Row {
  const ratio = `${(large / small).toFixed(1)}×`
  return { what, ours: ms(large), floor: ms(small), ratio, target: `≤ ${max} ms`, met: large <= max }
}

function shotFor({ service }: Side, query: Record<string, string>): Shot {
  return {
    method: 'GET',
    path: `/v2/teams/${service.teamId}/runs?${new URLSearchParams(query).toString()}`,
    headers: { authorization: `Bearer ${service.apiKey}` },
    freshKey: false,
    status: 200,
  }
}

async function p50(bed: Bed, side: Side, query: Record<string, string>, requestsMax: number): Promise<number> {
  const { host, port } = side.service
  const result = await bed.load.run({ host, port, shot: shotFor(side, query), connections: 1, ms: 20_000, requestsMax })
  if (result.failures > 0) throw new Error(`a list failed: ${result.firstFailure}`)
  return result.p50Ms
}

const once = (bed: Bed, side: Side, query: Record<string, string>) => p50(bed, side, query, 1)

async function bothP50(
  bed: Bed,
  query: Shape['query'],
  large: Side,
  small: Side,
): Promise<{ large: number; small: number }> {
  const found: { large: number[]; small: number[] } = { large: [], small: [] }
  for (let round = 0; round <= rounds; round++) {
    const pair = [await p50(bed, large, query(large), requests), await p50(bed, small, query(small), requests)] as const
    // the first round warms up caches and plans
    if (round === 0) continue
    found.large.push(pair[0])
    found.small.push(pair[1])
  }
  return { large: median(found.large), small: median(found.small) }
}

/** The page by itself cannot be asked for by HTTP, and the difference of two medians is none: its statement is timed as it runs. */
async function bothPages(shape: Shape, large: Side, small: Side): Promise<{ large: number; small: number }> {
  const found: { large: number[]; small: number[] } = { large: [], small: [] }
  for (let round = 0; round <= rounds; round++) {
    const pair = [await pageP50(shape, large), await pageP50(shape, small)] as const
    if (round === 0) continue
    found.large.push(pair[0])
    found.small.push(pair[1])
  }
  return { large: median(found.large), small: median(found.small) }
}

async function pageP50(shape: Shape, side: Side): Promise<number> {
  const { sort_by = 'created_at', has_issues, ...query } = shape.query(side)
  const asked = { ...query, ...(has_issues !== undefined && { has_issues: has_issues === 'true' }) }
  const filter = filterOf({ team_id: side.service.teamId, member_id: crypto.randomUUID() }, asked)!
  const page: RunPage = { sort_by: sort_by as RunPage['sort_by'], sort_order: 'desc', limit: 20, offset: 0 }
  const totals = await totalsOf(side.db.sql, filter)
  const times: number[] = []
  for (let n = 0; n < requests; n++) {
    const startedAt = performance.now()
    await readRuns(side.db.sql, filter, totals, page)
    times.push(performance.now() - startedAt)
  }
  return median(times)
}
