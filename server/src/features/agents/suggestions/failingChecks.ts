// Which checks failed often enough in the last runs of a live build that a suggestion is due.
import { part, type Sql } from '../../../base/db.ts'
import { isUndecided } from './suggestion.ts'

export interface FailingCheck {
  agent_id: string
  team_id: string
  flag: string
}

/** How long after one that failed there may be another for the same build and check: each costs a call of the builder. */
const pauseAfterFailure = part`interval '1 day'`

/**
 * SQL condition over `suggestions g` and the live build `b`: there is one already, or somebody has decided. What a build was told once it is
 * not told again.
 */
const isTold = part`(${isUndecided} or g.base_build_id = b.id and (
  g.state in ('accepted', 'rejected') or g.state = 'failed' and g.updated_at > now() - ${pauseAfterFailure}))`

/** The last evaluated runs of the live build `b`, by the settings `s`. */
const latest = part`
  select e.run_id, e.failed, e.run_ended_at from evaluations e
  where e.build_id = b.id and e.team_id = s.team_id and e.counts and e.status = 'ready'
  order by e.run_ended_at desc, e.id desc limit s.of_runs`

/** The check that fails most often comes first. */
export const failingChecks = (sql: Sql, agentIds: string[]): Promise<FailingCheck[]> => sql<FailingCheck>`
  select s.agent_id, s.team_id, f.flag
  from suggestion_settings s join agents a on a.id = s.agent_id and a.deleted_at is null
  join builds b on b.agent_id = s.agent_id and b.team_id = s.team_id and b.status = 'live'
  cross join lateral (
    select flag, count(*) as failed_runs from (${latest}) l, unnest(l.failed) as flag group by flag having count(*) >= s.failures) f
  where s.agent_id = any(${agentIds}::uuid[])
    and not exists (select from suggestions g where g.agent_id = s.agent_id and g.flag = f.flag and ${isTold})
  order by s.agent_id, f.failed_runs desc, f.flag`

interface FailedRun {
  run_id: string
  run_number: number
  run_title: string
  run_ended_at: Date
  label: string | null
  comment: string | null
}

export interface Evidence {
  of_runs: number
  /** Newest first. */
  runs: FailedRun[]
}

const commentMax = 1000

/** The runs in which the check failed, if they are still enough; a run that somebody deletes right now is passed over. */
export async function evidenceOf(
  sql: Sql,
  { agentId, teamId, flag }: { agentId: string; teamId: string; flag: string },
): Promise<Evidence | undefined> {
  const found = await sql<{ run_id: string; failures: number; looked_at: number }>`
    select l.run_id, s.failures, l.looked_at
    from suggestion_settings s join builds b on b.agent_id = s.agent_id and b.team_id = s.team_id and b.status = 'live'
    cross join lateral (select run_id, failed, count(*) over ()::int as looked_at from (${latest}) each_of) l
    where s.agent_id = ${agentId} and s.team_id = ${teamId} and ${flag} = any(l.failed)
      and not exists (select from suggestions g where g.agent_id = s.agent_id and g.flag = ${flag} and ${isTold})`
  const [first] = found
  if (!first) return undefined
  const runs = await sql<FailedRun>`
    select r.id as run_id, r.run_number, r.title as run_title, r.completed_at as run_ended_at, told.label, left(told.comment, ${commentMax}) as comment
    from runs r left join lateral (
      select f ->> 'label' as label, f ->> 'comment' as comment from evaluations e, jsonb_array_elements(e.results) f
      where e.run_id = r.id and e.counts and f ->> 'flag' = ${flag} limit 1) told on true
    where r.id = any(${found.map(({ run_id }) => run_id)}::uuid[]) and r.team_id = ${teamId} and r.completed_at is not null
    order by r.completed_at desc, r.id for key share of r skip locked`
  return runs.length < first.failures ? undefined : { of_runs: first.looked_at, runs }
}
