// A bulk action: one action on many cases, and how far it has come.
import { part } from '../../../base/db.ts'
import { resource } from '../../../kit/resources.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../../kit/schema.ts'
import { endedCaseStatuses, type Priority } from '../../../kit/states.ts'
import type { CaseFilter } from '../lists/caseFilter.ts'

export const bulkStatuses = ['pending', ...endedCaseStatuses] as const

/** What a bulk action does to each case. */
export type CaseAction =
  | { kind: 'delete' }
  | { kind: 'reprocess'; agent_id: string | null }
  | { kind: 'update_status'; status: (typeof bulkStatuses)[number] }
  | { kind: 'update_priority'; priority: Priority }

const kinds = ['delete', 'reprocess', 'update_status', 'update_priority'] as const

/** What the row of an action in progress stores: what it does, and to which cases. Stored rows know the action as `deed`. */
export interface BulkSettings {
  deed: CaseAction
  filter: CaseFilter
}

const Count = Type.Integer({ minimum: 0 })

/** The counts that do not belong to the kind of action are 0. */
const counts = {
  deleted_count: Count,
  reprocessed_count: Count,
  updated_count: Count,
  skipped_count: Type.Integer({
    minimum: 0,
    description: 'Cases that were as wanted already, or that another member holds.',
  }),
  stopped_run_ids: Type.Array(Id, { description: 'The runs that were stopped for it; the first 10,000 of them.' }),
}

/** The answer of an action, whether it is done or still in progress. */
export const bulkAnswer = {
  ...counts,
  bulk_action_id: nullable(Id),
  status: oneOf(['running', 'completed'], {
    description: '`running`: the rest is done in the background; getBulkAction shows the progress.',
  }),
}

export const BulkAction = named(
  'BulkAction',
  Type.Object({
    id: Id,
    queue_id: Id,
    user_id: nullable(Id),
    kind: oneOf(kinds),
    status: oneOf(['running', 'completed', 'failed', 'stopped']),
    total: nullable(
      Type.Integer({ minimum: 0, description: 'How many cases matched at the start; null: nobody counted them.' }),
    ),
    ...counts,
    error: nullable(Type.String({ description: 'Why it failed. What it had done by then stays done.' })),
    created_at: Time,
    completed_at: nullable(Time),
  }),
)

export type BulkAction = Static<typeof BulkAction>

export const bulkActionResource = resource(
  'bulk_action',
  (sql, id, teamId) => sql<BulkAction>`
    select ${bulkActionColumns} from bulk_actions where id = ${id} and team_id = ${teamId}`,
)

export const bulkActionColumns = part`
  id, queue_id, user_id, kind, status, total_count as total,
  case when kind = 'delete' then changed_count else 0 end as deleted_count,
  case when kind = 'reprocess' then changed_count else 0 end as reprocessed_count,
  case when kind in ('update_status', 'update_priority') then changed_count else 0 end as updated_count,
  skipped_count, stopped_run_ids, error, created_at, completed_at`

declare module '../../../kit/resources.ts' {
  interface Resources {
    bulk_action: BulkAction
  }
}
