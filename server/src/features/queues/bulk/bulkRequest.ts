// What the bulk operations share: which cases are meant. Few cases are changed at once, many are left to the job.
import type { Sql } from '../../../base/db.ts'
import { isId, newId } from '../../../base/ids.ts'
import type { Context } from '../../../kit/context.ts'
import type { Enqueue } from '../../../kit/job.ts'
import { refuseFor } from '../../../kit/problems.ts'
import { Type, type Static } from '../../../kit/schema.ts'
import { changeCases, type Bulk, type Done } from './changeCases.ts'
import { bulkAnswer, type CaseAction, type BulkSettings } from './bulkAction.ts'
import { caseFilterFrom, CaseFilters, searchField, type CaseFilter } from '../lists/caseFilter.ts'
import { found } from '../lists/caseLists.ts'
import { bulkLine, carryOnBulkActions } from './carryOnBulkActions.job.ts'

/** How many cases are changed inside the request. It took 1.3 s to complete this many, most of it for their timeline and events. */
const casesInRequestMax = 10_000

/** Exactly one of `case_ids` and `all_matching`. */
export const chosenCases = {
  case_ids: Type.Optional(
    Type.Array(Type.String(), { minItems: 1, maxItems: 100, description: 'These cases of the queue.' }),
  ),
  all_matching: Type.Optional(
    Type.Boolean({ description: 'All cases of the queue that match `filters` and `search`; without both, all cases.' }),
  ),
  filters: Type.Optional(CaseFilters),
  search: Type.Optional(searchField),
}

const Chosen = Type.Object(chosenCases)
const Answer = Type.Object(bulkAnswer)

interface Asked {
  team: { id: string }
  queue: { id: string; team_id: string }
  caller: { member_id: string }
  context: Context
  sql: Sql
  enqueue: Enqueue
  fail: (code: 'invalid_request' | 'not_found', message?: string) => never
}

export async function actInBulk(
  asked: Asked & { body: Static<typeof Chosen> },
  action: CaseAction,
): Promise<Static<typeof Answer>> {
  const { queue, body, sql } = asked
  const isListed = body.case_ids !== undefined
  const problems: string[] = []
  if (isListed === (body.all_matching === true)) problems.push('Say either case_ids or all_matching: true.')
  if (isListed && (body.filters !== undefined || body.search !== undefined)) {
    problems.push('filters and search go with all_matching: true. Leave them out beside case_ids.')
  }
  refuseFor(problems)
  if (body.case_ids) return actNow(asked, action, await listedIds(asked, body.case_ids))
  const filter = await caseFilterFrom(sql, queue, body)
  return filter ? actOnMatching(asked, action, filter) : actNow(asked, action, [])
}

export async function actOnMatching(
  asked: Asked,
  action: CaseAction,
  filter: CaseFilter,
): Promise<Static<typeof Answer>> {
  const page = { sort_by: 'created_at', sort_order: 'asc', limit: casesInRequestMax, offset: 0 } as const
  const { total, ids } = await found(asked.sql, filter, page)
  return total > casesInRequestMax ? leaveToJob(asked, action, filter, total) : actNow(asked, action, ids)
}

async function listedIds({ team, queue, sql, fail }: Asked, wanted: string[]): Promise<string[]> {
  const ids = [...new Set(wanted)]
  const rows = await sql<{ id: string }>`
    select id from cases where id = any(${ids.filter(isId)}::uuid[]) and queue_id = ${queue.id} and team_id = ${team.id}`
  const known = new Set(rows.map(({ id }) => id))
  const missing = wanted.flatMap((id, index) => (known.has(id) ? [] : [`case_ids.${index}`]))
  if (missing.length > 0) {
    const says = `This queue has no case with the id of ${missing.join(', ')}. Nothing was changed; leave it out and try again.`
    fail('not_found', says)
  }
  return ids
}

async function actNow(asked: Asked, action: CaseAction, ids: string[]): Promise<Static<typeof Answer>> {
  const { team, queue, caller, context, sql } = asked
  const bulk: Bulk = { teamId: team.id, queueId: queue.id, userId: caller.member_id, action }
  // in the order of ids: two actions on the same cases wait for each other and do not deadlock
  const done = await changeCases(context, sql, bulk, ids.toSorted())
  return { ...countsOf(action, done), bulk_action_id: null, status: 'completed' }
}

async function leaveToJob(
  asked: Asked,
  action: CaseAction,
  filter: CaseFilter,
  total: number,
): Promise<Static<typeof Answer>> {
  const { team, queue, caller, sql, enqueue } = asked
  const id = newId()
  const settings: BulkSettings = { deed: action, filter }
  await sql`
    insert into bulk_actions (id, team_id, queue_id, user_id, kind, settings, until_created_at, total_count)
    values (${id}, ${team.id}, ${queue.id}, ${caller.member_id}, ${action.kind}, ${JSON.stringify(settings)}::jsonb, now(), ${total})`
  await enqueue(carryOnBulkActions, { bulk_action_id: id, team_id: team.id }, { queueName: bulkLine(team.id) })
  const none = { changed: 0, skipped: 0, stoppedRunIds: [] }
  return { ...countsOf(action, none), bulk_action_id: id, status: 'running' }
}

function countsOf({ kind }: CaseAction, { changed, skipped, stoppedRunIds }: Omit<Done, 'others'>) {
  return {
    deleted_count: kind === 'delete' ? changed : 0,
    reprocessed_count: kind === 'reprocess' ? changed : 0,
    updated_count: kind === 'update_status' || kind === 'update_priority' ? changed : 0,
    skipped_count: skipped,
    stopped_run_ids: stoppedRunIds,
  }
}
