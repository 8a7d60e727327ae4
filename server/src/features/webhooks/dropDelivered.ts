// Deliveries go with their events, also when a whole partition of events is dropped.
import type { Hooks } from '../../kit/feature.ts'
import { enqueueOn } from '../../kit/job.ts'
import { dropPartition, partitionsOf } from '../../kit/partitions.ts'
import { eraseDelivered } from './eraseDelivered.job.ts'

/** Drops those that are in batches. The others are few, and are erased afterwards. */
export const dropDelivered: NonNullable<Hooks['eventsDropped']> = async ({ sql, past: end, kept }) => {
  for (const { name, past } of await partitionsOf(sql, 'delivery_batches')) {
    if (past !== null && past <= end) await dropPartition(sql, 'delivery_batches', name, kept)
  }
  await enqueueOn(sql)(eraseDelivered, { past: end })
}
