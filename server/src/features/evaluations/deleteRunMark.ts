// Takes back what a member said of a run.
import { operation } from '../../kit/operation.ts'

export const deleteRunMark = operation({
  id: 'deleteRunMark',
  client: 'evaluations.unmark',
  route: 'DELETE /v2/runs/:run_id/mark',
  summary: 'Take back your mark of a run',
  description: 'Marks of others stay. Without a mark of yours nothing changes.',
  scope: 'evals:write',
  status: 204,
  async handler({ team, run, caller, sql }) {
    await sql`delete from run_marks where run_id = ${run.id} and member_id = ${caller.member_id} and team_id = ${team.id}`
  },
})
