// Which triggers have something that could start: of each team the next one, so that no team waits for all of another's.
import { part } from '../../base/db.ts'
import { activeList } from '../../engine/ledger/lifecycle.ts'
import type { Context } from '../../kit/context.ts'
import { eventsWaitingMax } from './settleSome.ts'

interface Next {
  team_id: string
  /** Null: the team has none behind its place. */
  trigger_id: string | null
  /** False: it was passed by, as were many before it. The next look begins behind it. */
  is_due: boolean
}

/** How many triggers that cannot proceed are passed by at one look for one team: other teams wait for that look too. */
const passedMax = 100

const beforeAll = '00000000-0000-0000-0000-000000000000'
/** The place of a team that is to be passed by as a whole. */
export const behindAll = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/**
 * What came in for a paused agent or beyond `concurrency` waits, unless there are so many events that some are dropped. Values instead of
 * `exists` and joins: those could be planned as a look at all agents, or all runs.
 */
const cannotProceed = part`exists (
  select from triggers t where t.id = f.trigger_id and t.team_id = f.team_id and t.enabled
    and (
      (select a.paused_at is not null from agents a where a.id = t.agent_id and a.team_id = t.team_id)
      or t.concurrency <= (
        select count(*) filter (where (
          select r.status in ${activeList} from runs r where r.id = d.run_id and r.team_id = d.team_id))
        from trigger_deliveries d where d.trigger_id = t.id and d.team_id = t.team_id and d.holds_place))
    and not (t.kind = 'event' and exists (
      select from trigger_deliveries d where d.trigger_id = t.id and d.state = 'waiting' offset ${eventsWaitingMax})))`

/**
 * `places` has the trigger behind which each team continues; those that rest are passed by. The next trigger is looked for in the order of both
 * ids, though it stays within a team: so it is one step through the index of exactly these, whatever waits.
 */
export const nextOfEachTeam = (
  { db }: Pick<Context, 'db'>,
  places: [string, string][],
  resting: string[],
): Promise<Next[]> => db.sql<Next>`
  with recursive teams as (
    (select team_id from trigger_deliveries where state = 'waiting' order by team_id limit 1)
    union all
    select next.team_id from teams t, lateral (
      select d.team_id from trigger_deliveries d where d.state = 'waiting' and d.team_id > t.team_id order by d.team_id limit 1) next
  ),
  resting (id) as (select unnest(${resting}::uuid[])),
  nexts as (
    select t.team_id, coalesce(p.trigger_id, ${beforeAll}::uuid) as trigger_id, false as is_due, 0 as steps
    from teams t left join unnest(${places.map(([team]) => team)}::uuid[], ${places.map(([, trigger]) => trigger)}::uuid[])
      p (team_id, trigger_id) on p.team_id = t.team_id
    union all
    select f.team_id, f.trigger_id, f.trigger_id not in (select id from resting) and not ${cannotProceed}, f.steps
    from (
      select n.team_id, n.steps + 1 as steps, (
        select case when d.team_id = n.team_id then d.trigger_id end from trigger_deliveries d
        where d.state = 'waiting' and (d.team_id, d.trigger_id) > (n.team_id, n.trigger_id) order by d.team_id, d.trigger_id limit 1) as trigger_id
      from nexts n where not n.is_due and n.trigger_id is not null and n.steps < ${passedMax}::int offset 0) f
  )
  select team_id, trigger_id, is_due from nexts where is_due or trigger_id is null or steps = ${passedMax}::int`
