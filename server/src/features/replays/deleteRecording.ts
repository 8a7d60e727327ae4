// Takes a recorded run out of its replay set.
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'

export const deleteRecording = operation({
  id: 'deleteRecording',
  client: 'replays.deleteRecording',
  route: 'DELETE /v2/recordings/:recording_id',
  summary: 'Delete a recording',
  description: 'The run itself stays. Reports of replays keep their figures.',
  scope: 'evals:write',
  status: 200,
  answer: Success,
  errors: ['not_found'],
  async handler({ team, recording, sql, fail }) {
    // before the recording, as everywhere
    await sql`select id from replay_sets where id = ${recording.replay_set_id} and team_id = ${team.id} for no key update`
    const deleted = await sql`
      delete from replay_recordings where id = ${recording.id} and team_id = ${team.id} returning id`
    if (deleted.length === 0) fail('not_found')
    return { success: true as const }
  },
})
