// Runs note what their latest evaluation found, in the transaction that writes it: lists are narrowed by it.
import type { Sql } from '../../base/db.ts'

interface EvaluationOfRun {
  run_id: string
  /** `{passed, total, final_comment, severity_counts: {critical, medium, low}}` */
  summary: object
}

export async function noteEvaluations(sql: Sql, noted: EvaluationOfRun[]): Promise<void> {
  if (noted.length === 0) return
  const ids = noted.map(({ run_id }) => run_id)
  await sql`
    update runs r set eval_summary = w.summary
    from json_to_recordset(${JSON.stringify(noted)}::json) as w (run_id uuid, summary jsonb)
    where r.id = any(${ids}::uuid[]) and r.id = w.run_id`
}
