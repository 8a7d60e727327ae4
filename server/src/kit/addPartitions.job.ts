// Makes the next partition of every partitioned table, some days before it is needed.
import { job } from './job.ts'
import { addPartition } from './partitions.ts'

export const addPartitions = job({
  name: 'addPartitions',
  safeToRepeat: 'a partition that is there is not made again',
  cron: '37 * * * *',
  async handler({ context }) {
    const { events, audit } = context.config.retentionDays
    // each by itself: what one of them could not have now, it gets an hour later
    await addPartition(context.db, 'event_batches', events)
    await addPartition(context.db, 'delivery_batches', events)
    await addPartition(context.db, 'audit_log', audit)
  },
})
