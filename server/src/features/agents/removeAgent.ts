// Removes an agent, whoever asks: an operation, or the record that a hidden agent belongs to.
import type { Sql } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import { runHooks } from '../../kit/registry.ts'
import { endBuilderRunsOf } from './builder/builderRun.ts'

/** False: it was removed before. */
export async function removeAgent(of: {
  sql: Sql
  context: Context
  teamId: string
  agentId: string
}): Promise<boolean> {
  const { sql, teamId, agentId } = of
  const deleted = await sql`
    update agents set deleted_at = now(), updated_at = now()
    where id = ${agentId} and team_id = ${teamId} and deleted_at is null returning id`
  if (deleted.length === 0) return false
  await endBuilderRunsOf(sql, { agentId, teamId })
  await runHooks('agentDeleted', of)
  return true
}
