// How long the oldest case of a queue has waited for somebody: since it was made, or since its time came.
import { part, type Part } from '../../../base/db.ts'
import { behindMax, type Asked, type Behind, type Meter } from './measured.ts'

const oldest = ({ team_id, scope_id }: Asked, max: number): Part => part`
  (select c.id, c.created_at as since from cases c
   where c.queue_id = ${scope_id} and c.team_id = ${team_id} and c.display_status = 'pending' order by c.created_at, c.id limit ${max})
  union all
  (select c.id, c.postponed_to from cases c
   where c.queue_id = ${scope_id} and c.team_id = ${team_id} and c.display_status = 'postponed' and c.postponed_to <= now()
   order by c.postponed_to, c.id limit ${max})`

export const queueAge: Meter = {
  async value(sql, asked) {
    const [first] = await sql<{ minutes: number }>`
      select extract(epoch from now() - o.since)::float8 / 60 as minutes from (${oldest(asked, 1)}) o order by o.since limit 1`
    return first?.minutes ?? null
  },
  behind: (sql, asked) => sql<Behind>`
    select 'case' as kind, o.id, null as run_id, null as agent_id, o.since as at, 'The case waits for somebody.' as says
    from (${oldest(asked, behindMax)}) o order by o.since, o.id limit ${behindMax}`,
}
