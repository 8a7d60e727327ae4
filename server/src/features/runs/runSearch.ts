// Runs by words: few hits are gathered and sorted, many are met while walking through the list; totals of frequent words are remembered.
import { one, part, type Part, type Sql } from '../../base/db.ts'
import { allAgents } from '../../engine/counting/runCounts.ts'
import { countAndRemember, knownTotal, type Search } from '../../engine/counting/searchTotals.ts'
import { runsById, type Run } from './run.ts'
import type { RunFilter } from './runFilter.ts'
import { keyOfSearchRow, readRuns, type Page } from './runPages.ts'
import { shortest, totalsOf, type Totals } from './runTotals.ts'
import { countOn, fitsSearchRow, inTime } from './runIndexPaths.ts'

/** Up to here hits are gathered by the index of words. */
const hitsMax = 5000

type Searched = RunFilter & { words: string }

interface Found {
  data: Run[]
  total: number
}

export async function searchRuns(sql: Sql, filter: Searched, page: Page): Promise<Found> {
  const words = searchFor(filter.teamId, filter.words)
  let frequency = await knownTotal(sql, words)
  if (frequency === undefined) {
    const few = (await seemsFrequent(sql, filter)) ? undefined : await fewHits(sql, filter, page)
    if (few) return few
    frequency = await countAndRemember(sql, words)
  }
  const totals = await totalsOf(sql, filter)
  const total = await totalAmong(sql, filter, totals, frequency)
  return { data: await pageOf(sql, filter, { ...totals, total }, page), total }
}

/** How many runs a walk reads for words that may all lie far back. */
const walkMax = part`limit 20000`

/** Through the newest runs first, where frequent words mostly are; if these do not fill the page, all hits are gathered after all. */
async function pageOf(sql: Sql, filter: Searched, totals: Totals, page: Page): Promise<Run[]> {
  const [path] = shortest(totals.paths)
  const wanted = Math.min(page.limit, totals.total - page.offset)
  if (wanted <= 0 || path !== 'all' || page.sort !== 'created_at') return readRuns(sql, filter, totals, page)
  const { teamId, words } = filter
  const to = page.isDescending ? part`desc` : part`asc`
  const cut = part`limit ${page.limit} offset ${page.offset}`
  const near = await runsById(
    sql,
    teamId,
    part`array(select l.run_id from (
      select l.run_id, l.words from run_search l where l.team_id = ${teamId} and ${inTime(filter, part`l.created_at`)}
      order by l.created_at ${to}, l.run_id ${to} ${walkMax}) l where l.words @@ ${words}::tsquery ${cut})`,
  )
  if (near.length === wanted) return near
  return runsById(
    sql,
    teamId,
    part`array(select l.run_id from run_search l
      where l.team_id = ${teamId} and l.words @@ ${words}::tsquery and ${inTime(filter, part`l.created_at`)}
      order by l.created_at ${to}, l.run_id ${to} ${cut})`,
  )
}

const searchFor = (teamId: string, words: string): Search => ({
  teamId,
  name: words,
  fits: part`l.words @@ ${words}::tsquery`,
})

/** A guess that only chooses the path, by the newest runs: the index of words lists all hits of a word before it gives the first. */
async function seemsFrequent(sql: Sql, { teamId, words }: Searched): Promise<boolean> {
  const sample = await one(sql<{ seen: number; fitting: number; runs: number }>`
    select count(*) as seen, count(*) filter (where newest.words @@ ${words}::tsquery) as fitting, coalesce((
      select sum(runs) from run_counts where team_id = ${teamId} and agent_id = ${allAgents} and unit = 'all'), 0)::bigint as runs
    from (
      select l.words from run_search l where l.team_id = ${teamId} order by l.created_at desc, l.run_id desc limit 2000
    ) newest`)
  const { seen, fitting, runs } = sample
  return seen > 0 && (fitting / seen) * runs > 2 * hitsMax
}

/** Undefined: there are more hits than are gathered. */
async function fewHits(sql: Sql, filter: Searched, page: Page): Promise<Found | undefined> {
  const to = page.isDescending ? part`desc` : part`asc`
  const found = await one(sql<{ hits: number; total: number; ids: string[] }>`
    with hit as materialized (
      select * from run_hits(${filter.teamId}, ${filter.words}::tsquery, ${hitsMax + 1}::int)
    ),
    fit as materialized (
      select l.run_id as id, ${keyOfSearchRow(page)} as key from hit l
      where ${inTime(filter, part`l.created_at`)} and ${fitsSearchRow(filter)} and (select count(*) from hit) <= ${hitsMax}
    )
    select (select count(*) from hit) as hits, (select count(*) from fit) as total,
      array(select id from fit order by key ${to}, id ${to} limit ${page.limit} offset ${page.offset}) as ids`)
  const { hits, total, ids } = found
  if (hits > hitsMax) return undefined
  return { data: ids.length === 0 ? [] : await runsById(sql, filter.teamId, part`${ids}`), total }
}

/** The total for frequent words with other conditions. */
async function totalAmong(sql: Sql, filter: Searched, totals: Totals, frequency: number): Promise<number> {
  const { agentId, userId, queueId, source, statuses, issues, since, until } = filter
  const origins = [agentId, userId, queueId, source]
  const isOfAllTime = since === null && until === null
  if (statuses === null && issues === null && isOfAllTime) {
    if (origins.every((origin) => origin === null)) return frequency
    // none of these ever changes, so such a total can be remembered like that of the words alone
    const { teamId, name, fits } = searchFor(filter.teamId, filter.words)
    const search = {
      teamId,
      name: JSON.stringify([name, ...origins]),
      fits: part`${fits} and ${fitsSearchRow(filter)}`,
    }
    return (await knownTotal(sql, search)) ?? countAndRemember(sql, search)
  }
  if (totals.total === 0) return 0
  const [path, length] = shortest(totals.paths)
  const counted = await one(sql<{ total: number }>`${length < frequency ? countOn(filter, path) : countWords(filter)}`)
  return counted.total
}

const countWords = (filter: Searched): Part => part`
  select count(*) as total from run_search l where l.team_id = ${filter.teamId} and l.words @@ ${filter.words}::tsquery
    and ${inTime(filter, part`l.created_at`)} and ${fitsSearchRow(filter)}`
