// Index paths through the cases of a queue: for each field of a filter the index that it can be followed by.
import { empty, part, word, type Part } from '../../../base/db.ts'
import type { IndexPath } from '../../../kit/lists/indexPath.ts'
import { asksOnlyTime, fitsCase, inTime, type CaseFilter } from './caseFilter.ts'

/** How many cases lie on each path. */
export interface CaseLengths {
  all: number
  status: number
  priority: number
  /** One number for each set of labels. */
  labels: number[]
  /** Undefined: too many changed for an index path. */
  change: number | undefined
}

/** The paths that the filter's fields open; the first is `all`. */
export function pathsOf(filter: CaseFilter, lengths: CaseLengths): [IndexPath, ...IndexPath[]] {
  const { statuses, priorities, labelSets, updatedFrom } = filter
  const paths: [IndexPath, ...IndexPath[]] = [timePath(filter, filter, empty, lengths.all)]
  if (statuses !== null) {
    const along = part`and c.display_status = range.value`
    const path = timePath(filter, { ...filter, statuses: null }, along, lengths.status)
    paths.push({ ...path, ranges: part`${statuses}::text[]` })
  }
  if (priorities !== null) {
    const path = timePath(filter, { ...filter, priorities: null }, part`and c.priority = range.value`, lengths.priority)
    paths.push({ ...path, ranges: part`${priorities}::smallint[]` })
  }
  paths.push(...labelSets.map((_, index) => labelPath(filter, index, lengths.labels[index] ?? 0)))
  if (updatedFrom !== null && lengths.change !== undefined) paths.push(changePath(filter, lengths.change))
  return paths
}

const ofCase = { id: part`c.id`, column: (name: string): Part => part`c.${word(name)}` }

/** `along`: the condition on `cases c` that the index begins with; `rest`: what else the filter asks. */
function timePath(filter: CaseFilter, rest: CaseFilter, along: Part, length: number): IndexPath {
  const isWhole = asksOnlyTime(rest)
  const fitting = isWhole ? empty : part`and ${fitsCase(filter)}`
  const rows = part`cases c where c.queue_id = ${filter.queueId} ${along} ${inTime(filter, part`c.created_at`)} ${fitting}`
  return { ...ofCase, rows, order: 'created_at', length, lengthMax: length, isWhole }
}

/** The path of changes, since a time or since ever. */
export const changePath = (filter: CaseFilter, length: number): IndexPath => {
  const along = part`and c.updated_at >= ${filter.updatedFrom ?? '-infinity'}::timestamptz`
  return { ...timePath(filter, { ...filter, updatedFrom: null }, along, length), order: 'updated_at' }
}

/** The path of postponed cases by their time. Nobody asks for its length. */
export const postponedPath = (filter: CaseFilter): IndexPath => ({
  ...timePath(filter, filter, part`and c.display_status = 'postponed'`, 0),
  order: 'postponed_to',
})

/** The cases with one of a set of labels; one with two of them is met twice. */
function labelPath(filter: CaseFilter, index: number, length: number): IndexPath {
  const set = filter.labelSets[index] ?? []
  const found = part`link.label_id = range.value ${inTime(filter, part`link.created_at`)}`
  const isWhole = asksOnlyTime({ ...filter, labelSets: filter.labelSets.toSpliced(index, 1) })
  return {
    ranges: part`${set}::uuid[]`,
    rows: isWhole
      ? part`case_labels link where ${found}`
      : part`case_labels link join cases c on c.id = link.case_id where ${found} and ${fitsCase(filter)}`,
    id: part`link.case_id`,
    column(name) {
      if (name === 'created_at') return part`link.created_at`
      return isWhole ? part`(select c.${word(name)} from cases c where c.id = link.case_id)` : ofCase.column(name)
    },
    order: 'created_at',
    repeats: set.length > 1,
    length,
    lengthMax: length,
    isWhole,
  }
}

/** The statement that counts the cases that have a label of each set, where nothing but a time is asked beside: by the index of links alone. */
export function countLabelled(filter: CaseFilter): Part {
  const [first = empty, ...others] = filter.labelSets.map(
    (set) => part`
      select distinct link.case_id from case_labels link
      where link.label_id = any(${set}::uuid[]) ${inTime(filter, part`link.created_at`)}`,
  )
  return part`select count(*) as total from (${others.reduce((all, one) => part`${all} intersect ${one}`, first)}) counted`
}
