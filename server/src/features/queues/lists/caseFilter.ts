// What a list of cases can be narrowed by, as a query or a body says it, and the condition on cases that it is.
import { part, type Part, type Sql } from '../../../base/db.ts'
import { rowCondition } from '../../../kit/lists/indexPath.ts'
import { searchWords } from '../../../kit/lists/words.ts'
import { instant, oneOf, Type, type Static } from '../../../kit/schema.ts'
import { spelled } from '../../../kit/spellings.ts'
import { caseStatuses, priorities, type CaseStatus, type Priority } from '../../../kit/states.ts'

const listOf = (values: readonly string[]) => `^(${values.join('|')})(,(${values.join('|')}))*$`

export const searchField = Type.String({
  maxLength: 500,
  description:
    'Words in title and data (of long data, in its first 20,000 characters); all of them must be there. ' +
    'A final asterisk makes the last word a prefix.',
  examples: ['invoice 47*'],
})

const times = {
  created_at_from: Type.Optional(instant('Cases created from this time on.')),
  updated_at_from: Type.Optional(instant('Cases that changed at this time or later.')),
}

const otherStatuses = { claimed: 'in_progress' }

/** The filter as a query spells it. */
export const queryFields = {
  status: spelled(
    Type.Optional(
      Type.String({
        pattern: listOf(caseStatuses),
        description: `One or more of ${caseStatuses.join(', ')}, separated by commas.`,
        examples: ['pending,postponed'],
      }),
    ),
    { words: otherStatuses },
  ),
  priority: Type.Optional(
    Type.String({
      pattern: listOf(priorities),
      description: `One or more of ${priorities.join(', ')}, separated by commas.`,
      examples: ['high'],
    }),
  ),
  search: Type.Optional(searchField),
  ...times,
}

const QueryFields = Type.Object(queryFields)

const keysMax = 10

/** The filter as a body spells it. An empty list is refused: some would read it as nothing, others as everything. */
export const CaseFilters = Type.Object(
  {
    status: spelled(Type.Optional(Type.Array(oneOf(caseStatuses), { minItems: 1, maxItems: caseStatuses.length })), {
      words: otherStatuses,
      commas: true,
    }),
    priority: spelled(Type.Optional(Type.Array(oneOf(priorities), { minItems: 1, maxItems: priorities.length })), {
      commas: true,
    }),
    labels: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String(), { minItems: 1, maxItems: 100 }), {
        maxProperties: keysMax,
        description: 'Keys with lists of values: for every given key a case must have one of the values.',
        examples: [{ region: ['north', 'south'] }],
      }),
    ),
    ...times,
  },
  { description: 'Only cases that match all of these.' },
)

export type CaseFilters = Static<typeof CaseFilters>

/** What is null, or empty, narrows nothing. Plain JSON, so that it can be kept. */
export interface CaseFilter {
  queueId: string
  statuses: CaseStatus[] | null
  priorities: number[] | null
  /** Ids of labels: one of each set must be on the case. */
  labelSets: string[][]
  createdFrom: string | null
  createdBefore: string | null
  updatedFrom: string | null
  /** A tsquery, as text. */
  words: string | null
}

/** Nothing but a time of creation is asked. */
export const asksOnlyTime = (filter: CaseFilter): boolean =>
  [filter.statuses, filter.priorities, filter.updatedFrom, filter.words].every((asked) => asked === null) &&
  filter.labelSets.length === 0

export const filtersOfQuery = (query: Static<typeof QueryFields>): CaseFilters => ({
  ...(query.status !== undefined && { status: query.status.split(',') as CaseStatus[] }),
  ...(query.priority !== undefined && { priority: query.priority.split(',') as Priority[] }),
  ...(query.created_at_from !== undefined && { created_at_from: query.created_at_from }),
  ...(query.updated_at_from !== undefined && { updated_at_from: query.updated_at_from }),
})

/** Undefined: no case can fit it. */
export async function caseFilterFrom(
  sql: Sql,
  queue: { id: string; team_id: string },
  asked: { filters?: CaseFilters | undefined; search?: string | undefined },
): Promise<CaseFilter | undefined> {
  const { status, priority, labels, created_at_from, updated_at_from } = asked.filters ?? {}
  const labelSets = await labelSetsOf(sql, queue, labels ?? {})
  if (labelSets.some((set) => set.length === 0)) return undefined
  const statuses = status && caseStatuses.filter((name) => status.includes(name))
  return {
    queueId: queue.id,
    statuses: statuses === undefined || statuses.length === caseStatuses.length ? null : statuses,
    priorities: priority ? [...new Set(priority.map((name) => priorities.indexOf(name)))] : null,
    labelSets,
    createdFrom: created_at_from ?? null,
    createdBefore: null,
    updatedFrom: updated_at_from ?? null,
    words: asked.search === undefined ? null : await searchWords(sql, queue.id, asked.search),
  }
}

async function labelSetsOf(
  sql: Sql,
  queue: { id: string; team_id: string },
  labels: Record<string, string[]>,
): Promise<string[][]> {
  const keys = Object.keys(labels)
  if (keys.length === 0) return []
  const found = await sql<{ id: string; key: string; value: string }>`
    select id, key, value from labels where queue_id = ${queue.id} and team_id = ${queue.team_id} and key = any(${keys}::text[])`
  return keys.map((key) =>
    found.filter((label) => label.key === key && labels[key]!.includes(label.value)).map(({ id }) => id),
  )
}

/** Condition on status and priority, of a case or of a count of cases. */
export const fitsState = (filter: CaseFilter, row: Part): Part => part`
  (${filter.statuses}::text[] is null or ${row}.display_status = any(${filter.statuses}::text[]))
    and (${filter.priorities}::int[] is null or ${row}.priority = any(${filter.priorities}::int[]))`

/** Condition on `cases c` in the filter's queue: all of the filter but its words. */
export const fitsRow = (filter: CaseFilter): Part =>
  rowCondition(part`${fitsState(filter, part`c`)} and c.updated_at >= ${filter.updatedFrom ?? '-infinity'}::timestamptz
    ${inTime(filter, part`c.created_at`)} ${filter.labelSets.reduce(hasOneOf, part``)}`)

const hasOneOf = (others: Part, ids: string[]): Part => part`${others}
    and ${isThere(part`case_labels l where l.case_id = c.id and l.label_id = any(${ids}::uuid[])`)}`

/** Looked up row by row: of an `exists` the planner may rather read all that there is into a table of its own. */
const isThere = (rows: Part): Part => part`(select true from ${rows} limit 1) is not null`

/** Condition on the column with a case's creation time, for a range of an index. Empty if the filter has no times. */
export const inTime = ({ createdFrom, createdBefore }: CaseFilter, column: Part): Part => part`
  ${createdFrom === null ? part`` : part`and ${column} >= ${createdFrom}::timestamptz`}
  ${createdBefore === null ? part`` : part`and ${column} < ${createdBefore}::timestamptz`}`

/** Condition on `cases c` in the filter's queue: the whole filter. */
export const fitsCase = (filter: CaseFilter): Part =>
  filter.words === null
    ? fitsRow(filter)
    : part`${fitsRow(filter)} and ${rowCondition(
        isThere(part`case_search s where s.queue_id = c.queue_id and s.created_at = c.created_at and s.case_id = c.id
          and s.words @@ ${filter.words}::tsquery`),
      )}`
