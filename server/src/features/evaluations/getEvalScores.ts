// Reports how the runs of an agent have scored: how many had issues, which, and on which days.
import type { Sql } from '../../base/db.ts'
import { idForFilter } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { instant, oneOf, Type } from '../../kit/schema.ts'
import { countsOfOne } from './evalCounts.ts'
import { platformRubrics } from './platformRubrics.ts'

const Count = Type.Integer({ minimum: 0 })

interface Counted {
  day: string
  flag: string
  evaluated: number
  with_issues: number
}

export const getEvalScores = operation({
  id: 'getEvalScores',
  client: 'evaluations.scores',
  route: 'GET /v2/agent/:agentId/eval-scores',
  summary: 'Get the scores of an agent',
  description:
    'Each run counts once, by its latest finished evaluation and on the day (UTC) on which it ended. `with_issues`: something did not ' +
    'pass. `flag_distribution` has the flags that did not pass, most frequent first, each with the number of runs.',
  scope: 'evals:read',
  query: Type.Object({
    since: Type.Optional(instant('Runs that ended then or later; 30 days ago unless given.')),
    scope: Type.Optional(
      oneOf(['all', 'custom'], {
        description: '`custom`: only the team’s own rubrics, of runs that a model judged by them.',
      }),
    ),
    revision_id: Type.Optional(Type.String({ description: 'Only runs of this build.' })),
  }),
  status: 200,
  answer: Type.Object({
    total_evaluated: Count,
    with_issues: Count,
    flag_distribution: Type.Array(Type.Object({ flag: Type.String(), label: Type.String(), count: Count })),
    series: Type.Array(
      Type.Object({
        day: Type.String({
          description: 'A day of UTC; days without evaluated runs are left out.',
          examples: ['2026-07-18'],
        }),
        evaluated: Count,
        with_issues: Count,
      }),
    ),
  }),
  async handler({ team, agent, query, context, sql }) {
    const since = query.since ?? new Date(context.clock.now().getTime() - 30 * 86_400_000).toISOString()
    const buildId = query.revision_id === undefined ? null : idForFilter(query.revision_id)
    const isCustom = query.scope === 'custom'
    // whole hours come from their counts; in the hour of `since`, the evaluations after it are counted one by one
    const rows = await sql<Counted>`
      with counted as (
        select hour, flag, evaluated, with_issues from eval_counts
        where agent_id = ${agent.id} and team_id = ${team.id} and hour > run_hour(${since}::timestamptz)
          and (${buildId}::uuid is null or build_id = ${buildId})
        union all
        select run_hour(${since}::timestamptz), f.flag, f.evaluated, f.with_issues from evaluations e, lateral ${countsOfOne} f
        where e.agent_id = ${agent.id} and e.team_id = ${team.id} and e.counts and e.run_ended_at >= ${since}
          and e.run_ended_at < to_timestamp((run_hour(${since}::timestamptz) + 1) * 3600.0)
          and (${buildId}::uuid is null or e.build_id = ${buildId})
      )
      select (date '1970-01-01' + floor(hour / 24.0)::int)::text as day, flag, sum(evaluated)::bigint as evaluated,
        sum(with_issues)::bigint as with_issues
      from counted group by 1, 2 having sum(evaluated) <> 0 or sum(with_issues) <> 0 order by 1`
    const days = rows.filter(({ flag }) => flag === (isCustom ? 'custom' : 'all'))
    const flags = rows.filter(({ flag }) => flag !== 'all' && flag !== 'custom' && (!isCustom || isOwn(flag)))
    const labels = await labelsOf(sql, team.id, agent.id)
    return {
      total_evaluated: total(days.map(({ evaluated }) => evaluated)),
      with_issues: total(days.map(({ with_issues }) => with_issues)),
      flag_distribution: [...Map.groupBy(flags, ({ flag }) => flag)]
        .map(([flag, all]) => {
          return { flag, label: labels.get(flag) ?? flag, count: total(all.map(({ with_issues }) => with_issues)) }
        })
        .toSorted((one, other) => other.count - one.count || (one.flag < other.flag ? -1 : 1)),
      series: days.map(({ day, evaluated, with_issues }) => ({ day, evaluated, with_issues })),
    }
  },
})

const isOwn = (flag: string): boolean => flag.startsWith('custom__')

const total = (counts: number[]): number => counts.reduce((sum, count) => sum + count, 0)

/** The current title of each flag: that of a custom flag comes from the newest of the agent's rubrics that has it. */
async function labelsOf(sql: Sql, teamId: string, agentId: string): Promise<Map<string, string>> {
  const own = await sql<{ flag: string; title: string }>`
    select distinct on (slug) 'custom__' || slug as flag, title from eval_rubrics
    where agent_id = ${agentId} and team_id = ${teamId} order by slug, id desc`
  return new Map([
    ...platformRubrics.map(({ key, label }) => [key, label] as const),
    ...own.map(({ flag, title }) => [flag, title] as const),
  ])
}
