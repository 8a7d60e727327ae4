// Decides what becomes of the next deliveries of a trigger and makes their runs, in one transaction that holds the trigger: all of it
// happens, or nothing.
import { hash } from 'node:crypto'
import { setImmediate as othersFirst } from 'node:timers/promises'
import type { Sql } from '../../base/db.ts'
import { stepsOfTurn } from '../../base/expression/text.ts'
import { StepBudget } from '../../base/stepBudget.ts'
import { engineOf } from '../../engine/engine.ts'
import { activeList } from '../../engine/ledger/lifecycle.ts'
import type { NewRun } from '../../engine/starting/createRun.ts'
import { titleOf } from '../../engine/starting/title.ts'
import type { Context } from '../../kit/context.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import type { EventMinute } from './eventMinute.ts'
import { loopsOf } from './loops.ts'
import { createJudge, type Judging } from './judge.ts'

/** How many deliveries one transaction settles. It holds its team's slots until it commits, and other starts wait for them. */
export const batchMax = 100
/** How many bytes of them it reads at once. */
const batchBytesMax = 8 * 1024 * 1024
/** How many deliveries of an event wait at most, whatever they wait for, and how many beyond those one transaction drops. */
export const eventsWaitingMax = 10_000
const dropMax = 1000
/** How long a trigger is left alone that another process holds, or that cannot proceed now: until the next beat. */
export const restMs = 400
const keyShown = 200

interface Holder extends Judging {
  id: string
  team_id: string
  agent_id: string
  user_id: string
  changed_by: string
  enabled: boolean
  concurrency: number | null
}

interface Next {
  id: string
  size_bytes: number
  content: Record<string, unknown>
  received_at: Date
  has_key: boolean
  replay_of: string | null
  caused_by_run_id: string | null
}

/** A delivery on its way: how it is left. */
interface Settled {
  id: string
  state: 'started' | 'filtered' | 'repeated' | 'dropped' | 'failed'
  reason: string | null
  key: string | null
  run_id: string | null
}

/** A delivery that is to start a run. */
interface Start {
  next: Next
  key: string | null
  message: unknown
}

/** Returns for how many milliseconds nobody need ask about the trigger again. */
export async function settleSome(
  context: Context,
  sql: Sql,
  triggerId: string,
  max: number,
  minute: EventMinute,
): Promise<number> {
  const [trigger] = await sql<Holder>`
    select id, team_id, agent_id, user_id, changed_by, kind, enabled, filter, message, dedupe_key, concurrency, verifier
    from triggers where id = ${triggerId} for no key update skip locked`
  if (!trigger) return forgetStray(sql, triggerId)
  const dropped = trigger.kind === 'event' ? await dropTooMany(sql, trigger) : 0
  const room = await roomOf(sql, trigger, max)
  const next = room > 0 ? await nextOf(sql, triggerId, room) : []
  const settled = next.length > 0 ? await outcomesOf(context, sql, trigger, next, minute) : []
  await write(sql, trigger, settled)
  return dropped + settled.length > 0 ? 0 : (minute.leftMs() ?? restMs)
}

/**
 * Deliveries of an event come from inside, so nobody is told to send them later: what is too much to wait is dropped, and its content with it.
 * Says how many were. Code from before reads the content of each row, so it gets an empty one.
 */
async function dropTooMany(sql: Sql, { id, team_id }: Holder): Promise<number> {
  const reason = `More than ${eventsWaitingMax} deliveries waited for their turn, so what came in was not kept.`
  const dropped = await sql`
    update trigger_deliveries d set state = 'dropped', reason = ${reason}, content = '{}', size_bytes = 0, key = null, settled_at = now()
    where d.id = any(array(
      select id from trigger_deliveries where trigger_id = ${id} and state = 'waiting' order by n offset ${eventsWaitingMax} limit ${dropMax}))
      and d.trigger_id = ${id} and d.team_id = ${team_id} and d.state = 'waiting' returning 1`
  return dropped.length
}

/** What came in waits while its agent is paused. */
async function isPaused(sql: Sql, { agent_id, team_id }: Holder): Promise<boolean> {
  const paused = await sql`select from agents where id = ${agent_id} and team_id = ${team_id} and paused_at is not null`
  return paused.length > 0
}

/** Written while its trigger was deleted; otherwise another process holds the trigger. */
async function forgetStray(sql: Sql, triggerId: string): Promise<number> {
  const there = await sql`select 1 from triggers where id = ${triggerId}`
  if (there.length > 0) return restMs
  await sql`delete from trigger_deliveries where trigger_id = ${triggerId}`
  return 0
}

/** How many may be settled now. Statements after the lock: what they count stays true but for runs that end, which only makes room. */
async function roomOf(sql: Sql, trigger: Holder, max: number): Promise<number> {
  if (!trigger.enabled) return max
  if (await isPaused(sql, trigger)) return 0
  let room = max
  if (trigger.concurrency !== null) {
    const held = await sql<{ id: string; is_active: boolean }>`
      select d.id, exists (select from runs r where r.id = d.run_id and r.team_id = d.team_id and r.status in ${activeList}) as is_active
      from trigger_deliveries d where d.trigger_id = ${trigger.id} and d.holds_place`
    const ended = held.filter(({ is_active }) => !is_active).map(({ id }) => id)
    if (ended.length > 0) await sql`update trigger_deliveries set holds_place = false where id = any(${ended}::uuid[])`
    room = Math.min(room, trigger.concurrency - (held.length - ended.length))
  }
  return room
}

const nextOf = (sql: Sql, triggerId: string, max: number): Promise<Next[]> => sql<Next>`
  select d.id, d.size_bytes, d.content, d.received_at, d.has_key, d.replay_of, d.caused_by_run_id
  from (
    select n, sum(size_bytes) over (order by n) - size_bytes as before from (
      select n, size_bytes from trigger_deliveries where trigger_id = ${triggerId} and state = 'waiting' order by n limit ${max}) w
  ) w join trigger_deliveries d on d.trigger_id = ${triggerId} and d.n = w.n
  where w.before < ${batchBytesMax}::bigint order by d.n for no key update of d`

const left = (
  { id }: Pick<Next, 'id'>,
  state: Settled['state'],
  reason: string | null,
  key: string | null = null,
): Settled => ({
  id,
  state,
  reason,
  key,
  run_id: null,
})

/** What becomes of them. A paused trigger takes nothing. */
const outcomesOf = async (
  context: Context,
  sql: Sql,
  trigger: Holder,
  next: Next[],
  minute: EventMinute,
): Promise<Settled[]> =>
  trigger.enabled
    ? judged(context, sql, trigger, next, minute)
    : next.map((one) =>
        left(one, 'dropped', 'The trigger was paused when its turn came. Set enabled to true, then replay it.'),
      )

/**
 * Each is evaluated in a piece of its own, for which its team pays, and others have their turn in between. When those before have taken the steps of
 * a turn together, the rest waits for the next transaction: this one holds the trigger. What the minute of an event does not allow waits for the next.
 */
async function judged(
  context: Context,
  sql: Sql,
  trigger: Holder,
  next: Next[],
  minute: EventMinute,
): Promise<Settled[]> {
  const time = teamTimeOf(context)
  time.moved(
    trigger.team_id,
    next.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
  )
  const judge = createJudge(trigger)
  const looping = await loopsOf(sql, trigger, next)
  const settled: Settled[] = []
  const starts: Start[] = []
  let spent = 0
  for (const one of next) {
    if (spent >= stepsOfTurn) break
    if (trigger.kind === 'event' && !(await minute.take())) break
    if (looping.has(one.id)) {
      settled.push(
        left(one, 'dropped', 'A run that this trigger had started caused it. It would start again and again.'),
      )
      continue
    }
    const delivery = { id: one.id, received_at: one.received_at.toISOString() }
    const budget = new StepBudget(stepsOfTurn)
    const verdict = time.piece(trigger.team_id, () => judge({ ...one.content, delivery }, budget))
    if ('problem' in verdict) settled.push(left(one, 'failed', verdict.problem))
    else if (!verdict.passes) settled.push(left(one, 'filtered', null, verdict.key))
    else starts.push({ next: one, key: verdict.key, message: verdict.message })
    spent += budget.spent
    await othersFirst()
  }
  const { first, repeated } = await takeKeys(sql, trigger, starts)
  settled.push(...repeated.map(({ next: one, key }) => left(one, 'repeated', null, key)))
  settled.push(...(await startRuns(context, sql, trigger, first)))
  return settled
}

const hashOf = (key: string): Buffer => hash('sha256', key, 'buffer')
const takesKey = ({ next, key }: Start): boolean => key !== null && !next.has_key && next.replay_of === null

/** Only the first of each key continues, here and in all transactions: the row of the key is written with its run. */
async function takeKeys(
  sql: Sql,
  { id, team_id }: Holder,
  starts: Start[],
): Promise<{ first: Start[]; repeated: Start[] }> {
  const wanted = new Map<string, Start>()
  for (const start of starts) {
    if (!takesKey(start)) continue
    const hex = hashOf(start.key!).toString('hex')
    if (!wanted.has(hex)) wanted.set(hex, start)
  }
  const taken =
    wanted.size === 0
      ? []
      : await sql<{ key: string }>`
    insert into trigger_keys (trigger_id, key, team_id)
    select ${id}, decode(key, 'hex'), ${team_id} from unnest(${[...wanted.keys()]}::text[]) key order by key
    on conflict do nothing returning encode(key, 'hex') as key`
  const fresh = new Set(taken.map(({ key }) => wanted.get(key)!))
  return {
    first: starts.filter((start) => !takesKey(start) || fresh.has(start)),
    repeated: starts.filter((start) => takesKey(start) && !fresh.has(start)),
  }
}

async function startRuns(context: Context, sql: Sql, trigger: Holder, starts: Start[]): Promise<Settled[]> {
  const engine = engineOf(context)
  const settled: Settled[] = []
  let open = starts
  // the statement itself checks the cached agent; if it has changed, it is tried again with what is true now
  for (const isFresh of [false, true]) {
    if (open.length === 0) break
    const runs = await runsOf(context, sql, trigger, open, isFresh)
    if (runs.length === 0) continue
    const startOf = new Map(runs.map((run, index) => [run.id, open[index]!]))
    const { fitting, refused } = await engine.fitting(sql, runs)
    for (const { run, reason } of refused) settled.push(left(startOf.get(run.id)!.next, 'failed', reason))
    const created = fitting.length > 0 ? await engine.create(sql, fitting) : []
    for (const { id } of created) {
      const { next, key } = startOf.get(id)!
      settled.push({ ...left(next, 'started', null, key), run_id: id })
    }
    const done = new Set(settled.map(({ id }) => id))
    open = open.filter(({ next }) => !done.has(next.id))
  }
  // one that was paused since then leaves the rest waiting
  if (open.length > 0 && !(await isPaused(sql, trigger)))
    settled.push(
      ...open.map(({ next }) => left(next, 'failed', 'The agent has no live build. Promote one, then replay it.')),
    )
  await giveBackKeys(sql, trigger, starts, settled)
  return settled
}

/** What did not start has not used its key: when its sender tries again, it may. */
async function giveBackKeys(sql: Sql, { id, team_id }: Holder, starts: Start[], settled: Settled[]): Promise<void> {
  const started = new Set(settled.filter(({ state }) => state === 'started').map((one) => one.id))
  const keys = starts.filter((start) => takesKey(start) && !started.has(start.next.id)).map(({ key }) => hashOf(key!))
  if (keys.length === 0) return
  await sql`delete from trigger_keys where trigger_id = ${id} and team_id = ${team_id} and key = any(${keys}::bytea[])`
}

/** None if the agent has no live build, or is paused. */
async function runsOf(
  context: Context,
  sql: Sql,
  trigger: Holder,
  starts: Start[],
  isFresh: boolean,
): Promise<NewRun[]> {
  const engine = engineOf(context)
  const { id, team_id: teamId, agent_id: agentId } = trigger
  const target = await engine.startTargets.find(sql, teamId, agentId, null, isFresh)
  if (!target || target.paused !== null) return []
  return Promise.all(
    starts.map(({ next, message }) =>
      engine.prepare({
        teamId,
        agentId,
        buildId: target.buildId,
        source: 'trigger',
        userId: trigger.user_id,
        actsFor: [trigger.changed_by],
        message,
        title: titleOf(message, target.agentName),
        metadata: { trigger_id: id, trigger_delivery_id: next.id },
        limits: target.config.limits,
        callbackUrl: null,
        sandboxId: null,
        parentRunId: null,
        retryOfRunId: null,
        depth: 0,
        case: null,
        isCapped: target.config.max_concurrent_runs !== null,
        seen: target.seen,
      }),
    ),
  )
}

async function write(sql: Sql, { id, team_id, concurrency }: Holder, settled: Settled[]): Promise<void> {
  if (settled.length === 0) return
  const rows = settled.map((one) => ({
    ...one,
    key: one.key?.slice(0, keyShown).replaceAll('\0', '').toWellFormed() ?? null,
    reason: one.reason?.slice(0, 1000).toWellFormed() ?? null,
  }))
  await sql`
    update trigger_deliveries d set state = s.state, reason = s.reason, key = coalesce(s.key, d.key), run_id = s.run_id,
      holds_place = s.run_id is not null and ${concurrency !== null}, settled_at = now()
    from json_to_recordset(${JSON.stringify(rows)}::json) as s (id uuid, state text, reason text, key text, run_id uuid)
    where d.id = s.id and d.trigger_id = ${id} and d.team_id = ${team_id} and d.state = 'waiting'`
}
