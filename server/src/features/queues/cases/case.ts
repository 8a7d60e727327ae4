// A case: one piece of work in a queue, held by one run or one person at a time.
import { part, type Part, type Sql } from '../../../base/db.ts'
import { Case } from '../../../kit/event.ts'
import {
  bytesOf,
  listed,
  longJson,
  longText,
  markTruncated,
  truncatedColumn,
  withinPage,
} from '../../../kit/pageBytes.ts'
import { resource } from '../../../kit/resources.ts'
import type { Static } from '../../../kit/schema.ts'
import { priorityName, shownStatus } from './caseLifecycle.ts'

export { Case }
export type Case = Static<typeof Case>

const columnsWith = (data: Part, result: Part): Part => part`
  c.id, c.queue_id, c.title, ${data} as data,
  ${shownStatus} as status, c.display_status,
  ${priorityName} as priority,
  array(
    select json_build_object('id', l.id, 'key', l.key, 'value', l.value, 'color_hue', l.color_hue)
    from case_labels cl join labels l on l.id = cl.label_id where cl.case_id = c.id order by l.key, l.value, l.id) as labels,
  c.claimed_at, c.claimed_by_run_id, c.claimed_by_user_id, c.completed_at, c.postponed_to, c.attempts, ${result} as result, c.reason,
  c.pending_human_request_id,
  c.created_by_user_id, c.created_at, c.updated_at`

const data = longText(part`c.data`)
const result = longJson(part`c.result`)

/** The columns of `cases c`, as the API shows them. */
export const caseColumns = columnsWith(data.whole, result.whole)

/** The cases of a page, in the order of these ids. A case that was deleted since then is left out. */
export async function casesById(sql: Sql, teamId: string, ids: string[]): Promise<Case[]> {
  if (ids.length === 0) return []
  const sizes = part`
    select c.id, wanted.place, ${bytesOf([data, result])} as bytes
    from unnest(${ids}::uuid[]) with ordinality as wanted (id, place) join cases c on c.id = wanted.id and c.team_id = ${teamId}`
  const rows = await sql<Case>`
    select ${columnsWith(listed(data), listed(result))}, ${truncatedColumn([data, result])}
    from ${withinPage(sizes)} page join cases c on c.id = page.id where c.team_id = ${teamId} order by page.place`
  return markTruncated(rows)
}

/** What handlers know of a case that its id names. */
export type FoundCase = Case & { team_id: string }

export const caseResource = resource(
  'case',
  (sql, id, teamId) => sql<FoundCase>`
    select ${caseColumns}, c.team_id from cases c
    -- what is left of a deleted queue is being erased
    where c.id = ${id} and c.team_id = ${teamId} and exists (select from queues q where q.id = c.queue_id)`,
)

declare module '../../../kit/resources.ts' {
  interface Resources {
    case: FoundCase
  }
}
