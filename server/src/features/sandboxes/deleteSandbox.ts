// Deletes a sandbox with all its files.
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'
import { endSandboxes, eraseSome } from './eraseSandboxes.ts'
import { lockFreeSandbox } from './workspace/sandbox.ts'
import { activeList } from '../../engine/ledger/lifecycle.ts'

export const deleteSandbox = operation({
  id: 'deleteSandbox',
  client: 'sandboxes.delete',
  route: 'DELETE /v2/sandboxes/:sandbox_id',
  summary: 'Delete a sandbox',
  description:
    'Deletes its files too, also if a run used it. Refused while a command runs in it or its run has not ended.',
  scope: 'sandboxes:write',
  status: 200,
  answer: Success,
  errors: ['sandbox_busy'],
  async handler({ team, sandbox, sql, fail }) {
    await lockFreeSandbox(sql, sandbox)
    const [run] = await sql<{ id: string }>`
      select r.id from sandboxes s join runs r on r.id = s.run_id and r.team_id = s.team_id
      where s.id = ${sandbox.sandbox_id} and s.team_id = ${team.id} and r.status in ${activeList}`
    if (run) {
      fail('sandbox_busy', `The run ${run.id} has this sandbox and has not ended. Wait for its end, or stop it first.`)
    }
    await endSandboxes(sql, [sandbox.sandbox_id])
    // few files go at once, many with the sweep
    await eraseSome(sql, [sandbox.sandbox_id])
    return { success: true as const }
  },
})
