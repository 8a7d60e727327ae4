// What is deleted with runs: their evaluations, the counts of these, the judge's transcripts, and people's marks.
import { part } from '../../base/db.ts'
import type { Hooks } from '../../kit/feature.ts'
import { appendCounts } from './evalCounts.ts'

/** Scores count only runs that exist. */
export const forgetEvaluations: NonNullable<Hooks['runsDeleted']> = async ({ sql, teamId, runIds }) => {
  // before the evaluations, as the judge takes them
  await sql`delete from judgements where run_id = any(${runIds}::uuid[]) and team_id = ${teamId}`
  await sql`delete from run_marks where run_id = any(${runIds}::uuid[]) and team_id = ${teamId}`
  await sql`
    with gone as (
      delete from evaluations where run_id = any(${runIds}::uuid[]) and team_id = ${teamId} returning *
    ),
    transcript as (
      delete from evaluation_transcripts where run_id = any(${runIds}::uuid[]) and team_id = ${teamId}
    ),
    change as (select -1 as n, gone.* from gone where gone.counts)
    ${appendCounts(part`change`)}`
}
