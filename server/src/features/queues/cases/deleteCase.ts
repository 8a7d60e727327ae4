// Deletes a case and stops the run that works on it.
import { part } from '../../../base/db.ts'
import { stopRunsAndLog } from '../../../engine/ending/stopRunsAndLog.ts'
import { operation } from '../../../kit/operation.ts'
import { Id, Type } from '../../../kit/schema.ts'

/** Between the read and the lock another run may take the case: then that run is checked. */
const roundsMax = 3

export const deleteCase = operation({
  id: 'deleteCase',
  client: 'cases.delete',
  route: 'DELETE /v2/cases/:case_id',
  summary: 'Delete a case',
  description: 'The run that works on it is stopped, with the runs it started. Runs of the past stay readable.',
  scope: 'queues:write',
  status: 200,
  answer: Type.Object({ success: Type.Literal(true), stopped_run_ids: Type.Array(Id) }),
  errors: ['conflict', 'not_found'],
  async handler({ team, case: { id }, context, sql, fail }) {
    const holder = part`select claimed_by_run_id as run_id from cases where id = ${id} and team_id = ${team.id}`
    for (let round = 0; round < roundsMax; round++) {
      // everywhere, runs are locked before cases, and cases before the slots that a stop frees
      const [seen] = await sql<{ run_id: string | null }>`${holder}`
      if (seen?.run_id) await sql`select id from runs where id = ${seen.run_id} and team_id = ${team.id} for update`
      const [held] = await sql<{ run_id: string | null }>`${holder} for update`
      if (!held) return fail('not_found')
      if (held.run_id !== seen?.run_id) continue
      const stopped = held.run_id === null ? [] : await stopRunsAndLog(context, sql, [held.run_id])
      await sql`delete from cases where id = ${id} and team_id = ${team.id}`
      return { success: true as const, stopped_run_ids: stopped.map((run) => run.id) }
    }
    return fail(
      'conflict',
      'Runs take this case faster than it can be deleted. Switch off its trigger, then try again.',
    )
  },
})
