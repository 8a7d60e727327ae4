// Index paths through the runs of a team: for each field of a filter the index that it can be followed by, and what is asked of the rows on it.
import { empty, part, word, type Part } from '../../base/db.ts'
import { countedAs } from '../../engine/counting/runCounts.ts'
import { rowCondition, type IndexPath } from '../../kit/lists/indexPath.ts'
import { isOfVisibleArtifact } from '../../engine/ledger/visibleRuns.ts'
import type { RunFilter } from './runFilter.ts'

/** `status` is the path of an agent, too: of one agent's runs, or of the whole team's, by status. */
export type PathName = 'status' | 'issues' | 'user' | 'queue' | 'source' | 'all' | 'artifact'

/** Runs of artifacts are in no list, count or search but their own: run_search and the counts do not have them. */
export const isOfArtifacts = ({ source }: RunFilter): boolean => source === 'artifact'

/** The paths that the filter's fields open; `all` where it has none. */
export function openPaths(filter: RunFilter): PathName[] {
  if (isOfArtifacts(filter)) return ['artifact']
  const { agentId, statuses, issues, userId, queueId, source } = filter
  const fields: [PathName, boolean][] = [
    ['status', agentId !== null || statuses !== null],
    ['issues', issues !== null],
    ['user', userId !== null],
    ['queue', queueId !== null],
    ['source', source !== null],
  ]
  const open = fields.filter(([, isOpen]) => isOpen).map(([path]) => path)
  return open.length > 0 ? open : ['all']
}

export interface RunLengths {
  /** How many runs lie on each path. */
  lengths: Partial<Record<PathName, number>>
  /** About what share of them is in the filter's time. */
  share: number
}

export function pathsOf(filter: RunFilter, { lengths, share }: RunLengths): IndexPath[] {
  const names = openPaths(filter)
  // every row on the only path fits, if its time does
  const isWhole = names.length === 1 && filter.words === null && !isOfArtifacts(filter)
  return names.map((name) => {
    const lengthMax = lengths[name] ?? 0
    const rows = rowsOn(filter, name, isWhole)
    return { ...rows, order: 'created_at', length: lengthMax * share, lengthMax, isWhole }
  })
}

type Rows = Pick<IndexPath, 'ranges' | 'rangeCount' | 'rows' | 'id' | 'column'>

/** A path by status or by issues, which change, is several ranges of an index on runs. */
function rowsOn(
  filter: RunFilter,
  name: PathName,
  isWhole: boolean,
  runsInTime = inTime(filter, part`r.created_at`),
): Rows {
  const { agentId, userId, queueId, source, issues } = filter
  if (name === 'status') {
    // an agent has either runs of artifacts alone, and then the total is 0, or none
    const ofAgent = agentId === null ? part`and ${isListed}` : part`and r.agent_id = ${agentId}`
    const rows = runRows(filter, part`${ofAgent} and r.counted_as = range.value and ${runsInTime}`, isWhole)
    const followed = filter.statuses ?? countedAs
    return { ...rows, ranges: part`${followed}::text[]`, rangeCount: followed.length }
  }
  if (name === 'issues') {
    const rows = runRows(filter, part`and r.issues = range.value and ${runsInTime}`, isWhole)
    return { ...rows, ranges: part`${issues}::int[]`, rangeCount: issues?.length ?? 0 }
  }
  if (name === 'artifact') {
    return runRows(filter, part`and r.source = 'artifact' and ${runsInTime}`, isWhole)
  }
  const along = {
    user: part`and l.user_id = ${userId}`,
    queue: part`and l.case_queue_id = ${queueId}`,
    source: part`and l.source = ${source}`,
    all: empty,
  }[name]
  return searchRows(filter, part`${along} and ${inTime(filter, part`l.created_at`)}`, isWhole)
}

/** The path that gives the time and the status of every run that fits from the index alone. `runsInTime`: a condition on `runs r`. */
export const pathByStatus = (filter: RunFilter, runsInTime: Part): Rows =>
  rowsOn(filter, isOfArtifacts(filter) ? 'artifact' : 'status', false, runsInTime)

/** An index in the order of a column other than the creation, through `runs` of the team. */
export function walkOf(filter: RunFilter, order: 'completed_at' | 'run_number', runs: number, along: Part): IndexPath {
  const rows =
    order === 'run_number'
      ? searchRows(filter, part`${along} and ${rowCondition(inTime(filter, part`l.created_at`))}`, false)
      : runRows(filter, part`${along} and ${rowCondition(inTime(filter, part`r.created_at`))}`, false)
  return { ...rows, order, length: runs, lengthMax: runs, isWhole: false }
}

/** `along`: the condition on `runs r` that the index is followed by. */
const runRows = (filter: RunFilter, along: Part, isWhole: boolean): Rows => ({
  rows: part`runs r where r.team_id = ${filter.teamId} ${along} ${isWhole ? empty : fittingRun(filter)}`,
  id: part`r.id`,
  column: (name) => part`r.${word(name)}`,
})

/** `along`: the condition on `run_search l` that the index is followed by. */
const searchRows = (filter: RunFilter, along: Part, isWhole: boolean): Rows => ({
  rows: part`run_search l where l.team_id = ${filter.teamId} ${along} ${isWhole ? empty : fittingSearchRow(filter)}`,
  id: part`l.run_id`,
  column: columnOfSearchRow,
})

/** A column of the run of `run_search l`. */
export const columnOfSearchRow = (name: string): Part =>
  name === 'completed_at' ? part`(select r.completed_at from runs r where r.id = l.run_id)` : part`l.${word(name)}`

/** Condition on `runs r`, which runs_by_status answers without a look at the run. */
const isListed = part`r.source <> 'artifact'`

/** A range of an index on `column`. */
export const inTime = ({ since, until }: RunFilter, column: Part): Part => part`
  ${column} >= ${since ?? '-infinity'}::timestamptz and ${column} < ${until ?? 'infinity'}::timestamptz`

/** Condition on what never changes of a run. A value that is null asks nothing, so one statement serves every filter. */
export const fitsOrigin = ({ agentId, userId, queueId, source }: RunFilter, row: Part): Part => part`
  (${agentId}::uuid is null or ${row}.agent_id = ${agentId}::uuid) and (${userId}::uuid is null or ${row}.user_id = ${userId}::uuid)
  and (${queueId}::uuid is null or ${row}.case_queue_id = ${queueId}::uuid) and (${source}::text is null or ${row}.source = ${source}::text)`

/** Condition on what changes of a run. */
export const fitsState = ({ statuses, issues }: RunFilter, row: Part): Part => part`
  (${statuses}::text[] is null or ${row}.counted_as = any(${statuses}::text[])) and (${issues}::int[] is null or ${row}.issues = any(${issues}::int[]))`

/** Condition on `run_search l`: all of the filter but its words and its time. What can change is read from the run itself, only if the filter asks for it. */
export const fitsSearchRow = (filter: RunFilter): Part =>
  rowCondition(part`${fitsOrigin(filter, part`l`)}
    and case when ${filter.statuses}::text[] is null and ${filter.issues}::int[] is null then true
      else (select ${fitsState(filter, part`r`)} from runs r where r.id = l.run_id) end`)

const fittingSearchRow = (filter: RunFilter): Part => part`and ${fitsSearchRow(filter)}
  and case when ${filter.words}::text is null then true else l.words @@ ${filter.words}::tsquery end`

const fittingRun = (filter: RunFilter): Part =>
  isOfArtifacts(filter)
    ? fittingRunOfArtifact(filter)
    : part`
  and ${rowCondition(part`${isListed} and ${fitsOrigin(filter, part`r`)} and ${fitsState(filter, part`r`)}`)}
  and case when ${filter.words}::text is null then true else ${hasWords(filter)} end`

/** Condition on `runs r`. */
export const hasWords = ({ words }: RunFilter): Part => part`(
  select l.words @@ ${words}::tsquery from run_search l
  where l.team_id = r.team_id and l.created_at = r.created_at and l.run_id = r.id)`

const fittingRunOfArtifact = (filter: RunFilter): Part => part`
  and ${rowCondition(part`${isOfVisibleArtifact(filter, part`r`)} and ${fitsOrigin(filter, part`r`)} and ${fitsState(filter, part`r`)}`)}
  and case when ${filter.words}::text is null then true else r.id in (${hitsOfArtifacts(filter)}) end`

/** The hits come from the index of words and nothing else, as in run_hits: making the words of a run again takes 0.1 ms. */
const hitsOfArtifacts = ({ teamId, words }: RunFilter): Part => part`
  select h.id from runs h where h.source = 'artifact' and (h.team_id = ${teamId}) is true
    and run_words(h.team_id, run_text(h.title, h.case_title, h.message)) @@ ${words}::tsquery`
