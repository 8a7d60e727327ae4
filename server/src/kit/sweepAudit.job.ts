// Erases audit rows that are older than the settings allow; refused requests have a shorter limit than changes.
import { one, type Sql } from '../base/db.ts'
import { withShortLock } from '../base/shortLock.ts'
import { job } from './job.ts'
import { dropPartition, erasedByRow, oldPartitions, partitionsOf } from './partitions.ts'

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
    if (audit !== null) {
      for (const { name } of await oldPartitions(sql, 'audit_log', audit))
        // if others are busy for too long, the next sweep tries again
        await withShortLock(context.db, (tx) => dropPartition(tx, 'audit_log', name, []))
    }
    const partitions = await partitionsOf(sql, 'audit_log')
    const all = partitions.length === 0 ? ['audit_log'] : partitions.map(({ name }) => name)
    const erase = async (from: string[], onlyRefused: boolean, days: number) => {
      for (const name of from) while (mayGoOn() && (await eraseSome(sql, name, onlyRefused, days)) === rowsAtOnce);
    }
    if (refusals !== null) await erase(all, true, refusals)
    if (audit !== null) await erase(erasedByRow('audit_log', partitions), false, audit)
  },
})

async function eraseSome(sql: Sql, partition: string, onlyRefused: boolean, days: number): Promise<number> {
  const erased = await one(sql<{ rows: number }>`
    select erase_old_audit(${onlyRefused}, ${days}, ${rowsAtOnce}, ${partition}) as rows`)
  return erased.rows
}
