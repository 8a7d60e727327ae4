// Makes the next partition of every partitioned table, some days before it is needed, and lets PostgreSQL know what all of them have together.
import { job } from './job.ts'
import { addPartition, analyzeIfChanged } from './partitions.ts'

export const addPartitions = job({
  name: 'addPartitions',
  safeToRepeat: 'a partition that is there is not made again',
  cron: '37 * * * *',
  async handler({ context }) {
    const { events, audit } = context.config.retentionDays
    for (const [table, days] of [
      ['event_batches', events],
      ['delivery_batches', events],
      ['audit_log', audit],
    ] as const) {
      // each by itself: what one of them could not have now, it gets an hour later
      await addPartition(context.db, table, days)
      await analyzeIfChanged(context.db, table)
    }
  },
})
