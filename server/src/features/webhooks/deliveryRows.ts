// The rows of delivery: which targets have work, which process has them, what is to be sent, and with what result.
import { one, part, type Database, type Part, type Sql } from '../../base/db.ts'
import { storableJson } from '../../base/storable.ts'
import { eventsWith } from '../../kit/event.ts'
import { noteDeliveries } from '../../engine/counting/usage.ts'
import { deathsAfter, deathsAfterSuspectProcess, suspectRoles, suspectDeaths } from '../../kit/deaths.ts'
import type { DeadProcess } from '../../kit/presence.ts'
import type { Outgoing, AttemptOutcome } from './attempt.ts'
import type { Attempt, DeliveryState } from './delivery.ts'

export interface Target {
  id: string
  team_id: string
  kind: 'subscription' | 'callback'
  url: string
  /** In a row. */
  failures: number
  failing_since: Date | null
  paused_until: Date | null
  /** How many processes died while they had it and something to send to it, as kit/deaths.ts counts them. */
  deaths: number
}

/** Where a delivery is in its batch. */
export interface BatchPlace {
  /** The place of its batch in the order of all deliveries. */
  n: number
  id: string
  place: number
  /** How many events the batch has. */
  size: number
  /** More of this batch wait than are loaded. */
  isInPart: boolean
}

/** A delivery in memory. */
export interface Loaded extends Outgoing {
  target_id: string
  run_id: string | null
  /** Made in this round, as the row has it. */
  attempts: number
  state: DeliveryState
  /** Undefined: it is a row of its own. */
  batch?: BatchPlace | undefined
}

/** Condition on targets: something is to be sent again, and to one that is still sent to. An index has only these (migration 0129). */
export const hasRetry = part`retry_at <= now() and active and deleted_at is null`

/** Condition on targets `t`. */
const hasDue = part`(
  exists (select from deliveries d where d.target_id = t.id and d.state = 'new')
    or exists (select from delivery_batches b where b.target_id = t.id and b.has_waiting) or coalesce(t.retry_at <= now(), false))`

export interface TargetWithWork {
  id: string
  team_id: string
  holder: 'mine' | 'other' | null
  deaths: number
}

/** Who asks for targets. */
interface Deliverer {
  workerId: string
  drillTeam: string | undefined
}

/**
 * How many targets one look passes by, of each kind of new deliveries and of those with retries: a team with more of them holds up no look for those
 * of others.
 */
const lookMax = 1000
/** Where the first look begins, and where one begins that finds nothing new. */
export const beforeAllTargets = '00000000-0000-0000-0000-000000000000'
export const afterAllTargets = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The place of a target among those with a retry, which stand in the order of their times. */
export interface RetryPlace {
  /** With microseconds, which a Date does not have. */
  at: string
  id: string
}
export const beforeAllRetries: RetryPlace = { at: '-infinity', id: beforeAllTargets }

interface Look {
  /** New deliveries of targets behind this one. */
  after: string
  /** Retries behind this one; undefined: none. */
  retriesAfter: RetryPlace | undefined
}

/**
 * Targets with something to send, of those that may be sent to now, and who has them; `reached` and `reached_retry`: there may be more behind
 * this one. The first of each target's new deliveries is found by hopping along the index from target to target, so a target with many deliveries
 * costs no more than one with few. Those in batches have an index of their own. Retries are not in the order of targets, so they have a place of
 * their own.
 */
export const targetsWithWork = (sql: Sql, by: Deliverer, { after, retriesAfter }: Look) =>
  one(sql<{ found: TargetWithWork[]; reached: string | null; reached_retry: RetryPlace | null }>`
    with recursive fresh (target_id, nth) as (
      (select target_id, 1 from deliveries where state = 'new' and target_id > ${after}::uuid order by target_id limit 1)
      union all
      select (select d.target_id from deliveries d where d.state = 'new' and d.target_id > f.target_id order by d.target_id limit 1), nth + 1
      from fresh f where f.target_id is not null and nth < ${lookMax}::int
    ),
    batches (target_id, nth) as (
      (select target_id, 1 from delivery_batches where has_waiting and target_id > ${after}::uuid order by target_id limit 1)
      union all
      select (select d.target_id from delivery_batches d where d.has_waiting and d.target_id > b.target_id order by d.target_id limit 1), nth + 1
      from batches b where b.target_id is not null and nth < ${lookMax}::int
    ),
    retries as materialized (
      select id, retry_at from delivery_targets
      where ${hasRetry} and ${retriesAfter !== undefined}::bool
        and (retry_at, id) > (${(retriesAfter ?? beforeAllRetries).at}::timestamptz, ${(retriesAfter ?? beforeAllRetries).id}::uuid)
      order by retry_at, id limit ${lookMax}::int
    ),
    due (id) as (
      select target_id from fresh where target_id is not null
      union
      select target_id from batches where target_id is not null
      union
      select id from retries
    )
    select (select coalesce(json_agg(w), '[]') from (${mayBeSentTo(part`due`, by)}) w) as found, (
      select target_id from (select * from fresh union all select * from batches) last
      where nth = ${lookMax}::int and target_id is not null order by target_id limit 1) as reached, (
      select json_build_object('at', retry_at, 'id', id) from retries order by retries.retry_at, retries.id offset ${lookMax - 1}::int
    ) as reached_retry`)

/** The same of one target. */
export const targetIfDue = (sql: Sql, by: Deliverer, id: string) =>
  sql<TargetWithWork>`${mayBeSentTo(part`(select id from delivery_targets t where id = ${id} and ${hasDue})`, by)}`

const mayBeSentTo = (due: Part, { workerId, drillTeam }: Deliverer): Part => part`
  select t.id, t.team_id, t.deaths, case when t.worker = ${workerId} then 'mine' when p.id is not null then 'other' end as holder
  from ${due} d join delivery_targets t on t.id = d.id left join processes p on p.id = t.worker
  where t.active and t.deleted_at is null and (t.paused_until is null or t.paused_until <= now())
    and ${drillTeam === undefined ? isOfNoDrill : part`t.team_id = ${drillTeam}`}`

/** The receiver of a drill is on its own machine, which only the processes of that drill may call. */
const isOfNoDrill = part`t.worker_pool is distinct from 'drill'`

/** Claims those of these targets that no living process has, and returns them. */
export async function claimTargets(sql: Sql, workerId: string, ids: string[]): Promise<Target[]> {
  return sql<Target>`
    update delivery_targets t set worker = ${workerId}
    where t.id in (
      select id from delivery_targets
      where id = any(${ids}::uuid[]) and active and deleted_at is null
        and (worker is null or worker = ${workerId} or not exists (select from processes p where p.id = worker))
      order by id for update skip locked)
    returning t.id, t.team_id, t.kind, t.url, t.failures, t.failing_since, t.paused_until, t.deaths`
}

/** Reads the targets that this process still has, with what people have changed. */
export const readTargets = (sql: Sql, workerId: string, ids: string[]) => sql<Target>`
  select id, team_id, kind, url, failures, failing_since, paused_until, deaths from delivery_targets
  where id = any(${ids}::uuid[]) and worker = ${workerId} and active and deleted_at is null`

/** Deliveries `d` with what they send: a test has its own data, the others that of their event. */
const loaded = part`
  , told as materialized (${eventsWith(part`select event_id from d`)})
  select d.target_id, d.id, d.run_id, d.event, d.created_at, d.attempts, d.state, coalesce(d.data::text, told.data) as data
  from d left join told on told.id = d.event_id`

/** Joined to ids of targets `t`: a process may still have some that were deleted. */
export const unlessDeleted = part`
  cross join lateral (select from delivery_targets where id = t.id and deleted_at is null offset 0) present`

/** The next new deliveries of each target that are rows of their own, in their order, without those that are in memory. */
export const loadNew = (sql: Sql, targetIds: string[], known: string[], max: number) => sql<Loaded>`
  with d as materialized (
    select d.* from unnest(${targetIds}::uuid[]) as t (id) ${unlessDeleted} cross join lateral (
      select * from deliveries d where d.target_id = t.id and d.state = 'new' and d.id <> all(${known}::uuid[])
      order by d.n limit ${max}) d
  )
  ${loaded} order by d.n`

/** Retries whose time has come, and replays. */
export const loadDue = (sql: Sql, targetIds: string[], known: string[], max: number) => sql<Loaded>`
  with d as materialized (
    select d.* from delivery_targets t cross join lateral (
      (select * from deliveries d where d.target_id = t.id and d.state = 'retrying' and d.due_at <= now() and d.id <> all(${known}::uuid[])
       order by d.due_at limit ${max})
      union all
      (select * from deliveries d where d.target_id = t.id and d.state = 'replaying' and d.id <> all(${known}::uuid[])
       order by d.n limit ${max})) d
    where t.id = any(${targetIds}::uuid[]) and t.retry_at <= now() and t.deleted_at is null
  )
  ${loaded} order by d.due_at, d.n`

export interface AttemptResult {
  delivery: Loaded
  outcome: AttemptOutcome
  state: 'delivered' | 'retrying' | 'dead'
  /** Seconds until the next attempt. */
  dueInS: number | null
  reason: string | null
}

/** How many attempts of a delivery are stored. When one is replayed for ever, the oldest attempts are removed. */
const logMax = 100

/**
 * Writes the results of many attempts in one statement, without waiting for the disk: what a crash of PostgreSQL undoes is sent again, as
 * after any crash. An attempt that another process has written since then is not written again: its result is as true as this one.
 * The target of a retry is locked also when it is looked at early enough already: updateRetryTimes waits for that lock, and then finds the
 * retry. In the order in which updateRetryTimes locks them.
 */
export async function markResults(sql: Sql, results: AttemptResult[]): Promise<void> {
  const rows = results.map(({ delivery, outcome, state, dueInS, reason }) => ({
    id: delivery.id,
    seen: delivery.attempts,
    state,
    due_in: dueInS,
    reason,
    attempt: outcome.attempt,
  }))
  await sql`
    with quick as materialized (select set_config('synchronous_commit', 'off', true)),
    result as materialized (
      select r.* from quick, json_to_recordset(${storableJson(rows)}::json) as r (
        id uuid, seen int, state text, due_in float8, reason text, attempt jsonb)
    ),
    marked as (
      update deliveries d set state = r.state, attempts = d.attempts + 1, reason = r.reason,
        log = case when jsonb_array_length(d.log) < ${logMax} then d.log else d.log - 0 end || r.attempt,
        due_at = now() + make_interval(secs => r.due_in),
        settled_at = case when r.state in ('delivered', 'dead') then now() end
      from result r
      where d.id = r.id and d.id = any(${rows.map(({ id }) => id)}::uuid[]) and d.attempts = r.seen
        and d.state in ('new', 'retrying', 'replaying')
      returning d.target_id, d.due_at, d.team_id, d.state
    ),
    used as (${noteDeliveries(part`marked where state = 'delivered'`)}),
    due as materialized (
      select target_id, min(due_at) as due_at from marked where due_at is not null group by target_id order by target_id
    ),
    locked as materialized (
      select d.* from due d cross join lateral (select from delivery_targets where id = d.target_id for no key update) t
    )
    update delivery_targets t set retry_at = least(t.retry_at, l.due_at) from locked l where t.id = l.target_id`
}

/** Writes the health of targets, for the process that has them next. */
export async function saveHealth(sql: Sql, workerId: string, targets: Target[]): Promise<void> {
  const rows = targets.map(({ id, failures, failing_since, paused_until }) => ({
    id,
    failures,
    failing_since,
    paused_until,
  }))
  await sql`
    update delivery_targets t set failures = h.failures, failing_since = h.failing_since, paused_until = h.paused_until
    from json_to_recordset(${JSON.stringify(rows)}::json) as h (
      id uuid, failures int, failing_since timestamptz, paused_until timestamptz)
    where t.id = h.id and t.worker = ${workerId}`
}

/**
 * Sets when the next retry is due, for targets whose due deliveries are all in memory. Whoever writes a result holds its target until the
 * commit (markResults), so what comes next is searched in a statement of its own: one that waits for a lock does not see more than before.
 */
export async function updateRetryTimes(db: Database, workerId: string, ids: string[]): Promise<void> {
  const past = part`worker = ${workerId} and retry_at <= now()`
  // mostly there is none
  const found = await db.sql<{ id: string }>`
    select id from delivery_targets where id = any(${ids}::uuid[]) and ${past}`
  if (found.length === 0) return
  const foundIds = found.map(({ id }) => id)
  await db.transaction(async (sql) => {
    await sql`select from delivery_targets where id = any(${foundIds}::uuid[]) order by id for no key update`
    await sql`
      update delivery_targets t set retry_at = case
        when exists (select from deliveries d where d.target_id = t.id and d.state = 'replaying') then now()
        else (select min(d.due_at) from deliveries d where d.target_id = t.id and d.state = 'retrying') end
      where t.id = any(${foundIds}::uuid[]) and ${past}`
  })
}

/** When nothing is due any more, nothing is left that processes could have died over. */
export async function releaseTargets(sql: Sql, workerId: string, ids: string[]): Promise<void> {
  await sql`
    update delivery_targets t set worker = null, sending = null,
      deaths = case when t.deaths > 0 and not ${hasDue} then 0 else t.deaths end
    where t.id = any(${ids}::uuid[]) and t.worker = ${workerId}`
}

/**
 * Frees the targets of a dead process. Its death counts for each target that had something to send. If it did nothing but send one delivery,
 * that delivery is given up.
 */
export async function reapTargets(sql: Sql, dead: Pick<DeadProcess, 'id' | 'role'>): Promise<void> {
  if (dead.role === suspectRoles.one) {
    const sent = await sql<{
      id: string
    }>`select sending as id from delivery_targets where worker = ${dead.id} and sending is not null`
    for (const { id } of sent) await giveUpDeadly(sql, id)
    await sql`update delivery_targets set worker = null, sending = null where worker = ${dead.id}`
    return
  }
  await sql`
    update delivery_targets t set worker = null, sending = null, deaths = case when ${hasDue} then ${deathsAfter(dead)} else t.deaths end
    where t.worker = ${dead.id}`
}

/** An isolated process writes this before it sends: if the process that would notice its death dies too, others still know the delivery. */
export async function noteSending(sql: Sql, workerId: string, targetId: string, deliveryId: string): Promise<void> {
  await sql`update delivery_targets set sending = ${deliveryId} where id = ${targetId} and worker = ${workerId}`
}

/** A process that sent to several suspects died: the next one sends to this target only. */
export async function noteSuspectDeath(sql: Sql, targetId: string): Promise<void> {
  await sql`
    update delivery_targets set deaths = ${deathsAfterSuspectProcess(false)} where id = ${targetId} and deaths >= ${suspectDeaths}::int`
}

/** Resets the count: everything due was sent without a death. */
export async function clearDeaths(sql: Sql, targetId: string): Promise<void> {
  await sql`update delivery_targets set deaths = 0 where id = ${targetId}`
}

const deadlyReason =
  'At least three processes of the service died while they sent to this receiver; the last one sent this delivery and did nothing else. ' +
  'It was given up.'

/** A process that sent only this delivery died: the delivery is given up, and its target is like any other again. */
export async function giveUpDeadly(sql: Sql, deliveryId: string): Promise<void> {
  const reason = deadlyReason
  const attempt = { at: new Date().toISOString(), ...noAnswer, error: reason }
  await sql`
    with given_up as (
      update deliveries set state = 'dead', attempts = attempts + 1, reason = ${reason}, due_at = null, settled_at = now(),
        log = case when jsonb_array_length(log) < ${logMax} then log else log - 0 end || ${storableJson(attempt)}::jsonb
      where id = ${deliveryId} and state in ('new', 'retrying', 'replaying') returning target_id
    )
    update delivery_targets t set deaths = 0, sending = null from given_up where t.id = given_up.target_id`
}

const noAnswer: Omit<Attempt, 'at' | 'error'> = { ok: false, status: null, stage: null, latency_ms: 0, answer: null }

/** Nothing is sent to it any more until somebody switches it on again; what waited for it becomes dead letters (giveUpDisabled). */
export async function disableTarget(sql: Sql, id: string, reason: string): Promise<void> {
  await sql`
    update delivery_targets set active = false, disabled_at = now(), disabled_reason = ${reason}, worker = null
    where id = ${id} and active`
}

/** Condition on targets `t`. It is that of an index, which has only these (migration 0123). */
export const isDisabled = part`t.disabled_at is not null and not t.active and t.deleted_at is null`

/** Gives up at most `max` deliveries that wait for disabled targets, and are rows of their own; they stay readable. Returns how many. */
export async function giveUpDisabled(sql: Sql, max: number): Promise<number> {
  const givenUp = await sql`
    update deliveries set state = 'dead', due_at = null, settled_at = now(), reason = 'The subscription was disabled.'
    where id in (
      select d.id from delivery_targets t cross join lateral (
        (select id from deliveries where target_id = t.id and state = 'new' limit ${max})
        union all (select id from deliveries where target_id = t.id and state = 'retrying' limit ${max})
        union all (select id from deliveries where target_id = t.id and state = 'replaying' limit ${max})) d
      where ${isDisabled} limit ${max})
    and state in ('new', 'retrying', 'replaying') returning 1`
  return givenUp.length
}

/** A run's receiver is gone: what waits for it, and is a row of its own, is given up, and nothing more is made for it. */
export async function endCallbacks(sql: Sql, targetId: string, runId: string): Promise<void> {
  await sql`
    with ended as (insert into ended_callbacks (run_id) values (${runId}) on conflict do nothing)
    update deliveries set state = 'dead', due_at = null, settled_at = now(), reason = 'The receiver of this run is gone.'
    where target_id = ${targetId} and run_id = ${runId} and state in ('new', 'retrying', 'replaying')`
}
