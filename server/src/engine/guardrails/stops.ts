// What guardrails stopped: one row for each call and rule, written with the record of the call.
import type { Sql } from '../../base/db.ts'
import type { Stop } from './judge.ts'

/** A call that is stopped again by the same rule, after a wait or a restart, stays one stop. */
export async function noteStop(
  sql: Sql,
  call: { runId: string; teamId: string; step: number; tool: string },
  { rule, way, version, says, until }: Stop,
): Promise<void> {
  await sql`
    insert into guardrail_stops (run_id, team_id, step, tool, rule, way, version, says, until)
    values (${call.runId}, ${call.teamId}, ${call.step}, ${call.tool}, ${rule}, ${way}, ${version}, ${says},
      ${until === undefined ? null : new Date(until)})
    on conflict (run_id, step, rule) do update set until = excluded.until, version = excluded.version, says = excluded.says, way = excluded.way`
}
