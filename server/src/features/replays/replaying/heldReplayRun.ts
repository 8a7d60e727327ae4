// One run of a replay that one process holds: by a lease on the database's clock, and written only while it holds it.
import { part, type Sql } from '../../../base/db.ts'
import { storableJson } from '../../../base/storable.ts'
import { storageProblem } from '../../../engine/engine.ts'
import type { Context } from '../../../kit/context.ts'
import { aloneDeaths, deathsAfter, deathsAfterSuspectProcess, suspectDeaths } from '../../../kit/deaths.ts'
import { LeaseLost, leaseUntil } from '../../../kit/lease.ts'
import type { DeadProcess } from '../../../kit/presence.ts'
import { countInDoubt } from './callsInDoubt.ts'
import type { ReplayReport } from './report.ts'

export interface HeldReplayRun {
  id: string
  team_id: string
  replay_id: string
  recording_id: string | null
  claim: string
  attempts: number
  /** How many processes died over it, as kit/deaths.ts counts them. */
  deaths: number
  /** How often in a row no model answered. */
  troubles: number
  /** The model that was being asked when it was claimed: that call was cut off, and may have been served. Null: none. */
  reserved_model: string | null
}

export interface ReplayTimes {
  /** How long a holder may be silent. */
  leaseMs: number
  /** How long one answer of a model may take. */
  answerMs: number
}

export const usualTimes: ReplayTimes = { leaseMs: 30_000, answerMs: 180_000 }

const heldColumns = part`h.id, h.team_id, h.replay_id, h.recording_id, h.claim, h.attempts, h.deaths, h.troubles, h.reserved_model`

interface Claiming {
  max: number
  times: ReplayTimes
  /** Teams that this process takes nothing more of. */
  full?: string[]
  /** The process that claims, if others must notice its death. */
  worker?: string | null
}

/** Takes over what is due and pushes its time ahead by the lease. Teams that have least under way come first. */
export const claimReplayRuns = (
  sql: Sql,
  { max, times: { leaseMs }, full = [], worker = null }: Claiming,
): Promise<HeldReplayRun[]> => sql<HeldReplayRun>`
  with team as materialized (
    select team_id, count(*) filter (where claim is not null and due_at > now()) as under_way from replay_runs
    where state = 'pending' group by team_id having bool_or(due_at <= now())
  ),
  due as materialized (
    select next.* from (select team_id from team where team_id <> all(${full}::uuid[]) order by under_way, random()) t, lateral (
      select id from replay_runs where team_id = t.team_id and state = 'pending' and due_at <= now()
      order by due_at limit ${max} for update skip locked) next
    limit ${max}
  )
  update replay_runs h set claim = gen_random_uuid(), worker = ${worker}, attempts = h.attempts + 1, due_at = ${leaseUntil(leaseMs / 1000)}
  from due where h.id = due.id
  returning ${heldColumns}`

/** A process for suspects takes the work over from the process that holds it until then. */
export async function takeSuspect(
  sql: Sql,
  worker: string,
  { id, epoch }: { id: string; epoch: number },
  { leaseMs }: ReplayTimes,
): Promise<HeldReplayRun | undefined> {
  const [held] = await sql<HeldReplayRun>`
    update replay_runs h set claim = gen_random_uuid(), worker = ${worker}, due_at = ${leaseUntil(leaseMs / 1000)}
    where h.id = ${id} and h.attempts = ${epoch} and h.claim is not null and h.state = 'pending'
    returning ${heldColumns}`
  return held
}

/** What a dead process held is due at once, and its death is counted. */
export async function reapReplayRuns(sql: Sql, dead: Pick<DeadProcess, 'id' | 'role'>): Promise<void> {
  await sql`
    update replay_runs set due_at = now(), worker = null, deaths = ${deathsAfter(dead)}
    where worker = ${dead.id} and claim is not null and state = 'pending'`
}

/** Records that the process for suspects that did this work died; `isSure`: it did nothing else. */
export async function noteSuspectDeath(sql: Sql, held: HeldReplayRun, isSure: boolean): Promise<void> {
  await sql`
    update replay_runs set deaths = ${deathsAfterSuspectProcess(isSure)}, due_at = now(), worker = null
    where id = ${held.id} and team_id = ${held.team_id} and attempts = ${held.attempts} and state = 'pending'
      and deaths in (${suspectDeaths}, ${aloneDeaths})`
}

/** Gives the work back for another process, or for later. */
export async function putOff(sql: Sql, held: HeldReplayRun, pauseMs: number, troubles = held.troubles): Promise<void> {
  await sql`
    update replay_runs set claim = null, worker = null, troubles = ${troubles}, due_at = ${leaseUntil(pauseMs / 1000)}
    where id = ${held.id} and team_id = ${held.team_id} and claim = ${held.claim} and state = 'pending'`
}

/** False: another process holds it now. */
export async function renew(
  sql: Sql,
  held: HeldReplayRun,
  { leaseMs }: Pick<ReplayTimes, 'leaseMs'>,
): Promise<boolean> {
  const ours = await sql`
    update replay_runs set due_at = ${leaseUntil(leaseMs / 1000)}
    where id = ${held.id} and team_id = ${held.team_id} and claim = ${held.claim} and state = 'pending' returning id`
  return ours.length > 0
}

export type Ending =
  | { verdict: 'same' | 'changed'; match: number; report: ReplayReport }
  | { verdict: 'not_replayed'; reason: string }

/**
 * Writes the result of one run and counts it, in one transaction: so each run is counted once. The row of the replay is always locked before
 * those of its runs.
 */
export function finish(context: Context, held: HeldReplayRun, ending: Ending): Promise<void> {
  const { id, team_id, replay_id, claim } = held
  const report = ending.verdict === 'not_replayed' ? null : ending.report
  const scores = report && report.recorded.score !== null && report.replayed.score !== null ? report : null
  const text = report && storableJson(report)
  return context.db.transaction(async (sql) => {
    // its figures are counted all the same: models were paid for it
    const full = text === null ? undefined : await storageProblem(context, sql, team_id, Buffer.byteLength(text))
    const counted = await sql`
      update replays set
        runs_same = runs_same + ${Number(ending.verdict === 'same')}::int,
        runs_changed = runs_changed + ${Number(ending.verdict === 'changed')}::int,
        runs_not_replayed = runs_not_replayed + ${Number(ending.verdict === 'not_replayed')}::int,
        match_sum = match_sum + ${ending.verdict === 'not_replayed' ? 0 : ending.match}::numeric,
        recorded_cost_usd = recorded_cost_usd + ${report?.recorded.cost_usd ?? '0'}::numeric,
        recorded_model_ms = recorded_model_ms + ${report?.recorded.model_ms ?? 0}::bigint,
        scored = scored + ${Number(scores !== null)}::int,
        recorded_score_sum = recorded_score_sum + ${scores?.recorded.score ?? 0}::numeric,
        score_sum = score_sum + ${scores?.replayed.score ?? 0}::numeric,
        state = case when runs_same + runs_changed + runs_not_replayed + 1 >= runs then 'completed' else state end,
        completed_at = case when runs_same + runs_changed + runs_not_replayed + 1 >= runs then now() end
      where id = ${replay_id} and team_id = ${team_id} and state = 'running' returning id`
    // what was said of a run that was deleted since then is not stored
    const ours = await sql`
      update replay_runs h set state = 'done', claim = null, worker = null, verdict = ${ending.verdict},
        match = ${ending.verdict === 'not_replayed' ? null : ending.match}::numeric,
        reason = ${ending.verdict === 'not_replayed' ? ending.reason : (full ?? null)}, findings = ${report?.findings.length ?? 0}::int,
        report = case when h.recording_id is not null then ${full === undefined ? text : null}::jsonb end, completed_at = now()
      where id = ${id} and team_id = ${team_id} and claim = ${claim} and state = 'pending' returning id`
    if (counted.length === 0 || ours.length === 0) throw new LeaseLost()
    // a run that is given up may have died, or failed, while its model was asked
    await countInDoubt(sql, { replay_id, team_id, run_id: id })
    await sql`delete from replay_turns where replay_run_id = ${id}`
  })
}
