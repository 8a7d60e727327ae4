// Cases by words: what the lists by words need to know of them, and how many fit.
import { part, type Part, type Sql } from '../../../base/db.ts'
import { countOn, directionOf, leastOf, totalOf, type IndexPath, type ListPage } from '../../../kit/lists/indexPath.ts'
import { hitsMax, type Gathering, type WordRows } from '../../../kit/lists/words.ts'
import { asksOnlyTime, fitsRow, inTime, type CaseFilter } from './caseFilter.ts'

export const gatheringOf = (filter: CaseFilter, page: ListPage): Gathering => ({
  hits: part`case_hits(${filter.queueId}, ${filter.words}::tsquery, ${hitsMax + 1}::int)`,
  fitting: part`select c.* from hit join cases c on c.id = hit.case_id where c.queue_id = ${filter.queueId} and ${fitsRow(filter)}`,
  order: orderOf(page),
})

function orderOf(page: ListPage): Part {
  const to = directionOf(page)
  if (page.sort_by === 'created_at') return part`created_at ${to}, id ${to}`
  if (page.sort_by === 'updated_at') return part`updated_at ${to}, id ${to}`
  return part`postponed_to ${to} nulls last, case when postponed_to is null then created_at end ${to}, id ${to}`
}

const rowsInTime = (filter: CaseFilter): Part =>
  part`s.queue_id = ${filter.queueId} ${inTime(filter, part`s.created_at`)}`

export const wordRowsOf = (filter: CaseFilter, words: string): WordRows => ({
  rows: part`case_search s where ${rowsInTime(filter)}`,
  id: part`s.case_id`,
  words,
  walkMax: part`limit 5000`,
})

/** Counted each time: what is remembered of words would have to follow every case whose text changes. The first path is `all`. */
export async function countHits(sql: Sql, filter: CaseFilter, paths: IndexPath[]): Promise<number> {
  const shortest = leastOf(paths)
  const isNarrow = shortest !== paths[0] && shortest.length <= hitsMax
  return totalOf(sql, isNarrow ? countOn(shortest) : countByWords(filter))
}

function countByWords(filter: CaseFilter): Part {
  const hits = part`${rowsInTime(filter)} and s.words @@ ${filter.words}::tsquery`
  return asksOnlyTime({ ...filter, words: null })
    ? part`select count(*) as total from case_search s where ${hits}`
    : part`select count(*) as total from case_search s join cases c on c.id = s.case_id where ${hits} and ${fitsRow(filter)}`
}
