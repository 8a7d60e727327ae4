// Lists which agents used which model in a span of days: the way from the cost of a model to the runs behind it.
import { usageOf } from '../../engine/counting/usage.ts'
import { operation } from '../../kit/operation.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../kit/schema.ts'
import { agentNameFor, periodOf } from './usageAnswer.ts'
import { daysAsked, daysFields, daysRule } from './usageDays.ts'

const rowsMax = 500

const count = Type.Integer({ minimum: 0 })

const ModelUsage = named(
  'ModelUsage',
  Type.Object({
    model: Type.String({ examples: ['anthropic:claude-sonnet-4-5'] }),
    agent_id: Id,
    agent_name: nullable(Type.String()),
    is_artifact: Type.Boolean({ description: 'Whether it is the hidden agent of an artifact.' }),
    calls: count,
    input_tokens: count,
    output_tokens: count,
    tokens: count,
    cost_usd: Type.Number({ minimum: 0 }),
  }),
)

export const listModelUsage = operation({
  id: 'listModelUsage',
  client: 'billing.modelUsage',
  route: 'GET /v2/teams/:teamId/billing/usage/models',
  summary: 'List usage by model and agent',
  description:
    `Which agent used which model, for whole days of UTC: at most ${rowsMax} rows, the most expensive first. ` +
    `\`left_out\` says how many more there are. ${daysRule}`,
  scope: 'billing:read',
  query: Type.Object(daysFields),
  status: 200,
  answer: Type.Object({
    model_usage: Type.Array(ModelUsage),
    left_out: count,
    period_start: Time,
    period_end: Time,
    team_id: Id,
  }),
  errors: ['invalid_request'],
  async handler({ team, caller, query, sql, fail }) {
    const days = await daysAsked(sql, query, fail)
    const rows = await sql<Static<typeof ModelUsage>>`
      with used as materialized (
        select model, agent_id, sum(calls)::bigint as calls, sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens,
          sum(input_tokens + output_tokens)::bigint as tokens, sum(cost_usd)::float8 as cost_usd
        from (${usageOf(team.id, days)}) u where model is not null and agent_id is not null group by 1, 2
      )
      select used.*, ${agentNameFor(caller.member_id)} as agent_name, coalesce(a.is_hidden, false) as is_artifact
      from used left join agents a on a.id = used.agent_id and a.team_id = ${team.id}
      order by used.cost_usd desc, used.tokens desc, used.model, used.agent_id`
    return {
      model_usage: rows.slice(0, rowsMax),
      left_out: Math.max(0, rows.length - rowsMax),
      ...periodOf(days),
      team_id: team.id,
    }
  },
})
