// Writes finished evaluations: the one that counts for its run, the counts behind scores, and what the run's row shows of it.
import { part, type Sql } from '../../base/db.ts'
import { noteEvaluations } from '../../engine/ledger/noteEvaluations.ts'
import { appendCounts } from './evalCounts.ts'
import { failedOf, scoreOf, type Result, type Summary } from './evaluation.ts'
import type { EndedRun } from './runLog.ts'

export interface Finished {
  id: string
  source: 'run_end' | 'request'
  status: 'ready' | 'unavailable'
  run: Pick<EndedRun, 'id' | 'team_id' | 'agent_id' | 'build_id' | 'ended_at'>
  results: Result[]
  summary: Summary
  /** Whether a model judged custom rubrics of it. */
  isJudged: boolean
}

/**
 * Called in a transaction that has locked the rows of these runs, each of which comes once: so two evaluations that finish at the same time
 * count one after the other.
 */
export async function writeEvaluations(sql: Sql, finished: Finished[]): Promise<void> {
  if (finished.length === 0) return
  const runIds = finished.map(({ run }) => run.id)
  const counted = await sql<{ run_id: string }>`
    with wanted as materialized (
      select * from json_to_recordset(${JSON.stringify(finished.map(rowOf))}::json) as w (
        id uuid, team_id uuid, agent_id uuid, build_id uuid, run_id uuid, source text, status text, run_ended_at timestamptz,
        results jsonb, summary jsonb, failed text[], is_judged boolean, score numeric)
    ),
    newer as materialized (
      select e.run_id from evaluations e join wanted w on w.run_id = e.run_id
      where e.run_id = any(${runIds}::uuid[]) and e.counts and e.id > w.id
    ),
    was as (
      update evaluations e set counts = false from wanted w
      where e.run_id = any(${runIds}::uuid[]) and e.run_id = w.run_id and e.team_id = w.team_id and e.counts and e.id < w.id
      returning e.*
    ),
    written as (
      insert into evaluations as e (id, team_id, agent_id, build_id, run_id, source, status, run_ended_at, results, summary, failed,
        is_judged, score, counts, completed_at)
      select id, team_id, agent_id, build_id, run_id, source, status, run_ended_at, results, summary, failed, is_judged, score,
        run_id not in (select run_id from newer), now()
      from wanted
      on conflict (id) do update set status = excluded.status, run_ended_at = excluded.run_ended_at, results = excluded.results,
        summary = excluded.summary, failed = excluded.failed, is_judged = excluded.is_judged, score = excluded.score,
        counts = excluded.counts, completed_at = excluded.completed_at
      returning e.*
    ),
    change as (select 1 as n, w.* from written w where w.counts union all select -1, was.* from was),
    counted as (${appendCounts(part`change`)})
    select run_id from written where counts`
  const counts = new Set(counted.map(({ run_id }) => run_id))
  const noted = finished.filter(({ run }) => counts.has(run.id))
  await noteEvaluations(
    sql,
    noted.map(({ run, summary }) => ({ run_id: run.id, summary })),
  )
}

const rowOf = ({ id, source, status, run, results, summary, isJudged }: Finished) => ({
  id,
  team_id: run.team_id,
  agent_id: run.agent_id,
  build_id: run.build_id,
  run_id: run.id,
  source,
  status,
  run_ended_at: run.ended_at,
  results,
  summary,
  failed: failedOf(results),
  is_judged: isJudged,
  score: scoreOf(summary),
})

/** Ends an evaluation without a result. It does not count: the result of an earlier evaluation stays. */
export async function endWithout(sql: Sql, evaluationIds: string[], summary: Summary): Promise<void> {
  if (evaluationIds.length === 0) return
  await sql`
    update evaluations set status = 'unavailable', summary = ${JSON.stringify(summary)}::jsonb, completed_at = now()
    where id = any(${evaluationIds}::uuid[]) and status = 'in_progress'`
}
