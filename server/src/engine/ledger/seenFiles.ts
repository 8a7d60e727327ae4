// The pictures and PDF files that came with the result of a step, as the log has them: by reference.
import type { Sql } from '../../base/db.ts'
import type { SeenFile } from '../../drivers/model/model.ts'
import { callIdOf } from './change.ts'

export async function readSeenFiles(sql: Sql, runId: string, step: number): Promise<SeenFile[]> {
  const [found] = await sql<{ files: SeenFile[] | null }>`
    select opaque -> 'files' as files from run_messages
    where run_id = ${runId} and type = 'tool_result' and opaque ? 'files' and tool_result ->> 'tool_call_id' = ${callIdOf(runId, step)}`
  return found?.files ?? []
}
