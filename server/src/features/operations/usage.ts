// The tool operations_usage: runs, active time, tokens and cost by day, agent and model.
import { empty, part, type Sql } from '../../base/db.ts'
import { usageOf } from '../../engine/counting/usage.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { figures, firstRows, latestRows, shownSpan, sumOf } from './answer.ts'
import { dayOf, daysOf, spanBefore, spanFields, spanOf, type Span } from './span.ts'
import { agentField, agentIdOf, namesOf } from './teamAgents.ts'

const groupings = ['day', 'agent', 'model', 'agent_model', 'day_model'] as const
type Grouping = (typeof groupings)[number]

const usual = '30d'
/** Stands for the hidden agents of all artifacts. */
const artifactsName = 'Artifacts'

export const operationsUsage = figures({
  name: 'operations_usage',
  description:
    'Read what this team used: runs, active seconds, calls of models, tokens, and cost in US dollars (cost_usd). `rows` is a list of flat ' +
    'objects: by day {day, …}, by agent {agent_id, agent, …, cost_per_run}, by model {model, …}, by agent_model {agent_id, agent, model, …}, by ' +
    'day_model {day, model, …} for a chart with a series for each model. Days are in order, other rows have the most expensive first. Runs and ' +
    'active_s belong to agents, so rows of models do not have them. The cost of builders and judges counts too. What the pages of artifacts used ' +
    'is one row of the agent “Artifacts”, and their runs are not counted. `totals` adds up the whole time, and `before` the time of the same ' +
    'length before it. Whole days of UTC. At most 500 rows; left_out says how many more there are.',
  input: Type.Object(
    {
      by: Type.Optional(oneOf(groupings, { description: 'What a row stands for. day unless given.', default: 'day' })),
      agent: agentField,
      ...spanFields(usual),
    },
    { additionalProperties: false },
  ),
  async read({ sql, teamId, input, now }) {
    const by = input.by ?? 'day'
    const span = spanOf(input, { now, usual, unit: 'day' })
    const agentId = await agentIdOf(sql, teamId, input.agent)
    const used = await readUsed(sql, { teamId, agentId, by, span })
    const before = await readUsed(sql, { teamId, agentId, by: 'day', span: spanBefore(span) })
    const ids = used.flatMap(({ agent_id }) => agent_id ?? [])
    const names = ids.length === 0 ? new Map<string, string>() : await namesOf(sql, teamId, ids)
    return {
      by,
      ...shownSpan(span),
      ...rowsOf(by, { used, names, days: daysOf(span) }),
      totals: totalsOfUsage(used),
      before: totalsOfUsage(before),
    }
  },
})

interface Used {
  day: string | null
  agent_id: string | null
  model: string | null
  runs: number
  active_s: number
  calls: number
  input_tokens: number
  output_tokens: number
  tokens: number
  cost_usd: number
}

interface Wanted {
  teamId: string
  agentId: string | undefined
  by: Grouping
  span: Span
}

/** A hidden agent works for an artifact, whose name may be private: all of them are one. Agents are looked up for the sums. */
export const readUsed = (sql: Sql, { teamId, agentId, by, span }: Wanted) => sql<Used>`
  with summed as materialized (
    select ${by.startsWith('day') ? part`day` : part`null::date as day`}, agent_id, ${by.endsWith('model') ? part`model` : part`null::text as model`},
      sum(runs) as runs, sum(active_ms) as active_ms, sum(calls) as calls, sum(input_tokens) as input_tokens,
      sum(output_tokens) as output_tokens, sum(cost_usd) as cost_usd
    from (${usageOf(teamId, { since: dayOf(span.since), until: dayOf(span.until) })}) used
    ${agentId === undefined ? empty : part`where agent_id = ${agentId}`}
    group by 1, 2, 3
  ),
  known as materialized (
    select summed.*, coalesce((select a.is_hidden from agents a where a.id = summed.agent_id), false) as is_hidden from summed
  )
  select to_char(day, 'YYYY-MM-DD') as day, ${by.startsWith('agent') ? part`case when not is_hidden then agent_id end` : part`null::uuid`} as agent_id,
    model, coalesce(sum(runs) filter (where not is_hidden), 0)::bigint as runs, (sum(active_ms) / 1000)::float8 as active_s,
    sum(calls)::bigint as calls, sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens,
    sum(input_tokens + output_tokens)::bigint as tokens, sum(cost_usd)::float8 as cost_usd
  from known group by 1, 2, 3`

export function totalsOfUsage(used: Used[]) {
  const runs = sumOf(used, (row) => row.runs)
  const cost_usd = sumOf(used, (row) => row.cost_usd)
  return {
    runs,
    active_s: sumOf(used, (row) => row.active_s),
    calls: sumOf(used, (row) => row.calls),
    input_tokens: sumOf(used, (row) => row.input_tokens),
    output_tokens: sumOf(used, (row) => row.output_tokens),
    tokens: sumOf(used, (row) => row.tokens),
    cost_usd,
    cost_per_run: costPerRun({ runs, cost_usd }),
  }
}

interface Shown {
  used: Used[]
  names: Map<string, string>
  days: string[]
}

function rowsOf(by: Grouping, { used, names, days }: Shown) {
  if (by === 'day') {
    const known = new Map(used.map((row) => [row.day, row]))
    return latestRows(days.map((day) => ({ day, ...ofRun(known.get(day)), ...ofCalls(known.get(day)) })))
  }
  if (by === 'day_model') return latestRows(byDayAndModel(used, days))
  const sorted = used.toSorted((a, b) => b.cost_usd - a.cost_usd || b.tokens - a.tokens || b.runs - a.runs)
  const agentOf = ({ agent_id: id }: Used) => ({
    agent_id: id,
    agent: id === null ? artifactsName : (names.get(id) ?? id),
  })
  if (by === 'agent') {
    // what belongs to no agent, such as a delivery, uses neither time nor tokens
    const ofAgents = sorted.filter(
      ({ agent_id, active_s, calls, cost_usd }) => agent_id !== null || active_s + calls + cost_usd > 0,
    )
    return firstRows(
      ofAgents.map((row) => ({ ...agentOf(row), ...ofRun(row), ...ofCalls(row), cost_per_run: costPerRun(row) })),
    )
  }
  const ofModels = sorted.filter(({ model }) => model !== null)
  return firstRows(
    ofModels.map((row) => ({ ...(by === 'agent_model' && agentOf(row)), model: row.model, ...ofCalls(row) })),
  )
}

/** How many models have a series of their own; the others are added up. */
const modelsMax = 7
const others = 'Other models'

/** Every day has a row for each model: a chart needs the days without calls too. */
function byDayAndModel(used: Used[], days: string[]) {
  const costs = [
    ...Map.groupBy(
      used.filter(({ model }) => model !== null),
      ({ model }) => model,
    ),
  ].map(([model, rows]) => ({
    model,
    cost: sumOf(rows, (row) => row.cost_usd),
    tokens: sumOf(rows, (row) => row.tokens),
  }))
  const ranked = costs.toSorted((a, b) => b.cost - a.cost || b.tokens - a.tokens).map(({ model }) => model)
  const shown = ranked.length > modelsMax + 1 ? [...ranked.slice(0, modelsMax), others] : ranked
  const nameOf = (model: string | null) => (shown.includes(model) ? model : others)
  const known = Map.groupBy(used, ({ day, model }) => `${day} ${nameOf(model)}`)
  return days.flatMap((day) => shown.map((model) => ({ day, model, ...added(known.get(`${day} ${model}`) ?? []) })))
}

const added = (rows: Used[]) => ({
  calls: sumOf(rows, (row) => row.calls),
  tokens: sumOf(rows, (row) => row.tokens),
  cost_usd: sumOf(rows, (row) => row.cost_usd),
})

const ofRun = (row: Used | undefined) => ({ runs: row?.runs ?? 0, active_s: row?.active_s ?? 0 })

const ofCalls = (row: Used | undefined) => ({
  calls: row?.calls ?? 0,
  input_tokens: row?.input_tokens ?? 0,
  output_tokens: row?.output_tokens ?? 0,
  tokens: row?.tokens ?? 0,
  cost_usd: row?.cost_usd ?? 0,
})

const costPerRun = ({ runs, cost_usd }: { runs: number; cost_usd: number }): number | null =>
  runs === 0 ? null : cost_usd / runs
