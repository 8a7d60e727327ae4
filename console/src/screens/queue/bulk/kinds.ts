// What can be done to many cases at once.
import type { BulkAction } from '@runyard/sdk'
import type { IconName } from '../../../look/Icon.tsx'

export const bulkKinds = ['pending', 'completed', 'failed', 'reprocess', 'priority', 'delete'] as const
export type BulkKind = (typeof bulkKinds)[number]

export const bulkVerbs: Record<BulkKind, string> = {
  pending: 'Make pending',
  completed: 'Complete',
  failed: 'Fail',
  reprocess: 'Work again on',
  priority: 'Set the priority of',
  delete: 'Delete',
}

export const bulkIcons: Record<BulkKind, IconName> = {
  pending: 'left',
  completed: 'check',
  failed: 'cross',
  reprocess: 'retry',
  priority: 'up',
  delete: 'trash',
}

export const bulkSays: Record<BulkKind, string> = {
  pending: 'Each goes back to the beginning, and agents that work the queue take it. A postponement ends.',
  completed: 'Each ends as completed. Results stay as they are.',
  failed: 'Each ends as failed.',
  reprocess:
    'Each goes back to the beginning for the agent that you choose. What its runs did outside may be done again.',
  priority: 'Cases with a higher priority start first. Runs under way continue.',
  delete: 'They are gone for good, with their data, labels and timelines.',
}

/** Why some are left out. */
export const bulkSkips: Record<BulkKind, string> = {
  pending: 'Runs that work on them are stopped. Cases that another member holds are left out.',
  completed: 'Runs that work on them are stopped. Cases that another member holds are left out.',
  failed: 'Runs that work on them are stopped. Cases that another member holds are left out.',
  reprocess: 'Runs that work on them are stopped. Cases that another member holds are left out.',
  priority: 'Those that have it already are left out.',
  delete: 'Runs that work on them are stopped, whoever holds them.',
}

/** While it works: `Deleting cases`. */
export const bulkDoing: Record<BulkAction['kind'], string> = {
  delete: 'Deleting cases',
  reprocess: 'Working again on cases',
  update_status: 'Setting the status of cases',
  update_priority: 'Setting the priority of cases',
}

export const bulkDone = ({ deleted_count, reprocessed_count, updated_count }: Counts): number =>
  deleted_count + reprocessed_count + updated_count

type Counts = Pick<BulkAction, 'deleted_count' | 'reprocessed_count' | 'updated_count'>
