// Deletes a replay set with its recordings and the replays of builds against it.
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'
import { endReplaysOf } from './beginReplay.ts'

export const deleteReplaySet = operation({
  id: 'deleteReplaySet',
  client: 'replays.deleteSet',
  route: 'DELETE /v2/replay-sets/:replay_set_id',
  summary: 'Delete a replay set',
  description:
    'Its recordings and all replays against it go with it, also those that run. A set that the replay gate of its agent asks for is not deleted ' +
    '(409): change the gate first.',
  scope: 'evals:write',
  status: 200,
  answer: Success,
  errors: ['conflict', 'not_found'],
  async handler({ team, replay_set, sql, fail }) {
    // whoever sets a gate to it right now is waited for
    const sets = await sql`select id from replay_sets where id = ${replay_set.id} and team_id = ${team.id} for update`
    if (sets.length === 0) fail('not_found')
    const gates = await sql`select agent_id from replay_gates where set_id = ${replay_set.id} and team_id = ${team.id}`
    if (gates.length > 0) {
      fail(
        'conflict',
        'The replay gate of the agent asks for this set. Set the gate to another one, or remove it, first.',
      )
    }
    await endReplaysOf(sql, [replay_set.id], team.id)
    await sql`delete from replay_sets where id = ${replay_set.id} and team_id = ${team.id}`
    return { success: true as const }
  },
})
