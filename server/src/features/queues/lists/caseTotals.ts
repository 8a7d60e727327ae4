// Exact totals of lists of cases, read from counts wherever there are some; also how long each path through a list is.
import { one, part, type Sql } from '../../../base/db.ts'
import type { CaseFilter } from './caseFilter.ts'
import { countHits } from './caseSearch.ts'
import { asksLabelsAlone, costOf, countLabelled, countOn, type Measured } from './caseIndexPaths.ts'

export interface Totals {
  /** Exactly how many cases fit. */
  total: number
  /** The paths that the filter's fields open; the first is `all`. */
  paths: [Measured, ...Measured[]]
}

export async function totalsOf(sql: Sql, filter: CaseFilter): Promise<Totals> {
  const { statuses, priorities, labelSets, createdFrom, updatedFrom } = filter
  const [counts, labels] = [await countsOf(sql, filter), await labelCountsOf(sql, filter)]
  const paths: Totals['paths'] = [{ by: 'all', length: counts.all }]
  if (statuses !== null) paths.push({ by: 'status', length: counts.status })
  if (priorities !== null) paths.push({ by: 'priority', length: counts.priority })
  for (const set of labelSets) {
    paths.push({ by: 'label', set, length: set.reduce((sum, id) => sum + (labels.get(id)?.cases ?? 0), 0) })
  }
  if (updatedFrom !== null) {
    const isAlone = paths.length === 1
    const length = await changedSince(sql, filter, isAlone)
    if (length !== undefined) paths.push({ by: 'change', length })
    if (isAlone && createdFrom === null && filter.words === null) return { total: length!, paths }
  }
  if (filter.words !== null) {
    return { total: await countHits(sql, filter, shortest(filter, paths)), paths }
  }
  const isSummed = updatedFrom === null && labelSets.length <= 1 && labelSets.every((set) => set.length === 1)
  const known = labelSets.length === 0 ? counts.both : (labels.get(labelSets[0]![0]!)?.both ?? 0)
  const total = isSummed ? await knownInTime(sql, filter, paths, known) : await count(sql, filter, paths)
  return { total, paths }
}

/** Reduces a known total of all time to the filter's time span. If most cases are in it, the others are counted and subtracted. */
async function knownInTime(sql: Sql, filter: CaseFilter, paths: Totals['paths'], known: number): Promise<number> {
  const { createdFrom } = filter
  if (createdFrom === null || known === 0) return known
  const since = await madeSince(sql, filter, createdFrom)
  if (paths.length === 1) return since
  if (since <= paths[0].length / 2) return count(sql, filter, paths)
  const before = { ...filter, createdFrom: null, createdBefore: createdFrom }
  return Math.max(0, known - (await count(sql, before, paths)))
}

async function count(sql: Sql, filter: CaseFilter, paths: Totals['paths']): Promise<number> {
  const path = shortest(filter, paths)
  const counted = await one(
    sql<{
      total: number
    }>`${asksLabelsAlone(filter) ? countLabelled(filter) : countOn(filter, path)}`,
  )
  return counted.total
}

const shortest = (filter: CaseFilter, paths: Totals['paths']): Measured =>
  paths.reduce((best, path) => (costOf(filter, path) < costOf(filter, best) ? path : best))

interface Counts {
  all: number
  status: number
  priority: number
  /** Cases with one of the statuses and one of the priorities of the filter. */
  both: number
}

async function countsOf(sql: Sql, { queueId, statuses, priorities }: CaseFilter): Promise<Counts> {
  const ofStatus = part`(${statuses}::text[] is null or display_status = any(${statuses}::text[]))`
  const ofPriority = part`(${priorities}::int[] is null or priority = any(${priorities}::int[]))`
  const counts = await one(sql<Counts>`
    select coalesce(sum(cases), 0)::bigint as "all", coalesce(sum(cases) filter (where ${ofStatus}), 0)::bigint as status,
      coalesce(sum(cases) filter (where ${ofPriority}), 0)::bigint as priority,
      coalesce(sum(cases) filter (where ${ofStatus} and ${ofPriority}), 0)::bigint as both
    from case_counts where queue_id = ${queueId}`)
  return counts
}

interface LabelCounts {
  id: string
  cases: number
  both: number
}

async function labelCountsOf(sql: Sql, filter: CaseFilter): Promise<Map<string, LabelCounts>> {
  const { statuses, priorities } = filter
  const ids = filter.labelSets.flat()
  if (ids.length === 0) return new Map()
  const counts = await sql<LabelCounts>`
    select label_id as id, sum(cases)::bigint as cases, coalesce(sum(cases) filter (
        where (${statuses}::text[] is null or display_status = any(${statuses}::text[]))
          and (${priorities}::int[] is null or priority = any(${priorities}::int[]))), 0)::bigint as both
    from label_counts where label_id = any(${ids}::uuid[]) group by label_id`
  return new Map(counts.map((row) => [row.id, row]))
}

const hourMs = 3_600_000

/** Whole hours from their counts, and the hour in which it begins case by case. */
async function madeSince(sql: Sql, { queueId }: CaseFilter, from: string): Promise<number> {
  const hour = Math.max(0, Math.floor(Date.parse(from) / hourMs) + 1)
  const counted = await one(sql<{ cases: number }>`
    select coalesce((select sum(cases) from case_hours where queue_id = ${queueId} and hour >= ${hour}), 0)::bigint + (
      select count(*) from cases where queue_id = ${queueId} and created_at >= ${from}::timestamptz
        and created_at < ${new Date(hour * hourMs).toISOString()}::timestamptz) as cases`)
  return counted.cases
}

/** How many changed cases are counted. A longer index path is not shorter than the others. */
const changesMax = 10_000

/** Undefined: too many for an index path. */
async function changedSince(sql: Sql, filter: CaseFilter, isAlone: boolean): Promise<number | undefined> {
  const counted = await one(sql<{ cases: number }>`
    select count(*) as cases from (
      select from cases where queue_id = ${filter.queueId} and updated_at >= ${filter.updatedFrom}::timestamptz
      limit ${isAlone ? null : changesMax + 1}::bigint) changed`)
  return isAlone || counted.cases <= changesMax ? counted.cases : undefined
}
