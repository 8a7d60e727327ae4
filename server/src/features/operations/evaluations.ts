// The tool operations_evaluations: how the runs of agents were evaluated, and which checks did not pass.
import { part, type Sql } from '../../base/db.ts'
import { platformChecks } from '../../kit/platformChecks.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import type { Severity } from '../../kit/states.ts'
import { figures, firstRows, latestRows, shareOf, shownSpan } from './answer.ts'
import { daysOf, spanFields, spanOf, type Span } from './span.ts'
import { agentField, agentIdOf, agentsWithRuns, namesOf } from './teamAgents.ts'

const groupings = ['agent', 'day'] as const
const usual = '30d'

export const operationsEvaluations = figures({
  name: 'operations_evaluations',
  description:
    'Read how this team’s runs were evaluated. Each run counts once, by its latest finished evaluation, at the time at which it ended. `rows`: by ' +
    'agent {agent_id, agent, evaluated, passed, with_issues, pass_rate, critical, medium, low}, by day the same with day. passed: every ' +
    'check that applies passed. critical, medium and low count the checks of that severity that did not pass. `checks` lists those checks, the most ' +
    'frequent first: {check, severity, runs}. `totals` adds up the whole time. Whole hours of UTC. At most 500 rows; left_out says how many more there are.',
  input: Type.Object(
    {
      by: Type.Optional(
        oneOf(groupings, { description: 'What a row stands for. agent unless given.', default: 'agent' }),
      ),
      agent: agentField,
      ...spanFields(usual),
    },
    { additionalProperties: false },
  ),
  async read({ sql, teamId, input, now }) {
    const by = input.by ?? 'agent'
    const span = spanOf(input, { now, usual, unit: 'hour' })
    const agentId = await agentIdOf(sql, teamId, input.agent)
    const counted = await countEvaluations(sql, { teamId, agentId, by, span })
    const groups = new Map(
      [...Map.groupBy(counted, ({ key }) => key)].map(([key, rows]) => [key, figuresOfEvaluations(rows)]),
    )
    return {
      by,
      ...shownSpan(span),
      ...(by === 'day'
        ? latestRows(daysOf(span).map((day) => ({ day, ...(groups.get(day) ?? figuresOfEvaluations([])) })))
        : firstRows(await ofAgents(sql, teamId, groups))),
      totals: figuresOfEvaluations(counted),
      checks: checksOf(counted).slice(0, checksMax),
    }
  },
})

/** How many checks an answer lists. */
const checksMax = 50

interface Counted {
  /** The day, or the id of the agent. */
  key: string
  flag: string
  label: string | null
  severity: Severity | null
  evaluated: number
  with_issues: number
}

interface Wanted {
  teamId: string
  agentId: string | undefined
  by: (typeof groupings)[number]
  span: Span
}

/**
 * The severity and the name of a custom check are those of its rubric in the build that was evaluated. They are looked up for the sums: there are
 * many more counts.
 */
export const countEvaluations = (sql: Sql, { teamId, agentId, by, span }: Wanted): Promise<Counted[]> => sql<Counted>`
  with shown as materialized (${agentId === undefined ? agentsWithRuns(teamId) : part`select ${agentId}::uuid as agent_id`}),
  summed as materialized (
    select ${by === 'day' ? part`floor(c.hour / 24.0)::int` : part`c.agent_id`} as key, c.build_id, c.flag, sum(c.evaluated) as evaluated,
      sum(c.with_issues) as with_issues
    from shown join eval_counts c on c.agent_id = shown.agent_id and c.team_id = ${teamId}
      and c.hour >= run_hour(${span.since}::timestamptz) and c.hour < run_hour(${span.until}::timestamptz)
    group by 1, 2, 3
  )
  select ${by === 'day' ? part`(date '1970-01-01' + s.key)::text` : part`s.key::text`} as key, s.flag, r.title as label, r.severity,
    sum(s.evaluated)::bigint as evaluated, sum(s.with_issues)::bigint as with_issues
  from summed s left join eval_rubrics r on starts_with(s.flag, 'custom__') and r.build_id = s.build_id and r.slug = substr(s.flag, 9)
  group by 1, 2, 3, 4 having sum(s.evaluated) <> 0 or sum(s.with_issues) <> 0`

const own: Record<string, { label: string; severity: Severity } | undefined> = platformChecks

const severityOf = ({ flag, severity }: Counted): Severity | undefined => severity ?? own[flag]?.severity

export function figuresOfEvaluations(rows: Counted[]) {
  const sum = (fits: (row: Counted) => boolean, of: 'evaluated' | 'with_issues') =>
    rows.reduce((all, row) => all + (fits(row) ? row[of] : 0), 0)
  const evaluated = sum(({ flag }) => flag === 'all', 'evaluated')
  const with_issues = sum(({ flag }) => flag === 'all', 'with_issues')
  const missed = (severity: Severity) => sum((row) => severityOf(row) === severity, 'with_issues')
  return {
    evaluated,
    passed: evaluated - with_issues,
    with_issues,
    pass_rate: shareOf(evaluated - with_issues, evaluated),
    critical: missed('critical'),
    medium: missed('medium'),
    low: missed('low'),
  }
}

type Figures = ReturnType<typeof figuresOfEvaluations>

async function ofAgents(sql: Sql, teamId: string, groups: Map<string, Figures>) {
  const names = await namesOf(sql, teamId, [...groups.keys()])
  const rows = [...groups].map(([agent_id, row]) => ({ agent_id, agent: names.get(agent_id) ?? agent_id, ...row }))
  return rows.toSorted((one, other) => other.evaluated - one.evaluated || (one.agent < other.agent ? -1 : 1))
}

function checksOf(counted: Counted[]) {
  const missed = counted.filter(({ flag }) => flag !== 'all' && flag !== 'custom')
  const named = missed.map((row) => ({
    check: row.label ?? own[row.flag]?.label ?? row.flag,
    severity: severityOf(row) ?? null,
    runs: row.with_issues,
  }))
  const groups = [...Map.groupBy(named, ({ check, severity }) => `${severity} ${check}`).values()]
  return groups
    .flatMap(([first, ...others]) =>
      first ? [{ ...first, runs: others.reduce((all, { runs }) => all + runs, first.runs) }] : [],
    )
    .toSorted((one, other) => other.runs - one.runs || (one.check < other.check ? -1 : 1))
}
