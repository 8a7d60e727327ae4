// A run notes the browser session that one of its calls opened, in the transaction of that call's result.
import type { Sql } from '../../base/db.ts'

export async function noteBrowserSession(sql: Sql, runId: string, sessionId: string): Promise<void> {
  await sql`update runs set browser_session_id = ${sessionId} where id = ${runId} and browser_session_id is distinct from ${sessionId}`
}
