// The share of runs that failed, of those that began in the window and have ended otherwise than by a stop.
import { one, part, type Part } from '../../../base/db.ts'
import { behindMax, countedMax, type Asked, type Behind, type Meter } from './measured.ts'

/** The newest runs of one outcome, by an index that has all of it. Runs of artifacts are shown with their artifact. */
const newest = ({ team_id, scope_id, window_minutes }: Asked, outcome: string, max: number): Part => part`
  select r.id, r.created_at from runs r
  where r.team_id = ${team_id} ${scope_id === null ? part`and r.source <> 'artifact'` : part`and r.agent_id = ${scope_id}`}
    and r.counted_as = ${outcome} and r.created_at >= now() - make_interval(mins => ${window_minutes}::int)
  order by r.created_at desc, r.id desc limit ${max}`

export const failureRate: Meter = {
  async value(sql, asked) {
    // if one outcome has more runs than are read, the other is counted only as far back
    const { failed, completed } = await one(sql<{ failed: number; completed: number }>`
      with failed as materialized (${newest(asked, 'failed', countedMax)}),
      completed as materialized (${newest(asked, 'completed', countedMax)}),
      reach as materialized (
        select greatest(
          (select case when count(*) = ${countedMax} then min(created_at) end from failed),
          (select case when count(*) = ${countedMax} then min(created_at) end from completed)) as since
      )
      select (select count(*) from failed, reach where since is null or created_at >= since) as failed,
        (select count(*) from completed, reach where since is null or created_at >= since) as completed`)
    const ended = failed + completed
    return ended === 0 || ended < (asked.min_runs ?? 1) ? null : (100 * failed) / ended
  },
  behind: (sql, asked) => sql<Behind>`
    select 'run' as kind, r.id, r.id as run_id, r.agent_id, r.completed_at as at,
      concat(a.name, ', run ', r.run_number, ': ', coalesce(r.error ->> 'code', 'failed')) as says
    from (${newest(asked, 'failed', behindMax)}) n join runs r on r.id = n.id join agents a on a.id = r.agent_id
    order by n.created_at desc, n.id desc`,
}
