// Runs whose events a test writes by itself, so that it decides when each one is committed.
import type { Database, Sql } from '../../src/base/db.ts'
import { newId } from '../../src/base/ids.ts'
import { logForRun } from '../../src/engine/ledger/logForRun.ts'
import type { TestTeam } from './seed.ts'

/** A running run that no worker holds. */
export async function seedRunningRun({ sql, id: teamId }: TestTeam): Promise<string> {
  const id = newId()
  await sql`
    insert into runs (id, team_id, agent_id, build_id, run_number, source, title, status, started_at)
    select ${id}, ${teamId}, a.id, b.id, nextval('run_numbers'), 'api', 'Followed', 'running', now()
    from agents a join builds b on b.agent_id = a.id and b.status = 'live' where a.team_id = ${teamId} limit 1`
  return id
}

/** So many events, in the transaction of `sql`. */
export async function logEvents(sql: Sql, runId: string, count = 1, path = 'a.txt'): Promise<void> {
  const data = { path, size_bytes: 1, sha256: 'a'.repeat(64), content_type: 'text/plain' }
  await logForRun(
    sql,
    runId,
    Array.from({ length: count }, () => ({ event: 'run.file.created' as const, data })),
  )
}

const usage = { steps: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 }

/** Uses one transaction, as the engine does: whoever sees the end also sees its event. */
export async function endRun(db: Database, runId: string): Promise<void> {
  await db.transaction(async (sql) => {
    await sql`update runs set status = 'completed', completed_at = now() where id = ${runId}`
    const data = { status: 'completed', output: null, duration_ms: 1, usage }
    await logForRun(sql, runId, [{ event: 'run.completed', data }])
  })
}
