// Index paths through the cases of a queue: for each field of a filter the index that it can be followed by, and what is asked of the rows on it.
import { part, type Part } from '../../../base/db.ts'
import { constantLimit } from '../../../kit/longLists.ts'
import { fitsCase, inTime, type CaseFilter } from './caseFilter.ts'

/** Up to how many rows a walk has a limit: without one the planner would sort the table instead. */
const rowsReadMax = 10_000

/** `label`: the cases of one set of labels. `change`: those that changed since. */
type IndexPath = { by: 'all' | 'status' | 'priority' | 'change' } | { by: 'label'; set: string[] }

/** A path, and how many cases lie on it. */
export type Measured = IndexPath & { length: number }

/** All that fit lie on this path, and nothing else does: its index alone answers. */
function isWhole(filter: CaseFilter, path: IndexPath): boolean {
  const { statuses, priorities, labelSets, updatedFrom, words } = filter
  const others = [
    path.by !== 'status' && statuses !== null,
    path.by !== 'priority' && priorities !== null,
    labelSets.length > (path.by === 'label' ? 1 : 0),
    path.by !== 'change' && updatedFrom !== null,
    words !== null,
  ]
  return !others.includes(true)
}

/** A row that must be looked at costs more than one that is only passed. */
const lookCost = 4

/** What it costs to go a path to its end. */
export const costOf = (filter: CaseFilter, path: Measured): number =>
  path.length * (isWhole(filter, path) ? 1 : lookCost)

const fitting = (filter: CaseFilter, path: IndexPath): Part =>
  isWhole(filter, path) ? part`` : part`and ${fitsCase(filter)}`

/** The several ranges of an index that a path is. */
function rangesOf(filter: CaseFilter, path: IndexPath): Part {
  if (path.by === 'status') return part`unnest(${filter.statuses}::text[]) as range (value)`
  if (path.by === 'priority') return part`unnest(${filter.priorities}::smallint[]) as range (value)`
  if (path.by === 'label') return part`unnest(${path.set}::uuid[]) as range (value)`
  return part`(values (true)) as range (value)`
}

interface Along {
  rows: Part
  id: Part
  createdAt: Part
}

/** The rows of one range that fit, with the names of what is read of each. */
function along(filter: CaseFilter, path: IndexPath): Along {
  if (path.by === 'label') return alongLabel(filter, path)
  const narrowed = {
    all: part``,
    status: part`and c.display_status = range.value`,
    priority: part`and c.priority = range.value`,
    change: part`and c.updated_at >= ${filter.updatedFrom}::timestamptz`,
  }[path.by]
  return {
    rows: part`cases c where c.queue_id = ${filter.queueId} ${narrowed} ${inTime(filter, part`c.created_at`)} ${fitting(filter, path)}`,
    id: part`c.id`,
    createdAt: part`c.created_at`,
  }
}

function alongLabel(filter: CaseFilter, path: IndexPath): Along {
  const found = part`link.label_id = range.value ${inTime(filter, part`link.created_at`)}`
  return {
    rows: isWhole(filter, path)
      ? part`case_labels link where ${found}`
      : part`case_labels link join cases c on c.id = link.case_id where ${found} ${fitting(filter, path)}`,
    id: part`link.case_id`,
    createdAt: part`link.created_at`,
  }
}

/** A case with two labels of a set is met twice. */
const repeats = (path: IndexPath): boolean => path.by === 'label' && path.set.length > 1

/** To count all that fit on a path. */
export function countOn(filter: CaseFilter, path: IndexPath): Part {
  const { rows, id } = along(filter, path)
  const found = part`${rangesOf(filter, path)}, lateral (select ${id} as id from ${rows} offset 0) f`
  return part`select count(*) as total from (select ${repeats(path) ? part`distinct` : part``} f.id from ${found}) counted`
}

/** To count the cases that have a label of each set, where nothing but a time is asked beside: by the index of links alone. */
export function countLabelled(filter: CaseFilter): Part {
  const [first, ...others] = filter.labelSets.map(
    (set) => part`
      select distinct link.case_id from case_labels link
      where link.label_id = any(${set}::uuid[]) ${inTime(filter, part`link.created_at`)}`,
  )
  return part`select count(*) as total from (${others.reduce((all, one) => part`${all} intersect ${one}`, first!)}) counted`
}

export const asksLabelsAlone = ({ statuses, priorities, labelSets, updatedFrom, words }: CaseFilter): boolean =>
  labelSets.length > 0 && statuses === null && priorities === null && updatedFrom === null && words === null

/** The ids of a page in the order in which cases were made: the first of each range, merged, for no more of any can be on it. */
export function idsInOrder(filter: CaseFilter, path: IndexPath, { limit, offset, to }: Cut): Part {
  const { rows, id, createdAt } = along(filter, path)
  const first = part`select f.id, f.created_at from ${rangesOf(filter, path)}, lateral (
      select ${id} as id, ${createdAt} as created_at from ${rows} order by ${createdAt} ${to}, ${id} ${to} ${constantLimit(limit + offset, rowsReadMax)}) f`
  return part`select id from (${repeats(path) ? part`select distinct id, created_at from (${first}) found` : first}) page
    order by created_at ${to}, id ${to} limit ${limit} offset ${offset}`
}

/** Every case that fits, found on a path and then sorted by a column of `cases`. */
export function idsGathered(filter: CaseFilter, path: IndexPath, key: Part, { limit, offset, to }: Cut): Part {
  const { rows, id } = along(filter, path)
  return part`select c.id from cases c where c.id = any(array(
      select distinct f.id from ${rangesOf(filter, path)}, lateral (select ${id} as id from ${rows} offset 0) f))
    order by ${key} ${to}, c.id ${to} limit ${limit} offset ${offset}`
}

/** Through the queue in the order of an index on `key`, until the page is full. */
export const idsByWalk = (filter: CaseFilter, key: Part, range: Part, { limit, offset, to }: Cut): Part => part`
  select id from (
    select c.id from cases c where c.queue_id = ${filter.queueId} and ${range} and ${fitsCase(filter)}
    order by ${key} ${to}, c.id ${to} ${constantLimit(limit + offset, rowsReadMax)}) walk limit ${limit} offset ${offset}`

export interface Cut {
  limit: number
  offset: number
  /** `asc` or `desc`. */
  to: Part
}
