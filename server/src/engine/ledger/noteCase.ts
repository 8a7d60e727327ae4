// A run notes the case that one of its calls claimed, in the transaction of that call.
import type { Sql } from '../../base/db.ts'

interface CaseOfRun {
  run_id: string
  case_id: string
  queue_id: string
  title: string
}

export async function noteCases(sql: Sql, claimed: CaseOfRun[]): Promise<void> {
  await sql`
    update runs r set case_id = w.case_id, case_queue_id = w.queue_id, case_title = w.title
    from unnest(
      ${claimed.map(({ run_id }) => run_id)}::uuid[], ${claimed.map(({ case_id }) => case_id)}::uuid[],
      ${claimed.map(({ queue_id }) => queue_id)}::uuid[], ${claimed.map(({ title }) => title)}::text[])
      as w (run_id, case_id, queue_id, title)
    where r.id = w.run_id`
}
