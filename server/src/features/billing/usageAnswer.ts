// What a team used in a span of days, added up as a whole and by day, agent, model and purpose.
import { part, type Part, type Sql } from '../../base/db.ts'
import { foldRunCounts } from '../../engine/counting/foldRunCounts.job.ts'
import { foldUsage } from '../../engine/counting/foldUsage.job.ts'
import { storedOf, usageOf, type Days } from '../../engine/counting/usage.ts'
import type { Enqueue } from '../../kit/job.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'

const count = (description?: string) => Type.Integer({ minimum: 0, ...(description !== undefined && { description }) })
const dollars = (description?: string) => Type.Number({ minimum: 0, ...(description !== undefined && { description }) })
const seconds = Type.Number({
  minimum: 0,
  description: 'With milliseconds; counted on the day on which a stretch ended.',
})

export const Usage = named(
  'BillingUsage',
  Type.Object({
    period_start: Time,
    period_end: Time,
    runs: Type.Object(
      { total: count(), completed: count(), failed: count(), stopped: count() },
      {
        description:
          'Runs that were created in the period, and how those have ended by now. Erased runs stay counted; one that continued ' +
          'after its end is counted once, by how it ended last.',
      },
    ),
    active_seconds: seconds,
    input_tokens: count(),
    output_tokens: count(),
    model_cost_usd: dollars('Of runs, builders and judges; by the prices that this server knows.'),
    sandbox_bytes: count('What sandboxes hold now, or held at the end of a period that is over; earlier contents too.'),
    webhook_deliveries: count('Those that their receivers took.'),
    by_day: Type.Array(
      Type.Object({
        day: Type.String({ format: 'date', examples: ['2026-07-18'] }),
        runs: count(),
        active_seconds: seconds,
        tokens: count(),
        cost_usd: dollars(),
      }),
      { description: 'Days of UTC on which something was used, the earliest first.' },
    ),
    by_agent: Type.Array(
      Type.Object({
        agent_id: Id,
        agent_name: nullable(Type.String()),
        is_artifact: Type.Boolean({
          description:
            'Whether it is the hidden agent of an artifact. Runs of artifacts are listed with `source=artifact`.',
        }),
        runs: count(),
        active_seconds: seconds,
        tokens: count(),
        cost_usd: dollars(),
      }),
      { description: 'The most expensive first.' },
    ),
    by_model: Type.Array(
      Type.Object({
        model: Type.String({ examples: ['anthropic:claude-sonnet-4-5'] }),
        calls: count(),
        input_tokens: count(),
        output_tokens: count(),
        tokens: count(),
        cost_usd: dollars(),
      }),
      { description: 'The most expensive first.' },
    ),
    by_purpose: Type.Array(
      Type.Object({
        purpose: oneOf(['run', 'builder', 'judge', 'replay']),
        calls: count(),
        tokens: count(),
        cost_usd: dollars(),
      }),
      { description: 'By the purpose of the calls, the most expensive first.' },
    ),
    unsettled: Type.Object(
      { calls: count(), cost_usd_max: dollars() },
      {
        description:
          'Calls of a model whose answer was lost, because a process died, a run was stopped or a connection broke. The provider ' +
          'may have answered and charge for them, at most this; they are in no other figure.',
      },
    ),
  }),
)

interface Row {
  by: 'all' | 'day' | 'agent_id' | 'model' | 'purpose'
  day: string | null
  agent_id: string | null
  agent_name: string | null
  is_artifact: boolean
  model: string | null
  purpose: 'run' | 'builder' | 'judge' | 'replay' | null
  runs: number
  completed: number
  failed: number
  stopped: number
  active_seconds: number
  calls: number
  input_tokens: number
  output_tokens: number
  tokens: number
  cost_usd: number
  unsettled_calls: number
  unsettled_usd: number
  deliveries: number
  sandbox_bytes: number
  unfolded: number
}

/** More entries than this make usage slow to read: then they are folded now and not at the next minute. */
const unfoldedMax = 5000

interface Asked {
  sql: Sql
  enqueue: Enqueue
  teamId: string
  /** The member who asks: the name of somebody's private artifact is not for others. */
  memberId: string
}

/** The name of the agent `a`, unless it is somebody else's private artifact. */
export const agentNameFor = (memberId: string): Part =>
  part`case when not a.is_hidden or coalesce(artifact_reader(a.id) = ${memberId}::uuid, true) then a.name end`

export async function readUsage({ sql, enqueue, teamId, memberId }: Asked, days: Days): Promise<Static<typeof Usage>> {
  const rows = await sql<Row>`
    with used as materialized (${usageOf(teamId, days)}),
    sums as (
      select case when grouping(day) = 0 then 'day' when grouping(agent_id) = 0 then 'agent_id' when grouping(model) = 0 then 'model'
          when grouping(purpose) = 0 then 'purpose' else 'all' end as by,
        to_char(day, 'YYYY-MM-DD') as day, agent_id, model, purpose, coalesce(sum(runs), 0)::bigint as runs, coalesce(sum(completed), 0)::bigint as completed,
        coalesce(sum(failed), 0)::bigint as failed, coalesce(sum(stopped), 0)::bigint as stopped,
        (coalesce(sum(active_ms), 0) / 1000)::float8 as active_seconds, coalesce(sum(calls), 0)::bigint as calls,
        coalesce(sum(input_tokens), 0)::bigint as input_tokens, coalesce(sum(output_tokens), 0)::bigint as output_tokens,
        coalesce(sum(input_tokens + output_tokens), 0)::bigint as tokens, coalesce(sum(cost_usd), 0)::float8 as cost_usd,
        coalesce(sum(unsettled_calls), 0)::bigint as unsettled_calls, coalesce(sum(unsettled_usd), 0)::float8 as unsettled_usd,
        coalesce(sum(deliveries), 0)::bigint as deliveries, count(*) filter (where not is_folded) as unfolded
      from used group by grouping sets ((), (day), (agent_id), (model), (purpose))
    )
    select sums.*, ${agentNameFor(memberId)} as agent_name, coalesce(a.is_hidden, false) as is_artifact, ${storedOf(teamId, days)} as sandbox_bytes
    from sums left join agents a on a.id = sums.agent_id and a.team_id = ${teamId}
    order by sums.day, sums.cost_usd desc, tokens desc, sums.runs desc, sums.agent_id, sums.model, sums.purpose`
  const all = rows.find(({ by }) => by === 'all')!
  if (all.unfolded > unfoldedMax) {
    await enqueue(foldUsage, {}, { key: foldUsage.name })
    await enqueue(foldRunCounts, {}, { key: foldRunCounts.name })
  }
  return { ...periodOf(days), ...totalsOf(all), ...listsOf(rows) }
}

/** The days that were counted, as an answer has them. */
export const periodOf = ({ since, until }: Days) => ({
  period_start: `${since}T00:00:00.000Z`,
  period_end: `${until}T00:00:00.000Z`,
})

const totalsOf = (all: Row) => ({
  runs: { total: all.runs, completed: all.completed, failed: all.failed, stopped: all.stopped },
  active_seconds: all.active_seconds,
  input_tokens: all.input_tokens,
  output_tokens: all.output_tokens,
  model_cost_usd: all.cost_usd,
  sandbox_bytes: all.sandbox_bytes,
  webhook_deliveries: all.deliveries,
  unsettled: { calls: all.unsettled_calls, cost_usd_max: all.unsettled_usd },
})

function listsOf(rows: Row[]) {
  const by = <T>(name: Row['by'], shown: (row: Row) => T): T[] =>
    rows.filter((row) => row.by === name && row[name as 'day'] !== null).map(shown)
  return {
    by_day: by('day', ({ day, runs, active_seconds, tokens, cost_usd }) => {
      return { day: day!, runs, active_seconds, tokens, cost_usd }
    }),
    by_agent: by('agent_id', ({ agent_id, agent_name, is_artifact, runs, active_seconds, tokens, cost_usd }) => {
      return { agent_id: agent_id!, agent_name, is_artifact, runs, active_seconds, tokens, cost_usd }
    }),
    by_model: by('model', ({ model, calls, input_tokens, output_tokens, tokens, cost_usd }) => {
      return { model: model!, calls, input_tokens, output_tokens, tokens, cost_usd }
    }),
    by_purpose: by('purpose', ({ purpose, calls, tokens, cost_usd }) => {
      return { purpose: purpose!, calls, tokens, cost_usd }
    }),
  }
}
