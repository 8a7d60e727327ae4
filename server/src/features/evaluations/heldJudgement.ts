// A judgement that one process holds: by a lease on the database's clock, and written only while it holds it.
import { part, type Sql } from '../../base/db.ts'
import { aloneDeaths, deathsAfter, deathsAfterSuspectProcess, suspectDeaths } from '../../kit/deaths.ts'
import { leaseUntil } from '../../kit/lease.ts'
import type { DeadProcess } from '../../kit/presence.ts'
import type { Result } from './evaluation.ts'

export interface HeldJudgement {
  evaluation_id: string
  team_id: string
  run_id: string
  claim: string
  attempts: number
  /** How many processes died over it, as kit/deaths.ts counts them. */
  deaths: number
  /** Whoever held it before died over it. */
  was_cut_off: boolean
  agent_id: string
  build_id: string
  source: 'run_end' | 'request'
  run_ended_at: Date
  results: Result[]
}

export interface JudgeTimes {
  /** How long a holder may be silent. */
  leaseMs: number
  /** How long one answer may take. */
  answerMs: number
}

export const usualTimes: JudgeTimes = { leaseMs: 30_000, answerMs: 180_000 }

/**
 * Takes over what is due, at most `max`, and pushes its time ahead by the lease. Teams that have least under way come first, so that
 * one with thousands of runs to judge does not keep the others waiting; `full` are teams that this process takes nothing more of. `worker`
 * is the process that claims, if others must notice its death.
 */
export const claimJudgements = (
  sql: Sql,
  max: number,
  { leaseMs }: JudgeTimes,
  full: string[] = [],
  worker: string | null = null,
): Promise<HeldJudgement[]> =>
  sql<HeldJudgement>`
    with team as materialized (
      select team_id, count(*) filter (where claim is not null and due_at > now()) as under_way from judgements
      group by team_id having bool_or(due_at <= now())
    ),
    due as materialized (
      select next.* from (select team_id from team where team_id <> all(${full}::uuid[]) order by under_way, random()) t, lateral (
        select evaluation_id, claim is not null as was_cut_off from judgements
        where team_id = t.team_id and due_at <= now() order by due_at limit ${max} for update skip locked) next
      limit ${max}
    )
    update judgements j set claim = gen_random_uuid(), worker = ${worker}, attempts = j.attempts + 1, due_at = ${leaseUntil(leaseMs / 1000)}
    from due, evaluations e
    where j.evaluation_id = due.evaluation_id and e.id = j.evaluation_id and e.team_id = j.team_id
    returning ${heldColumns}, due.was_cut_off`

const heldColumns = part`
  j.evaluation_id, j.team_id, j.run_id, j.claim, j.attempts, j.deaths, e.agent_id, e.build_id, e.source, e.run_ended_at, e.results`

/** A process for suspects takes the judgement over from the process that holds it until then. */
export async function takeSuspect(
  sql: Sql,
  worker: string,
  { id, epoch }: { id: string; epoch: number },
  { leaseMs }: JudgeTimes,
): Promise<HeldJudgement | undefined> {
  const [held] = await sql<HeldJudgement>`
    update judgements j set claim = gen_random_uuid(), worker = ${worker}, due_at = ${leaseUntil(leaseMs / 1000)}
    from evaluations e
    where j.evaluation_id = ${id} and e.id = j.evaluation_id and e.team_id = j.team_id and j.attempts = ${epoch} and j.claim is not null
    returning ${heldColumns}, true as was_cut_off`
  return held
}

/** What a dead process held is due at once, and its death is counted. */
export async function reapJudgements(sql: Sql, dead: Pick<DeadProcess, 'id' | 'role'>): Promise<void> {
  await sql`
    update judgements set due_at = now(), worker = null, deaths = ${deathsAfter(dead)} where worker = ${dead.id} and claim is not null`
}

/** Records that the process for suspects that did this judgement died; `isSure`: it did nothing else. */
export async function noteSuspectDeath(
  sql: Sql,
  { evaluation_id, team_id, attempts }: HeldJudgement,
  isSure: boolean,
): Promise<void> {
  await sql`
    update judgements set deaths = ${deathsAfterSuspectProcess(isSure)}, due_at = now(), worker = null
    where evaluation_id = ${evaluation_id} and team_id = ${team_id} and attempts = ${attempts}
      and deaths in (${suspectDeaths}, ${aloneDeaths})`
}

/** Gives the judgement back at once for another process, without counting the attempt: the judgement did not fail. */
export const giveBack = (sql: Sql, held: HeldJudgement): Promise<void> => putOff(sql, held, 0, 1)

export async function putOff(sql: Sql, held: HeldJudgement, pauseMs: number, uncounted = 0): Promise<void> {
  await sql`
    update judgements set claim = null, worker = null, attempts = attempts - ${uncounted}::int, due_at = ${leaseUntil(pauseMs / 1000)}
    where evaluation_id = ${held.evaluation_id} and team_id = ${held.team_id} and claim = ${held.claim}`
}

/** False: another process holds it now. */
export async function renew(sql: Sql, held: HeldJudgement, { leaseMs }: Pick<JudgeTimes, 'leaseMs'>): Promise<boolean> {
  const ours = await sql`
    update judgements set due_at = ${leaseUntil(leaseMs / 1000)}
    where evaluation_id = ${held.evaluation_id} and team_id = ${held.team_id} and claim = ${held.claim} returning evaluation_id`
  return ours.length > 0
}
