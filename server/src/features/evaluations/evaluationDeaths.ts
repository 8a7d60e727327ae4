// The evaluations by rule that processes died over: what a process evaluates now, and how many died over each run.
import type { Sql } from '../../base/db.ts'
import { deathsAfter, deathsAfterSuspectProcess, suspectDeaths } from '../../kit/deaths.ts'
import type { DeadProcess } from '../../kit/presence.ts'

/** Committed before anything of the runs is read. It need not wait for the disk, because it matters only if this process dies. */
export async function noteEvaluating(sql: Sql, worker: string, runIds: string[]): Promise<void> {
  await sql`
    with quick as materialized (select set_config('synchronous_commit', 'off', true))
    insert into evaluating (worker, run_ids) select ${worker}::uuid, ${runIds}::uuid[] from quick
    on conflict (worker) do update set run_ids = excluded.run_ids`
}

/** Notes, in the transaction of the evaluation, that the process is done with these runs. */
export async function noteEvaluated(sql: Sql, worker: string | undefined, runIds: string[]): Promise<void> {
  await sql`
    with done as (delete from evaluating where worker = ${worker ?? null}::uuid)
    delete from evaluation_deaths where run_id = any(${runIds}::uuid[])`
}

/** Counts the death for every run that the process was evaluating and that is still to be evaluated. */
export async function reapEvaluations(sql: Sql, dead: Pick<DeadProcess, 'id' | 'role'>): Promise<void> {
  await sql`update evaluation_deaths set deaths = ${deathsAfter(dead)}, worker = null where worker = ${dead.id}`
  await sql`
    with held as (delete from evaluating where worker = ${dead.id} returning run_ids),
    due as (
      select distinct r.run_id, r.team_id from held cross join unnest(held.run_ids) as h (run_id)
      join runs on runs.id = h.run_id join runs_to_evaluate r on r.team_id = runs.team_id and r.run_id = h.run_id
    )
    insert into evaluation_deaths as d (run_id, team_id, deaths) select run_id, team_id, 1 from due
    on conflict (run_id) do update set deaths = greatest(d.deaths, least(d.deaths + 1, ${suspectDeaths}::int))`
}

interface SuspectEvaluation {
  run_id: string
  team_id: string
  deaths: number
}

/** Reads the suspects that nobody evaluates now, and forgets those whose runs need no evaluation any more. */
export async function readSuspects(sql: Sql, max: number): Promise<SuspectEvaluation[]> {
  await sql`
    delete from evaluation_deaths d
    where not exists (select from runs_to_evaluate r where r.team_id = d.team_id and r.run_id = d.run_id)`
  return sql<SuspectEvaluation>`
    select run_id, team_id, deaths from evaluation_deaths d
    where deaths >= ${suspectDeaths}::int and (worker is null or not exists (select from processes p where p.id = d.worker))
    order by row_number() over (partition by team_id order by run_id), run_id limit ${max}`
}

/** False: another process has it, or it is done. */
export async function takeSuspect(sql: Sql, runId: string, worker: string): Promise<boolean> {
  const taken = await sql`
    update evaluation_deaths d set worker = ${worker}
    where run_id = ${runId} and (worker is null or not exists (select from processes p where p.id = d.worker)) returning run_id`
  return taken.length > 0
}

export async function releaseSuspect(sql: Sql, runId: string, worker: string): Promise<void> {
  await sql`update evaluation_deaths set worker = null where run_id = ${runId} and worker = ${worker}`
}

/** Records that the process for suspects that evaluated this run died; `isSure`: it did nothing else. */
export async function noteSuspectDeath(sql: Sql, runId: string, isSure: boolean): Promise<void> {
  await sql`
    update evaluation_deaths set deaths = ${deathsAfterSuspectProcess(isSure)}, worker = null where run_id = ${runId} and deaths >= ${suspectDeaths}::int`
}
