// How often a schedule was due within the window and a due time of it started no run.
import { one, part, type Part } from '../../../base/db.ts'
import { behindMax, countedMax, type Asked, type Behind, type Meter } from './measured.ts'

/** SQL over `schedule_misses m`: those of the schedule, agent or team that is asked about. */
export const ofScope = ({ team_id, scope, scope_id }: Asked): Part =>
  scope === 'schedule'
    ? part`m.schedule_id = ${scope_id} and m.team_id = ${team_id}`
    : scope === 'agent'
      ? part`m.agent_id = ${scope_id} and m.team_id = ${team_id}`
      : part`m.team_id = ${team_id}`

const newest = (asked: Asked, max: number): Part => part`
  select m.* from schedule_misses m
  where ${ofScope(asked)} and m.missed_at >= now() - make_interval(mins => ${asked.window_minutes}::int)
  order by m.missed_at desc limit ${max}`

const reasons = part`case m.reason
  when 'late' then 'It was due while the service was not there.'
  when 'limit' then 'A limit of the team was reached.'
  when 'paused' then 'The agent is paused.'
  when 'no_live_build' then 'The agent has no live build.'
  else 'The schedule disabled itself.' end`

export const scheduleMisses: Meter = {
  async value(sql, asked) {
    return (await one(sql<{ misses: number }>`select count(*) as misses from (${newest(asked, countedMax)}) m`)).misses
  },
  behind: (sql, asked) => sql<Behind>`
    select 'schedule' as kind, m.schedule_id as id, null as run_id, m.agent_id, m.missed_at as at, concat_ws(': ', a.name, ${reasons}) as says
    from (${newest(asked, behindMax)}) m left join agents a on a.id = m.agent_id and a.team_id = m.team_id order by m.missed_at desc`,
}
