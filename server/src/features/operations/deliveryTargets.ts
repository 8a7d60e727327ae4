// The delivery targets of a team with how many deliveries of each state they have.
import type { Sql } from '../../base/db.ts'

/** How many of the newest deliveries are read for the figures of today, and how many targets. */
const newestMax = 20_000

export interface Target {
  kind: 'subscription' | 'callback'
  url: string
  active: boolean
  /** Null: not all deliveries of today were read. */
  delivered_today: number | null
  waiting: number
  retrying: number
  dead: number
  oldest_waiting_at: Date | null
}

/**
 * Retrying and dead deliveries come from their index, those that were not tried yet from the index of each target. For accepted ones there is no
 * index by time, since every delivery would pay for it: the newest are read.
 */
export const readTargets = (sql: Sql, teamId: string, today: Date): Promise<Target[]> => sql<Target>`
  with newest as materialized (
    select * from (
      (select n, target_id, (state = 'delivered')::int as delivered, created_at
       from deliveries where team_id = ${teamId} order by n desc limit ${newestMax})
      union all
      (select n, target_id, bit_count(delivered)::int, created_at
       from delivery_batches where team_id = ${teamId} order by n desc limit ${newestMax})) d
    order by n desc limit ${newestMax}
  ),
  lately as materialized (
    select target_id, coalesce(sum(delivered) filter (where created_at >= ${today}), 0)::bigint as delivered from newest group by target_id
  ),
  troubled as materialized (
    select target_id, count(*) filter (where state <> 'dead') as retrying, count(*) filter (where state = 'dead') as dead,
      min(n) filter (where state <> 'dead') as first
    from deliveries where team_id = ${teamId} and state in ('retrying', 'replaying', 'dead') group by target_id
  ),
  ids as materialized (
    select id from delivery_targets where team_id = ${teamId} and kind = 'subscription' and deleted_at is null
    union
    (select target_id from troubled order by retrying + dead desc limit ${newestMax})
    union
    select target_id from lately
  )
  select t.kind, t.url, t.active, coalesce(x.retrying, 0) as retrying, coalesce(x.dead, 0) as dead, w.waiting,
    case when (select count(*) < ${newestMax} or min(created_at) < ${today} from newest) then coalesce(l.delivered, 0) end as delivered_today,
    least(
      (select d.created_at from deliveries d where d.team_id = ${teamId} and d.n = least(x.first, w.first) limit 1),
      (select b.created_at from delivery_batches b where b.target_id = ids.id and b.has_waiting order by b.n limit 1)) as oldest_waiting_at
  from ids join delivery_targets t on t.id = ids.id and t.team_id = ${teamId} and t.deleted_at is null
  left join lately l on l.target_id = ids.id
  left join troubled x on x.target_id = ids.id,
  lateral (
    select d.waiting + (select coalesce(sum(bit_count(b.waiting)), 0)::bigint from delivery_batches b
      where b.target_id = ids.id and b.has_waiting) as waiting, d.first
    from (select count(*) as waiting, min(d.n) as first from deliveries d where d.target_id = ids.id and d.state = 'new') d) w`
