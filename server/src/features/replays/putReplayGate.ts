// Sets, or takes away, the replay that promotions of an agent's builds need.
import { isId } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { nullable, Type } from '../../kit/schema.ts'
import { gateFields, readReplayGate, ReplayGateAnswer } from './replayGate.ts'

export const putReplayGate = operation({
  id: 'putReplayGate',
  client: 'replays.putGate',
  route: 'PUT /v2/agents/:agent_id/promotion-gate/replay',
  summary: 'Set the replay gate of an agent',
  description:
    'From now on promoteRevision refuses a build (409 `gate_not_met`) unless the latest finished replay of it against `replay_set_id` matched at least ' +
    '`min_match` and cost at most `max_cost_usd`, or `force_reason` is given. The replay must be of the build and the set as they are: a change of the ' +
    'build, or more recordings, ask for a new one. `min_match: null` removes the gate.',
  scope: 'evals:write',
  body: Type.Object(
    {
      min_match: nullable(gateFields.min_match),
      replay_set_id: Type.Optional(
        Type.String({ description: 'A replay set of this agent. Needed unless the gate is removed.' }),
      ),
      max_cost_usd: Type.Optional(gateFields.max_cost_usd),
    },
    { examples: [{ min_match: null }] },
  ),
  status: 200,
  answer: ReplayGateAnswer,
  errors: ['invalid_request', 'not_found'],
  async handler({ team, agent, caller, body, sql, fail }) {
    const { min_match, replay_set_id, max_cost_usd = null } = body
    if (min_match === null) {
      await sql`delete from replay_gates where agent_id = ${agent.id} and team_id = ${team.id}`
      return readReplayGate(sql, team.id, agent.id)
    }
    if (replay_set_id === undefined)
      return fail('invalid_request', 'replay_set_id: name the set against which builds must be replayed.')
    const sets = isId(replay_set_id)
      ? await sql`
          select id from replay_sets where id = ${replay_set_id} and team_id = ${team.id} and agent_id = ${agent.id}
            and not of_suggestion for key share`
      : []
    if (sets.length === 0) fail('not_found', 'The agent has no replay set with this replay_set_id.')
    await sql`
      insert into replay_gates (agent_id, team_id, set_id, min_match, max_cost_usd, updated_by)
      values (${agent.id}, ${team.id}, ${replay_set_id}, ${min_match}, ${max_cost_usd}::numeric, ${caller.member_id})
      on conflict (agent_id) do update set set_id = excluded.set_id, min_match = excluded.min_match, max_cost_usd = excluded.max_cost_usd,
        updated_by = excluded.updated_by, updated_at = now()`
    return readReplayGate(sql, team.id, agent.id)
  },
})
