// Exact totals of lists of cases, read from counts wherever there are some; also how long each path through a list is.
import { one, part, type Part, type Sql } from '../../../base/db.ts'
import { countOn, leastOf, totalOf, type IndexPath } from '../../../kit/lists/indexPath.ts'
import { asksOnlyTime, fitsState, type CaseFilter } from './caseFilter.ts'
import { countLabelled, pathsOf, type CaseLengths } from './caseIndexPaths.ts'
import { countHits } from './caseSearch.ts'

export interface CaseTotals {
  /** Exactly how many cases fit. */
  total: number
  /** The first is `all`. */
  paths: [IndexPath, ...IndexPath[]]
}

export async function totalsOf(sql: Sql, filter: CaseFilter): Promise<CaseTotals> {
  const { labelSets, updatedFrom, words } = filter
  const [counts, labels] = [await countsOf(sql, filter), await labelCountsOf(sql, filter)]
  const ofSet = (set: string[]) => set.reduce((sum, id) => sum + (labels.get(id)?.cases ?? 0), 0)
  const changes = await changedSince(sql, filter)
  const lengths = { ...counts, labels: labelSets.map(ofSet), change: changes }
  const paths = pathsOf(filter, lengths)
  if (changes !== undefined && asksOnlyTime({ ...filter, updatedFrom: null }) && filter.createdFrom === null) {
    return { total: changes, paths }
  }
  if (words !== null) return { total: await countHits(sql, filter, paths), paths }
  const isSummed = updatedFrom === null && labelSets.length <= 1 && labelSets.every((set) => set.length === 1)
  const known = labelSets.length === 0 ? counts.both : (labels.get(labelSets[0]![0]!)?.both ?? 0)
  const total = isSummed ? await knownInTime(sql, filter, lengths, known) : await count(sql, filter, lengths)
  return { total, paths }
}

/** Reduces a known total of all time to the filter's time span. If most cases are in it, the others are counted and subtracted. */
async function knownInTime(sql: Sql, filter: CaseFilter, lengths: CaseLengths, known: number): Promise<number> {
  const { createdFrom } = filter
  if (createdFrom === null || known === 0) return known
  const since = await madeSince(sql, filter, createdFrom)
  if (asksOnlyTime(filter)) return since
  if (since <= lengths.all / 2) return count(sql, filter, lengths)
  const before = { ...filter, createdFrom: null, createdBefore: createdFrom }
  return Math.max(0, known - (await count(sql, before, lengths)))
}

async function count(sql: Sql, filter: CaseFilter, lengths: CaseLengths): Promise<number> {
  const isByLabels = filter.labelSets.length > 0 && asksOnlyTime({ ...filter, labelSets: [] })
  return totalOf(sql, isByLabels ? countLabelled(filter) : countOn(leastOf(pathsOf(filter, lengths))))
}

interface Counts {
  all: number
  status: number
  priority: number
  /** Cases with one of the statuses and one of the priorities of the filter. */
  both: number
}

/** Sums rows of `case_counts` or `label_counts`, called `counts`. */
const sumOf = (filter: CaseFilter): Part =>
  part`coalesce(sum(cases) filter (where ${fitsState(filter, part`counts`)}), 0)::bigint`

const countsOf = (sql: Sql, filter: CaseFilter): Promise<Counts> =>
  one(sql<Counts>`
    select coalesce(sum(cases), 0)::bigint as "all", ${sumOf({ ...filter, priorities: null })} as status,
      ${sumOf({ ...filter, statuses: null })} as priority, ${sumOf(filter)} as both
    from case_counts counts where queue_id = ${filter.queueId}`)

interface LabelCounts {
  id: string
  cases: number
  both: number
}

async function labelCountsOf(sql: Sql, filter: CaseFilter): Promise<Map<string, LabelCounts>> {
  const ids = filter.labelSets.flat()
  if (ids.length === 0) return new Map()
  const counts = await sql<LabelCounts>`
    select label_id as id, sum(cases)::bigint as cases, ${sumOf(filter)} as both
    from label_counts counts where label_id = any(${ids}::uuid[]) group by label_id`
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

/** Undefined: no change is asked for, or too many are for an index path. */
async function changedSince(sql: Sql, filter: CaseFilter): Promise<number | undefined> {
  if (filter.updatedFrom === null) return undefined
  const isAlone = asksOnlyTime({ ...filter, updatedFrom: null, words: null })
  const counted = await one(sql<{ cases: number }>`
    select count(*) as cases from (
      select from cases where queue_id = ${filter.queueId} and updated_at >= ${filter.updatedFrom}::timestamptz
      limit ${isAlone ? null : changesMax + 1}::bigint) changed`)
  return isAlone || counted.cases <= changesMax ? counted.cases : undefined
}
