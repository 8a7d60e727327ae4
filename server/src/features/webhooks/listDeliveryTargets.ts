// Lists the receivers of a team's deliveries with their health, those with trouble first.
import { operation } from '../../kit/operation.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'

/** How many receivers are listed, and how many of the newest deliveries are read for the figures of a day. */
const targetsMax = 200
const newestMax = 5000

const Count = Type.Integer({ minimum: 0 })

const DeliveryTarget = named(
  'DeliveryTarget',
  Type.Object({
    id: Id,
    kind: oneOf(['subscription', 'callback'], { description: 'A webhook, or the callback URL of runs.' }),
    url: Type.String(),
    active: Type.Boolean(),
    disabled_at: nullable(Time),
    disabled_reason: nullable(Type.String()),
    failures: Type.Integer({ minimum: 0, description: 'In a row.' }),
    failing_since: nullable(Time),
    paused_until: nullable(Time),
    waiting: Type.Integer({ minimum: 0, description: 'Not tried yet.' }),
    retrying: Type.Integer({ minimum: 0, description: 'Tried or asked for again, and due.' }),
    dead: Type.Integer({ minimum: 0, description: 'Given up.' }),
    last_delivered_at: nullable(Time),
    median_ms: nullable(Type.Integer({ minimum: 0, description: 'Of the last attempt of its newest deliveries.' })),
    delivered: Type.Integer({
      minimum: 0,
      description: 'How many were delivered, among the newest 5,000 deliveries of the team.',
    }),
    failed: Count,
  }),
)
type DeliveryTarget = Static<typeof DeliveryTarget>

export const listDeliveryTargets = operation({
  id: 'listDeliveryTargets',
  client: 'deliveries.listTargets',
  route: 'GET /v2/teams/:teamId/delivery-targets',
  summary: 'List receivers of deliveries',
  description:
    `Every webhook, and the callback URLs with deliveries among the newest 5,000 of the team or with trouble: at most ${targetsMax}, those ` +
    'with trouble first. `delivered` and `failed` count deliveries among the newest 5,000: accepted, and tried without success.',
  scope: 'webhooks:manage',
  status: 200,
  answer: Type.Object({ targets: Type.Array(DeliveryTarget) }),
  async handler({ team, sql }) {
    const targets = await sql<DeliveryTarget>`
      with newest as materialized (
        select * from (
          (select n, target_id, state, settled_at, attempts, (log -> -1 ->> 'latency_ms')::int as latency_ms
           from deliveries where team_id = ${team.id} order by n desc limit ${newestMax})
          union all
          (select b.n, b.target_id, 'delivered', to_timestamp((w.written ->> 0)::bigint / 1000.0), 1, (x.stored ->> 3)::int
           from (
             select *, sum(bit_count(delivered)) over (order by n desc) - bit_count(delivered) as newer
             from (select * from delivery_batches where team_id = ${team.id} order by n desc limit ${newestMax}) b) b
           cross join lateral json_array_elements(concat('[', b.log, ']')::json) as w (written)
           cross join lateral json_array_elements(w.written -> 1) as x (stored)
           where newer < ${newestMax} and get_bit(b.delivered, (x.stored ->> 0)::int) = 1
           order by n desc limit ${newestMax})) d
        order by n desc limit ${newestMax}
      ),
      lately as materialized (
        select target_id, count(*) filter (where state = 'delivered') as delivered,
          count(*) filter (where state in ('retrying', 'dead') and attempts > 0) as failed,
          max(settled_at) filter (where state = 'delivered') as last_delivered_at,
          round(percentile_cont(0.5) within group (order by latency_ms))::int as median_ms
        from newest group by target_id
      ),
      troubled as materialized (
        select target_id, count(*) filter (where state <> 'dead') as retrying, count(*) filter (where state = 'dead') as dead
        from deliveries where team_id = ${team.id} and state in ('retrying', 'replaying', 'dead') group by target_id
      ),
      ids as materialized (
        select id from delivery_targets where team_id = ${team.id} and kind = 'subscription' and deleted_at is null
        union
        (select target_id from troubled order by retrying + dead desc limit ${newestMax})
        union
        select target_id from lately
      )
      select t.id, t.kind, t.url, t.active, t.disabled_at, t.disabled_reason, t.failures, t.failing_since, t.paused_until, w.waiting,
        coalesce(x.retrying, 0) as retrying, coalesce(x.dead, 0) as dead, l.last_delivered_at, l.median_ms,
        coalesce(l.delivered, 0) as delivered, coalesce(l.failed, 0) as failed
      from ids join delivery_targets t on t.id = ids.id and t.team_id = ${team.id} and t.deleted_at is null
      left join lately l on l.target_id = ids.id
      left join troubled x on x.target_id = ids.id,
      lateral (
        select (select count(*) from deliveries d where d.target_id = ids.id and d.state = 'new')
          + (select coalesce(sum(bit_count(b.waiting)), 0)::bigint from delivery_batches b where b.target_id = ids.id and b.has_waiting) as waiting) w
      order by not t.active desc, t.failing_since is not null desc, coalesce(x.retrying, 0) + coalesce(x.dead, 0) desc, t.kind desc, t.id
      limit ${targetsMax}`
    return { targets }
  },
})
