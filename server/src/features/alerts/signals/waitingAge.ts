// How long the oldest open request to a person has waited.
import { part, type Part } from '../../../base/db.ts'
import { behindMax, countedMax, type Asked, type Behind, type Meter } from './measured.ts'

/** The oldest first. An agent's are found by its runs that wait for a person. */
const oldest = ({ team_id, scope_id }: Asked, max: number): Part =>
  scope_id === null
    ? part`
  select h.id, h.run_id, h.created_at from human_requests h
  where h.team_id = ${team_id} and h.status = 'pending' and h.hidden_agent_id is null order by h.id limit ${max}`
    : part`
  select h.id, h.run_id, h.created_at from (
    select r.id from runs r where r.team_id = ${team_id} and r.agent_id = ${scope_id} and r.counted_as = 'needs_attention'
    order by r.created_at, r.id limit ${countedMax}) w
  join human_requests h on h.run_id = w.id and h.status = 'pending' order by h.id limit ${max}`

export const waitingAge: Meter = {
  async value(sql, asked) {
    const [first] = await sql<{ minutes: number }>`
      select extract(epoch from now() - o.created_at)::float8 / 60 as minutes from (${oldest(asked, 1)}) o`
    return first?.minutes ?? null
  },
  behind: (sql, asked) => sql<Behind>`
    select 'human_request' as kind, o.id, o.run_id, r.agent_id, o.created_at as at, concat(a.name, ', run ', r.run_number, ': waits for an answer') as says
    from (${oldest(asked, behindMax)}) o join runs r on r.id = o.run_id join agents a on a.id = r.agent_id order by o.id`,
}
