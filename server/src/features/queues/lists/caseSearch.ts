// Cases by words: few hits are gathered and sorted, frequent words are met while walking through the list.
import { one, part, type Part, type Sql } from '../../../base/db.ts'
import { fitsRow, inTime, type CaseFilter } from './caseFilter.ts'
import { countOn, type Cut, type Measured } from './caseIndexPaths.ts'

/** Up to here hits are gathered by the index of words. */
const hitsMax = 5000

interface Hits {
  ids: string[]
  total: number
}

/** `order`: of `cases c`. Undefined: there are more hits than are gathered. */
export async function fewHits(sql: Sql, filter: CaseFilter, order: Part, cut: Cut): Promise<Hits | undefined> {
  const found = await one(sql<{ hits: number; total: number; ids: string[] }>`
    with hit as materialized (
      select case_id from case_hits(${filter.queueId}, ${filter.words}::tsquery, ${hitsMax + 1}::int)
    ),
    fit as materialized (
      select c.* from hit join cases c on c.id = hit.case_id
      where c.queue_id = ${filter.queueId} and ${fitsRow(filter)} and (select count(*) from hit) <= ${hitsMax}
    )
    select (select count(*) from hit) as hits, (select count(*) from fit) as total,
      array(select c.id from fit c order by ${order} limit ${cut.limit} offset ${cut.offset}) as ids`)
  return found.hits > hitsMax ? undefined : found
}

/** Counted each time: what is remembered of words would have to follow every case whose text changes. */
export async function countHits(sql: Sql, filter: CaseFilter, shortest: Measured): Promise<number> {
  const isNarrow = shortest.by !== 'all' && shortest.length <= hitsMax
  const counted = await one(sql<{ total: number }>`${isNarrow ? countOn(filter, shortest) : countByWords(filter)}`)
  return counted.total
}

const hits = ({ queueId, words }: CaseFilter): Part => part`s.queue_id = ${queueId} and s.words @@ ${words}::tsquery`

function countByWords(filter: CaseFilter): Part {
  const { statuses, priorities, labelSets, updatedFrom } = filter
  const found = part`${hits(filter)} ${inTime(filter, part`s.created_at`)}`
  return statuses === null && priorities === null && labelSets.length === 0 && updatedFrom === null
    ? part`select count(*) as total from case_search s where ${found}`
    : part`select count(*) as total from case_search s join cases c on c.id = s.case_id where ${found} and ${fitsRow(filter)}`
}

/** How many cases a walk reads for words that may all lie far back. */
const walkMax = part`limit 5000`

/** A page for frequent words alone: first near the beginning of the list, where they mostly are, and then among all hits. */
export async function frequentHits(sql: Sql, filter: CaseFilter, total: number, cut: Cut): Promise<string[]> {
  const { limit, offset, to } = cut
  const near = await sql<{ id: string }>`
    select s.case_id as id from (
      select s.* from case_search s where s.queue_id = ${filter.queueId} ${inTime(filter, part`s.created_at`)}
      order by s.created_at ${to}, s.case_id ${to} ${walkMax}
    ) s where s.words @@ ${filter.words}::tsquery limit ${limit} offset ${offset}`
  if (near.length === Math.min(limit, total - offset)) return near.map(({ id }) => id)
  const all = await sql<{ id: string }>`
    select s.case_id as id from case_search s where ${hits(filter)} ${inTime(filter, part`s.created_at`)}
    order by s.created_at ${to}, s.case_id ${to} limit ${limit} offset ${offset}`
  return all.map(({ id }) => id)
}
