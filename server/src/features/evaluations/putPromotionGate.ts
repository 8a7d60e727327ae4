// Sets, or takes away, the gate before the promotions of an agent's builds.
import { operation } from '../../kit/operation.ts'
import { nullable, Type } from '../../kit/schema.ts'
import { GateAnswer, gateFields, lastRunsUnlessGiven, readGate } from './promotionGate.ts'

export const putPromotionGate = operation({
  id: 'putPromotionGate',
  client: 'evaluations.putPromotionGate',
  route: 'PUT /v2/agents/:agent_id/promotion-gate',
  summary: 'Set the promotion gate of an agent',
  description:
    'From now on promoteRevision refuses a build (409 `gate_not_met`) whose latest `last_runs` evaluated runs score below `min_score`, or that ' +
    'has fewer of them, unless `force_reason` is given. The score is the mean share of checks that passed. `min_score: null` removes the gate.',
  scope: 'evals:write',
  body: Type.Object(
    { min_score: nullable(gateFields.min_score), last_runs: Type.Optional(gateFields.last_runs) },
    { examples: [{ min_score: 0.9, last_runs: 10 }] },
  ),
  status: 200,
  answer: GateAnswer,
  async handler({ team, agent, caller, body, sql }) {
    const { min_score, last_runs = lastRunsUnlessGiven } = body
    if (min_score === null) {
      await sql`delete from promotion_gates where agent_id = ${agent.id} and team_id = ${team.id}`
    } else {
      await sql`
        insert into promotion_gates as g (agent_id, team_id, min_score, last_runs, updated_by)
        values (${agent.id}, ${team.id}, ${min_score}, ${last_runs}, ${caller.member_id})
        on conflict (agent_id) do update set min_score = excluded.min_score, last_runs = excluded.last_runs,
          updated_by = excluded.updated_by, updated_at = now()`
    }
    return readGate(sql, team.id, agent.id)
  },
})
