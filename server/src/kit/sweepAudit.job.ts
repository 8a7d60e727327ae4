// Erases audit rows that are older than the settings allow, in small transactions; refused requests have a shorter limit than changes.
import { one, type Sql } from '../base/db.ts'
import { job } from './job.ts'

const rowsAtOnce = 5000
/** The job stops after this time and does the rest an hour later. */
const sweepMaxMs = 10 * 60_000

export const sweepAudit = job({
  name: 'sweepAudit',
  safeToRepeat: 'what is erased is not found a second time',
  cron: '47 * * * *',
  async handler({ context, sql, signal }) {
    const { audit, refusals } = context.config.retentionDays
    const endsAt = performance.now() + sweepMaxMs
    const mayGoOn = () => !signal.aborted && performance.now() < endsAt
    if (refusals !== null) while (mayGoOn() && (await eraseSome(sql, true, refusals)) === rowsAtOnce);
    if (audit !== null) while (mayGoOn() && (await eraseSome(sql, false, audit)) === rowsAtOnce);
  },
})

async function eraseSome(sql: Sql, onlyRefused: boolean, days: number): Promise<number> {
  const erased = await one(sql<{ rows: number }>`
    select erase_old_audit(${onlyRefused}, ${days}, ${rowsAtOnce}) as rows`)
  return erased.rows
}
