// The runs that failed lately, added up by agent and error code.
import type { Sql } from '../../base/db.ts'

/** How many of the newest failures are added up, and how many rows they give at most. */
const failuresMax = 5000
const rowsMax = 50

interface Failure {
  agent_id: string
  agent_name: string
  code: string
  runs: number
  last_run_id: string
  last_failed_at: Date
}

interface Failures {
  rows: Failure[]
  /** Whether there were more failures than are added up. */
  is_cut: boolean
}

/** Runs of artifacts are left out, as in every count. */
export async function readFailures(sql: Sql, teamId: string, since: Date): Promise<Failures> {
  const rows = await sql<Failure & { is_of_all: boolean }>`
    with failed as materialized (
      select r.id, r.agent_id, r.completed_at, r.error ->> 'code' as code from runs r
      where r.team_id = ${teamId} and r.status = 'failed' and r.completed_at >= ${since} and r.source <> 'artifact'
      order by r.completed_at desc, r.id desc limit ${failuresMax + 1}
    ),
    summed as (
      select agent_id, coalesce(code, 'unknown') as code, count(*) as runs, max(completed_at) as last_failed_at,
        (array_agg(id order by completed_at desc, id desc))[1] as last_run_id
      from failed group by 1, 2
    )
    select summed.*, coalesce((select a.name from agents a where a.id = summed.agent_id and a.team_id = ${teamId}), '') as agent_name,
      (select count(*) from failed) <= ${failuresMax} as is_of_all
    from summed order by runs desc, last_failed_at desc limit ${rowsMax + 1}`
  const failures = rows.slice(0, rowsMax).map(({ is_of_all, ...failure }) => ({ is_of_all, failure }))
  return {
    rows: failures.map(({ failure }) => failure),
    is_cut: rows.length > rowsMax || failures.some(({ is_of_all }) => !is_of_all),
  }
}
