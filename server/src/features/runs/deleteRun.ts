// Deletes a run that has ended, with everything that is stored about it.
import { deleteRuns } from '../../engine/ending/deleteRuns.ts'
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'

export const deleteRun = operation({
  id: 'deleteRun',
  client: 'runs.delete',
  route: 'DELETE /v2/runs/:run_id',
  summary: 'Delete a run',
  description:
    'Erases the run, its messages, steps, human requests, events and files. Only an ended run can be deleted; stop it first. The runs ' +
    'that it started stay. A very long log disappears at once and is erased from the disk a little later.',
  scope: 'runs:write',
  status: 200,
  answer: Success,
  errors: ['conflict', 'not_found'],
  async handler({ team, run, context, sql, fail }) {
    const deleted = await deleteRuns(context, sql, team.id, [run.id])
    if (deleted.length > 0) return { success: true as const }
    const [active] = await sql`select id from runs where id = ${run.id} and team_id = ${team.id}`
    if (!active) return fail('not_found')
    return fail('conflict', 'The run has not ended. Stop it first, then delete it.')
  },
})
