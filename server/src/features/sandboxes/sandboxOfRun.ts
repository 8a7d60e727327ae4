// Which sandbox is a run's workspace.
import type { Sql } from '../../base/db.ts'
import type { Place } from './workspace.ts'

/** The one that it was given, or the one that was made for it; undefined: it wrote no file yet, or its sandbox is gone. */
export async function sandboxOfRun(
  sql: Sql,
  run: { id: string; team_id: string; sandbox_id: string | null },
): Promise<Place | undefined> {
  const [place] = await sql<Place>`
    select id as sandbox_id, team_id from sandboxes
    where team_id = ${run.team_id}
      and id = coalesce(${run.sandbox_id}::uuid, (select id from sandboxes where run_id = ${run.id} and team_id = ${run.team_id}))`
  return place
}
