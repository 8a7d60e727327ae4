// Erases what guardrails counted and held back on days that are long over, and stops that are older than the logs they are about.
import { job } from '../../kit/job.ts'

const rowsAtOnce = 5000

export const sweepGuardrails = job({
  name: 'sweepGuardrails',
  safeToRepeat: 'deleting what is over finds nothing the second time',
  cron: '17 3 * * *',
  async handler({ sql, signal }) {
    await sql`delete from guardrail_days where day < (now() at time zone 'utc')::date - 40`
    await sql`delete from guardrail_holds where held_at < now() - interval '40 days'`
    for (let erased = rowsAtOnce; erased === rowsAtOnce;) {
      signal.throwIfAborted()
      const rows = await sql`
        delete from guardrail_stops where (run_id, step, rule) in (
          select run_id, step, rule from guardrail_stops where at < now() - interval '90 days' order by at limit ${rowsAtOnce})
        returning 1`
      erased = rows.length
    }
  },
})
