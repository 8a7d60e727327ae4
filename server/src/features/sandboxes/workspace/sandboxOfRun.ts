// Which sandbox is a run's workspace.
import type { Sql } from '../../../base/db.ts'
import type { WorkspaceRef } from './workspace.ts'

/** Undefined: it wrote no file yet, or its sandbox is gone. */
export async function sandboxOfRun(
  sql: Sql,
  run: { team_id: string; sandbox_id: string | null },
): Promise<WorkspaceRef | undefined> {
  const [place] = await sql<WorkspaceRef>`
    select id as sandbox_id, team_id from sandboxes where id = ${run.sandbox_id} and team_id = ${run.team_id}`
  return place
}
