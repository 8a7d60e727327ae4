// Which sandbox is a run's workspace.
import type { Sql } from '../../../base/db.ts'
import { isThere } from './sandbox.ts'
import type { WorkspaceRef } from './workspace.ts'

/** Undefined: it wrote no file yet, or its sandbox is gone. */
export async function sandboxOfRun(
  sql: Sql,
  run: { team_id: string; sandbox_id: string | null },
): Promise<WorkspaceRef | undefined> {
  const [place] = await sql<WorkspaceRef>`
    select s.id as sandbox_id, s.team_id from sandboxes s
    where s.id = ${run.sandbox_id} and s.team_id = ${run.team_id} and ${isThere}`
  return place
}
