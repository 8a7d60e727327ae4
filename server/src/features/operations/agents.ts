// The tool operations_agents: one row for each agent, with how its runs ended, how they were evaluated, and what they used.
import type { Sql } from '../../base/db.ts'
import { Type } from '../../kit/schema.ts'
import { figures, firstRows, shownSpan } from './answer.ts'
import { countEvaluations, figuresOfEvaluations } from './evaluations.ts'
import { countRuns, figuresOfRuns, totalsOfRuns } from './runs.ts'
import { spanBefore, spanFields, spanOf, type Span } from './span.ts'
import { namesOf } from './teamAgents.ts'
import { readUsed, totalsOfUsage } from './usage.ts'

const usual = '30d'

export const operationsAgents = figures({
  name: 'operations_agents',
  description:
    'Compare this team’s agents. `rows` has one flat object for each agent that did something, the one with the most runs first: {agent_id, agent, runs, ' +
    'active, completed, failed, stopped, success_rate, evaluated, passed, with_issues, pass_rate, critical, medium, low, active_s, calls, input_tokens, ' +
    'output_tokens, tokens, cost_usd, cost_per_run}. The columns mean what they mean in operations_runs, operations_evaluations and operations_usage. ' +
    '`totals` adds up all agents, with how many there are, and `before` the time of the same length before it. Whole days of UTC. At most 500 rows; left_out says how many more ' +
    'there are.',
  input: Type.Object(spanFields(usual), { additionalProperties: false }),
  async read({ sql, teamId, input, now }) {
    const span = spanOf(input, { now, usual, unit: 'day' })
    const { rows, totals } = await compare(sql, teamId, span)
    const { totals: before } = await compare(sql, teamId, spanBefore(span))
    return { ...shownSpan(span), ...firstRows(rows), totals, before }
  },
})

async function compare(sql: Sql, teamId: string, span: Span) {
  const wanted = { teamId, agentId: undefined, by: 'agent', span } as const
  const runs = await countRuns(sql, wanted)
  const evaluations = await countEvaluations(sql, wanted)
  const evaluated = Map.groupBy(evaluations, ({ key }) => key)
  const used = await readUsed(sql, wanted)
  const usage = Map.groupBy(used, ({ agent_id }) => agent_id)
  const ids = new Set([...runs.keys(), ...evaluated.keys(), ...used.flatMap(({ agent_id }) => agent_id ?? [])])
  const names = await namesOf(sql, teamId, [...ids])
  const rows = [...ids].map((agent_id) => ({
    agent_id,
    agent: names.get(agent_id) ?? agent_id,
    ...totalsOfUsage(usage.get(agent_id) ?? []),
    ...figuresOfRuns(runs.get(agent_id) ?? {}),
    ...figuresOfEvaluations(evaluated.get(agent_id) ?? []),
  }))
  const totals = {
    agents: rows.length,
    ...totalsOfUsage(used),
    ...totalsOfRuns(runs),
    ...figuresOfEvaluations(evaluations),
  }
  return { rows: rows.toSorted((a, b) => b.runs - a.runs || (a.agent < b.agent ? -1 : 1)), totals }
}
