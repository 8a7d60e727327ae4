// Counts of cases by what lists tell them apart: differences that triggers append (migrations/0022), folded by a job.
import { part, type Sql } from '../../../base/db.ts'
import { foldPieces, countsOf } from '../../../base/foldCounts.ts'

const allCounts = [
  countsOf(part`case_counts`, part`queue_id, display_status, priority`, part`cases`),
  countsOf(part`label_counts`, part`label_id, display_status, priority`, part`cases`),
  countsOf(part`case_hours`, part`queue_id, hour`, part`cases`),
]

export async function foldCounts(sql: Sql, signal?: AbortSignal): Promise<void> {
  for (const counts of allCounts) await foldPieces(sql, counts, signal)
}

/** More pieces than this are slow to add up: then they are folded now and not at the next minute. */
const piecesMax = 5000

export async function areInManyPieces(sql: Sql, queueIds: string[]): Promise<boolean> {
  const beyond = await sql`
    select 1 from case_counts where queue_id = any(${queueIds}::uuid[]) offset ${piecesMax + 18 * queueIds.length} limit 1`
  return beyond.length > 0
}
