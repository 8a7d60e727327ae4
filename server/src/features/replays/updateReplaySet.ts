// Renames a replay set.
import { sqlState, uniqueViolation } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { ReplaySet, setColumns, setFields, takenName } from './replaySet.ts'

export const updateReplaySet = operation({
  id: 'updateReplaySet',
  client: 'replays.updateSet',
  route: 'PATCH /v2/replay-sets/:replay_set_id',
  summary: 'Rename a replay set',
  scope: 'evals:write',
  body: Type.Object({ name: setFields.name }, { examples: [{ name: 'Invoices of April' }] }),
  status: 200,
  answer: wrapped('replay_set', 'replay_set_id', ReplaySet),
  errors: ['duplicate_name', 'not_found'],
  async handler({ team, replay_set, body, sql, fail }) {
    try {
      const [changed] = await sql<ReplaySet>`
        update replay_sets s set name = ${body.name}, updated_at = now()
        where s.id = ${replay_set.id} and s.team_id = ${team.id} returning ${setColumns}`
      if (!changed) return fail('not_found')
      return { replay_set: changed, replay_set_id: changed.id }
    } catch (error) {
      if (sqlState(error) !== uniqueViolation) throw error
      return fail('duplicate_name', takenName)
    }
  },
})
