// Claims runs: a worker with free seats takes what is ready, and from then on it alone may write those runs.
import { part, type Part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import type { WorkerPools } from '../../base/settingKinds.ts'
import { deathsAfter, deathsAfterSuspectProcess } from '../../kit/deaths.ts'
import { insertRunEvents } from '../../kit/event.ts'
import type { DeadProcess } from '../../kit/presence.ts'
import type { RunSource } from '../../kit/states.ts'
import type { Limits } from '../builds/buildConfig.ts'
import { wholeMessage } from '../ledger/largeTexts.ts'
import { insertCuts } from '../ledger/cuts.ts'
import { toRunning } from '../ledger/lifecycle.ts'
import { drivenBy, isServed } from './workerPools.ts'

/** What a worker needs to know about a run that it holds. */
export interface ClaimedRun {
  id: string
  team_id: string
  agent_id: string
  build_id: string
  user_id: string | null
  case_id: string | null
  case_title: string | null
  parent_run_id: string | null
  depth: number
  run_number: number
  source: RunSource
  title: string
  message: unknown
  limits: Limits
  created_at: Date
  /** The time of the claim by the database's clock. */
  claimed_at: Date
  epoch: number
  wake_seq: number
  /** For a run of a draft, the hash of the config that it keeps (`pinned_configs`). */
  config_hash: string | null
  message_seq: number
  steps: number
  input_tokens: number
  output_tokens: number
  cost_usd: string
  active_ms: number
  /** How many processes died over the run since it last advanced, as kit/deaths.ts counts them. */
  deaths: number
  /** How often the service failed to advance it since then. */
  failures: number
}

export const heldColumns = part`
  r.id, r.team_id, r.agent_id, r.build_id, r.user_id, r.case_id, r.case_title, r.parent_run_id, r.depth, r.run_number, r.source, r.title,
  ${wholeMessage} as message, r.limits, r.created_at, now() as claimed_at, r.epoch, r.wake_seq, r.config_hash, r.message_seq, r.steps, r.input_tokens, r.output_tokens, r.cost_usd, r.active_ms, r.deaths,
  r.failures`

/** What a process may claim. */
interface MayClaim {
  /** How many of its seats one team may have, and how many each team has there now. */
  perTeam: number
  held: ReadonlyMap<string, number>
  pools?: WorkerPools | undefined
}

const anything: MayClaim = { perTeam: Number.MAX_SAFE_INTEGER, held: new Map() }

/**
 * Claims up to `seats` runs that have a slot of their team and no worker, but no more than its share of any team. When more are ready
 * than fit, the teams with the fewest running go first, each with its oldest: a noisy team never blocks another.
 */
export async function claimRuns(
  sql: Sql,
  workerId: string,
  seats: number,
  may: MayClaim = anything,
): Promise<ClaimedRun[]> {
  const ready = await sql<{ id: string; team_id: string }>`
    select id, team_id from runs where admitted_at is not null and worker is null and ${isOrdinary} and ${isServed(may.pools)}
    order by admitted_at limit ${seats + 1}`
  if (ready.length === 0) return []
  const ids = ready.length <= seats ? withinShares(ready, may) : await fairChoice(sql, seats, may)
  return claim(sql, workerId, ids)
}

/** The oldest runs of each team, as many as its share has room for. */
function withinShares(ready: { id: string; team_id: string }[], { perTeam, held }: MayClaim): string[] {
  const holds = new Map(held)
  return ready.flatMap(({ id, team_id }) => {
    const would = (holds.get(team_id) ?? 0) + 1
    if (would > perTeam) return []
    holds.set(team_id, would)
    return [id]
  })
}

async function fairChoice(sql: Sql, seats: number, { perTeam, held, pools }: MayClaim): Promise<string[]> {
  const chosen = await sql<{ id: string }>`
    with here as materialized (
      select * from unnest(${[...held.keys()]}::uuid[], ${[...held.values()]}::int[]) as h (team_id, runs)
    )
    select id from (
      select ready.id, ready.admitted_at, ready.place + coalesce(here.runs, 0) as would_be_here, ready.place
        + (select count(*) from runs h where h.team_id = ready.team_id and h.admitted_at is not null and h.worker is not null) as would_be
      from (
        select id, team_id, admitted_at, row_number() over (partition by team_id order by admitted_at) as place
        from runs where admitted_at is not null and worker is null and ${isOrdinary} and ${isServed(pools)}
      ) ready left join here on here.team_id = ready.team_id
    ) ranked where would_be_here <= ${perTeam}::bigint order by would_be, admitted_at limit ${seats}`
  return chosen.map(({ id }) => id)
}

/** Worded like the conditions of the indexes, so that the planner uses them. A run that is given up may be claimed by anybody. */
export const isOrdinary = part`deaths not in (2, 3)`
export const isSuspectRow = part`deaths in (2, 3)`

export type Suspect = Pick<ClaimedRun, 'id' | 'team_id' | 'deaths'>

/** How many suspects are read at once to be given free seats. */
const suspectsAtOnce = 100

/** Runs that only a process for suspects may drive (kit/suspectProcesses.ts): the first of each team, then the second of each. */
export const readSuspects = (sql: Sql, pools?: WorkerPools): Promise<Suspect[]> => sql<Suspect>`
  select id, team_id, deaths from runs where admitted_at is not null and worker is null and ${isSuspectRow} and ${isServed(pools)}
  order by row_number() over (partition by team_id order by admitted_at), admitted_at limit ${suspectsAtOnce}`

export const claimSuspects = (sql: Sql, workerId: string, ids: string[]): Promise<ClaimedRun[]> =>
  claim(sql, workerId, ids)

/** A process for suspects takes the run over from the process that holds it until then. */
export async function takeSuspect(
  sql: Sql,
  id: string,
  epoch: number,
  workerId: string,
): Promise<ClaimedRun | undefined> {
  const [held] = await sql<ClaimedRun>`
    update runs r set worker = ${workerId}, epoch = r.epoch + 1, updated_at = now()
    where r.id = ${id} and r.epoch = ${epoch} and r.status = 'running' and r.worker is not null returning ${heldColumns}`
  return held
}

/**
 * Records that the process for suspects that drove this run died; `isSure`: it drove nothing else. `epoch` is the one with which the run was
 * held; a sweep may have freed the run since, and may have counted the death.
 */
export async function noteSuspectDeath(
  sql: Sql,
  { id, epoch }: Pick<ClaimedRun, 'id' | 'epoch'>,
  isSure: boolean,
): Promise<void> {
  await sql`
    with was as materialized (
      select id, worker from runs
      where id = ${id} and ${isSuspectRow} and status = 'running' and epoch between ${epoch} and ${epoch + 3} for update
    ),
    freed as (
      update runs set deaths = ${deathsAfterSuspectProcess(isSure)}, worker = null, epoch = epoch + 1, updated_at = now()
      from was where runs.id = was.id and runs.id = ${id} returning runs.id, runs.epoch, was.worker
    )
    ${insertCuts(part`freed`, 'died')}`
}

/** The first event of runs that start for the first time; `from` gives their rows with an event_id. */
export const startedEvents = (from: Part): Part =>
  insertRunEvents(part`
  select event_id as id, team_id, id as run_id, agent_id, case_id, event_seq as sequence, event_xid as xid, 'run.started' as event,
    jsonb_build_object('status', 'running', 'source', source, 'build_id', build_id, 'title', title) as data
  from ${from}`)

/** Claims these runs. A run that another worker took first is not among the rows that come back. */
async function claim(sql: Sql, workerId: string, ids: string[]): Promise<ClaimedRun[]> {
  if (ids.length === 0) return []
  return sql<ClaimedRun>`
    with ready as materialized (
      select runs.id, runs.started_at is null as is_first, e.event_id
      from unnest(${ids}::uuid[], ${ids.map(() => newId())}::uuid[]) as e (id, event_id) join runs on runs.id = e.id
      where runs.id = any(${ids}::uuid[]) and ${toRunning.where}
      order by runs.id for update of runs skip locked
    ),
    r as (
      update runs r set ${toRunning.set(part`true`, workerId)}
      from ready where r.id = ready.id and r.id = any(${ids}::uuid[])
      returning r.*, ready.is_first, ready.event_id
    ),
    event as (${startedEvents(part`r where is_first`)})
    select ${heldColumns} from r order by r.admitted_at`
}

/** What the database believes that this process holds. */
export const readClaimed = (sql: Sql, workerId: string): Promise<Pick<ClaimedRun, 'id' | 'epoch'>[]> => sql<ClaimedRun>`
  select id, epoch from runs where worker = ${workerId}`

/**
 * Gives runs back untouched, for another worker to continue: this process stops, or lost track of them. One that was taken from it and that it
 * has claimed again has another epoch, and stays. It does not count as a death; `failed` says that they could not be advanced.
 */
export async function giveBack(
  sql: Sql,
  workerId: string,
  held: Pick<ClaimedRun, 'id' | 'epoch'>[],
  failed = false,
): Promise<void> {
  const ids = held.map(({ id }) => id)
  await sql`
    with freed as (
      update runs set worker = null, epoch = epoch + 1, failures = failures + ${Number(failed)}::smallint, updated_at = now()
      from unnest(${ids}::uuid[], ${held.map(({ epoch }) => epoch)}::int[]) as h (id, held_epoch)
      where runs.id = any(${ids}::uuid[]) and runs.id = h.id and epoch = held_epoch and worker = ${workerId}
      returning runs.id, epoch, ${workerId}::uuid as worker
    )
    ${insertCuts(part`freed`, 'gave_back', { onlyBegun: true })}`
}

/**
 * Makes the runs of a dead process ready again. Each gets a new epoch at once, so that nothing the process still sends can be written. The
 * death is counted for each run.
 */
export async function reviveRuns(sql: Sql, dead: Pick<DeadProcess, 'id' | 'role' | 'is_news'>): Promise<number> {
  if (dead.is_news) await spareOthers(sql, dead)
  const rows = await sql`
    with freed as (
      update runs set worker = null, epoch = epoch + 1, updated_at = now(), deaths = ${deathsAfter(dead)}
      where id in (select id from runs where worker = ${dead.id} order by id for update) returning id, epoch, ${dead.id}::uuid as worker
    )
    ${insertCuts(part`freed`, 'died')} returning run_id`
  return rows.length
}

/**
 * How often a run that has not advanced gets a death taken off because of a process that may have died over another run. Two runs that kill
 * processes must not do that for each other for ever.
 */
const sparedMax = 2
/**
 * The same because of a process that held no run which was charged before: it died for another reason. Where workers die within a second, no
 * process for suspects gets ready, and ten in a row were seen. It ends too, since a run may also take a process along that did not hold it.
 */
const sparedSurelyMax = 20

/**
 * Lowers the count of deaths of runs that the dead process could have held and did not: processes seem to die for other reasons now. A run that
 * waits for a process for suspects may then be claimed by anybody again.
 */
async function spareOthers(sql: Sql, { id, role }: Pick<DeadProcess, 'id' | 'role'>): Promise<void> {
  const driven = drivenBy(role)
  if (!driven) return
  await sql`
    with dead as materialized (
      select exists (select from runs where worker = ${id} and (deaths > 0 or spared > 0)) as held_a_suspect
    )
    update runs set deaths = deaths - 1, spared = spared + 1
    where id in (
      select id from runs
      where admitted_at is not null and deaths > 0 and ${driven}
        and spared < (select case when held_a_suspect then ${sparedMax}::int else ${sparedSurelyMax}::int end from dead)
        and (deaths = 1 and worker is distinct from ${id} or deaths = 2 and worker is null)
      order by id for update skip locked)`
}

/** Runs held by a process that is not listed any more: it left between two sweeps. One whose row is locked is left to the next sweep. */
export async function reviveOrphans(sql: Sql): Promise<number> {
  const rows = await sql`
    with lost as materialized (
      select r.id, r.worker from runs r
      where r.worker is not null and not exists (select from processes p where p.id = r.worker)
      order by r.id for update of r skip locked
    ),
    freed as (
      update runs set worker = null, epoch = epoch + 1, updated_at = now()
      from lost where runs.id = lost.id returning runs.id, runs.epoch, lost.worker
    )
    ${insertCuts(part`freed`, 'left')} returning run_id`
  return rows.length
}
