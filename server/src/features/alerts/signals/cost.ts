// What models cost on the last days of UTC, today included, as billing adds it up.
import { empty, one, part, type Part } from '../../../base/db.ts'
import { usageOf } from '../../../engine/counting/usage.ts'
import { behindMax, countedMax, type Asked, type Behind, type Meter } from './measured.ts'

/**
 * The newest runs that have ended in one way: which cost most is asked of these. Runs of artifacts are shown with their artifact, and those of a
 * private one only to its maker; what they cost counts all the same.
 */
const newest = ({ team_id, scope_id, window_minutes }: Asked, outcome: string): Part => part`
  (select r.id, r.agent_id, r.run_number, r.cost_usd, r.completed_at from runs r
   where r.team_id = ${team_id} ${scope_id === null ? part`and r.source <> 'artifact'` : part`and r.agent_id = ${scope_id}`} and r.counted_as = ${outcome}
     and r.created_at >= date_trunc('day', now() at time zone 'utc') at time zone 'utc' - make_interval(mins => ${window_minutes}::int - 1440)
   order by r.created_at desc, r.id desc limit ${countedMax})`

/** SQL: which rows of usage count. An agent does not spend what replays of its builds cost: a rule would pause it for what a person tried. */
export const spentBy = ({ scope_id }: Asked): Part =>
  scope_id === null ? empty : part`where agent_id = ${scope_id} and purpose is distinct from 'replay'`

export const cost: Meter = {
  async value(sql, asked) {
    const days = (asked.window_minutes ?? 1440) / 1440
    const { since, until } = await one(sql<{ since: string; until: string }>`
      select to_char(today - ${days - 1}::int, 'YYYY-MM-DD') as since, to_char(today + 1, 'YYYY-MM-DD') as until
      from (select (now() at time zone 'utc')::date as today) clock`)
    const { usd } = await one(sql<{ usd: number }>`
      select coalesce(sum(cost_usd), 0)::float8 as usd from (${usageOf(asked.team_id, { since, until })}) used
      ${spentBy(asked)}`)
    return usd
  },
  behind: (sql, asked) => sql<Behind>`
    select 'run' as kind, r.id, r.id as run_id, r.agent_id, r.completed_at as at,
      concat(a.name, ', run ', r.run_number, ': $', round(r.cost_usd, 4)) as says
    from (${newest(asked, 'completed')} union all ${newest(asked, 'failed')} union all ${newest(asked, 'stopped')}) r
    join agents a on a.id = r.agent_id
    where r.cost_usd > 0 order by r.cost_usd desc, r.id desc limit ${behindMax}`,
}
