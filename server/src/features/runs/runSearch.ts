// Runs by words: few hits are gathered and sorted, many are met while walking through the list; totals of frequent words are remembered.
import { one, part, type Part, type Sql } from '../../base/db.ts'
import { allAgents, type CountedAs } from '../../engine/counting/runCounts.ts'
import { countEnded, knownEndedTotal } from '../../engine/counting/endedTotals.ts'
import { countAndRemember, knownTotal, type Search } from '../../engine/counting/searchTotals.ts'
import { hasEnded } from '../../engine/ledger/lifecycle.ts'
import { countOn, directionOf, leastOf, totalOf } from '../../kit/lists/indexPath.ts'
import { fewHits, frequentHits, hitsMax, type Gathering } from '../../kit/lists/words.ts'
import { runsById, type Run } from './run.ts'
import type { RunFilter } from './runFilter.ts'
import {
  columnOfSearchRow,
  fitsOrigin,
  fitsSearchRow,
  hasWords,
  inTime,
  isOfArtifacts,
  openPaths,
  pathsOf,
} from './runIndexPaths.ts'
import { readRuns, type RunPage } from './runPages.ts'
import { totalsOf, type RunTotals } from './runTotals.ts'

type Searched = RunFilter & { words: string }

interface Found {
  data: Run[]
  total: number
}

export async function searchRuns(sql: Sql, filter: Searched, page: RunPage): Promise<Found> {
  if (isOfArtifacts(filter)) return readAlong(sql, filter, page)
  const words = searchFor(filter.teamId, filter.words)
  let frequency = await knownTotal(sql, words)
  if (frequency === undefined) {
    const few = (await seemsFrequent(sql, filter)) ? undefined : await fewHits(sql, gatheringOf(filter, page), page)
    if (few?.ids.length === 0) return { data: [], total: few.total }
    if (few) return { data: await runsById(sql, filter.teamId, part`${few.ids}`), total: few.total }
    frequency = await countAndRemember(sql, words)
  }
  const totals = await totalsOf(sql, filter)
  const total = await totalAmong(sql, filter, totals, frequency)
  return { data: await pageOf(sql, filter, { ...totals, total }, page), total }
}

/** Runs of artifacts are not in run_search: they are found on their own path, and their words in an index of their own. */
async function readAlong(sql: Sql, filter: Searched, page: RunPage): Promise<Found> {
  const totals = await totalsOf(sql, filter)
  return { data: await readRuns(sql, filter, totals, page), total: totals.total }
}

async function pageOf(sql: Sql, filter: Searched, totals: RunTotals, page: RunPage): Promise<Run[]> {
  const { teamId, words } = filter
  const isWordsAlone = openPaths(filter).includes('all')
  if (page.limit === 0 || totals.total <= page.offset || !isWordsAlone || page.sort_by !== 'created_at') {
    return readRuns(sql, filter, totals, page)
  }
  const rows = part`run_search s where s.team_id = ${teamId} and ${inTime(filter, part`s.created_at`)}`
  const read = (ids: Part) => runsById(sql, teamId, part`array(${ids})`)
  return frequentHits(read, { rows, id: part`s.run_id`, words, walkMax: part`limit 20000` }, totals.total, page)
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

function gatheringOf(filter: Searched, page: RunPage): Gathering {
  const to = directionOf(page)
  return {
    hits: part`run_hits(${filter.teamId}, ${filter.words}::tsquery, ${hitsMax + 1}::int)`,
    fitting: part`select l.run_id as id, ${columnOfSearchRow(page.sort_by)} as key from hit l
      where ${inTime(filter, part`l.created_at`)} and ${fitsSearchRow(filter)}`,
    order: part`key ${to}, id ${to}`,
  }
}

/** How many rows are rather counted each time than remembered: they take about 10 ms. */
const rememberedFrom = 2000

/** A run that has ended stays as it is, mostly. */
const areEnded = (statuses: readonly CountedAs[] | null): statuses is CountedAs[] =>
  statuses !== null && statuses.every((status) => status !== 'needs_attention' && hasEnded(status))

/** The total for frequent words with other conditions. */
async function totalAmong(sql: Sql, filter: Searched, totals: RunTotals, frequency: number): Promise<number> {
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
  const path = leastOf(pathsOf(filter, totals))
  const length = Math.min(path.length, frequency)
  if (length > rememberedFrom && issues === null && isOfAllTime && areEnded(statuses)) {
    const search = {
      teamId: filter.teamId,
      name: JSON.stringify([filter.words, ...origins, statuses]),
      statuses,
      fits: part`${fitsOrigin(filter, part`r`)} and ${hasWords(filter)}`,
    }
    return (await knownEndedTotal(sql, search)) ?? countEnded(sql, search)
  }
  return totalOf(sql, path.length < frequency ? countOn(path) : countWords(filter))
}

const countWords = (filter: Searched): Part => part`
  select count(*) as total from run_search l where l.team_id = ${filter.teamId} and l.words @@ ${filter.words}::tsquery
    and ${inTime(filter, part`l.created_at`)} and ${fitsSearchRow(filter)}`
