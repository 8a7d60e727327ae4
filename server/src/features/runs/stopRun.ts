// Stops a run, with the runs that it started; nothing is written for it after the answer.
import { hasEnded, type Status } from '../../engine/ledger/lifecycle.ts'
import { stopRunsAndLog } from '../../engine/ending/stopRunsAndLog.ts'
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { RunStatus } from './run.ts'

export const stopRun = operation({
  id: 'stopRun',
  client: 'runs.stop',
  route: 'POST /v2/runs/:run_id/stop',
  summary: 'Stop a run',
  description:
    'Stops the current step within a second, cancels the open human requests of the run and stops the runs that it started. A run that ' +
    'has already ended does not change, and the answer says so.',
  scope: 'runs:write',
  status: 200,
  answer: Type.Object({
    success: Type.Literal(true),
    run_id: Id,
    status: RunStatus,
    message: Type.Optional(Type.String({ description: 'Why nothing was changed; absent otherwise.' })),
  }),
  errors: ['not_found'],
  async handler({ team, run, context, sql, fail }) {
    // with the run above it, which wakes: both by their ids, the one order of locks
    const locked = await sql<{ id: string; status: Status }>`
      select id, status from runs where id = any(${[run.id, run.parent_run_id ?? run.id]}::uuid[]) and team_id = ${team.id}
      order by id for update`
    const now = locked.find(({ id }) => id === run.id)
    if (!now) return fail('not_found')
    if (hasEnded(now.status)) {
      const message = `The run had ended already (${now.status}); nothing was changed.`
      return { success: true as const, run_id: run.id, status: now.status, message }
    }
    await stopRunsAndLog(context, sql, [run.id])
    return { success: true as const, run_id: run.id, status: 'stopped' as const }
  },
})
