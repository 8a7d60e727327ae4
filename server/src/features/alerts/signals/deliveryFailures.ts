// How many deliveries failed: tried and still to be repeated, or given up within the window.
import { empty, one, part, type Part } from '../../../base/db.ts'
import { behindMax, countedMax, type Asked, type Behind, type Meter } from './measured.ts'

/** How many of the newest given up deliveries of a team are looked through for those of one webhook. */
const deadMax = 5000

/**
 * Deliveries to one webhook have an index of their own. That of a team's rarer states is used only where the statement itself says that it is
 * one of them.
 */
const failing = ({ team_id, scope_id }: Asked): Part => part`
  (select d.id, d.run_id, d.n, d.state, d.created_at as at, d.reason from deliveries d
   where d.team_id = ${team_id} and d.state = 'retrying' and d.data is null
     ${scope_id === null ? part`and d.state in ('retrying', 'replaying', 'dead') order by d.n desc` : part`and d.target_id = ${scope_id} order by d.due_at`}
   limit ${countedMax})`

const givenUp = ({ team_id, scope_id, window_minutes }: Asked): Part => part`
  (select d.id, d.run_id, d.n, d.state, d.settled_at as at, d.reason from (
     select * from deliveries d where d.team_id = ${team_id} and d.state = 'dead' and d.state in ('retrying', 'replaying', 'dead')
     order by d.n desc limit ${deadMax}) d
   where d.data is null and d.settled_at >= now() - make_interval(mins => ${window_minutes}::int)
     ${scope_id === null ? empty : part`and d.target_id = ${scope_id}`}
   order by d.n desc limit ${countedMax})`

export const deliveryFailures: Meter = {
  async value(sql, asked) {
    const { failed } = await one(sql<{ failed: number }>`
      select least(${countedMax}::bigint, (select count(*) from ${failing(asked)} f) + (select count(*) from ${givenUp(asked)} g)) as failed`)
    return failed
  },
  behind: (sql, asked) => sql<Behind>`
    select 'delivery' as kind, f.id, f.run_id, null as agent_id, f.at,
      case f.state when 'dead' then concat('Given up. ', f.reason) else 'It is tried again.' end as says
    from (select * from ${failing(asked)} x union all select * from ${givenUp(asked)} y) f order by f.n desc limit ${behindMax}`,
}
