// Does one action to many cases at once: stops the runs that hold them, then changes them with their timeline and events.
import { one, part, type Part, type Sql } from '../../../base/db.ts'
import { stopRunsAndLog } from '../../../engine/ending/stopRunsAndLog.ts'
import type { Context } from '../../../kit/context.ts'
import { insertEvents } from '../../../kit/event.ts'
import type { CaseAction } from './bulkAction.ts'
import { priorities } from '../../../kit/states.ts'
import { announceQueue } from '../cases/announceQueue.ts'
import { caseEventData } from '../cases/caseEventData.ts'
import { bulkMoves, mayTake, reprocessed, setOf } from '../cases/caseLifecycle.ts'
import { othersAtWork } from './pace.ts'

export interface Bulk {
  teamId: string
  queueId: string
  userId: string | null
  action: CaseAction
  /** For an action in the background: how many times as long as it worked it rests, after every few cases. */
  restTimes?: number
}

export interface Done {
  changed: number
  skipped: number
  stoppedRunIds: string[]
  /** How many other connections were at work at the same time (pace.ts), if the action asks for it. */
  others: number
}

export async function changeCases(context: Context, sql: Sql, bulk: Bulk, ids: string[]): Promise<Done> {
  const { action } = bulk
  // all of them before the first run is stopped: that locks the team's slots, for which a dispatcher waits while it has locked cases.
  // A run continues with its case whatever its priority is.
  const freed =
    action.kind === 'update_priority' ? await lockCases(sql, bulk, ids) : await freeCases(context, sql, bulk, ids)
  const { changed, others } =
    action.kind === 'delete' ? await deleteCases(sql, bulk, ids) : await writeCases(sql, bulk, action, ids, freed)
  if (changed > 0 && becomesPending(action)) await announceQueue(sql, bulk.queueId)
  return { changed, skipped: ids.length - changed, stoppedRunIds: freed.runIds, others }
}

/**
 * Sleeps before about every third row. The statement sleeps between rows, and not Node between statements: other work that comes
 * finds a processor free within a quarter of a millisecond, and a statement for three cases would cost three times as much for
 * each as one for a hundred.
 */
const rests = ({ restTimes = 0 }: Bulk, rows: number): Part =>
  restTimes > 0 ? part`(n % ${rows}::int <> 0 or has_rested(${restTimes}::real))` : part`true`
/** How many rows are written between two sleeps. A case takes 40 µs to change, with its event; a row of the timeline takes 12. */
const costlyRows = 3
const cheapRows = 9

/** Written so that the planner does not use an index that begins with the queue. */
const ofQueue = ({ teamId, queueId }: Bulk): Part => part`team_id = ${teamId} and (queue_id = ${queueId}) is true`

interface Freed {
  /** All runs that were stopped, with those that they had started. */
  runIds: string[]
  /** The cases that they held. */
  caseIds: string[]
}

async function lockCases(sql: Sql, bulk: Bulk, ids: string[]): Promise<Freed> {
  await sql`select from cases where id = any(${ids}::uuid[]) and ${ofQueue(bulk)} order by id for update`
  return { runIds: [], caseIds: [] }
}

/** How often cases are read again. A case is seen twice only if its run released it between two statements. */
const roundsMax = 20

/**
 * Locks all these cases, none of them held by a run any more. Free ones are locked first: whoever holds a run's row waits for no case
 * but the run's own, and that one is locked here only once the run has been stopped.
 */
async function freeCases(context: Context, sql: Sql, bulk: Bulk, ids: string[]): Promise<Freed> {
  const freed: Freed = { runIds: [], caseIds: [] }
  const locked = new Set<string>()
  for (let round = 0; round < roundsMax; round++) {
    const rest = ids.filter((id) => !locked.has(id))
    const free = await sql<{ id: string }>`
      select id from cases
      where id = any(${rest}::uuid[]) and ${ofQueue(bulk)} and (claimed_by_run_id is null) is true
      order by id for update`
    for (const { id } of free) locked.add(id)
    const unlocked = rest.filter((id) => !locked.has(id))
    if (unlocked.length === 0) return freed
    const left = await sql<{ id: string; run_id: string | null }>`
      select id, claimed_by_run_id as run_id from cases where id = any(${unlocked}::uuid[]) and ${ofQueue(bulk)}`
    if (left.length === 0) return freed
    await stopHolders(context, sql, left, freed)
  }
  throw new Error('cases change their holders faster than their runs can be stopped')
}

async function stopHolders(
  context: Context,
  sql: Sql,
  left: { id: string; run_id: string | null }[],
  freed: Freed,
): Promise<void> {
  const runIds = left.flatMap(({ run_id }) => run_id ?? [])
  const stopped = new Set((await stopRunsAndLog(context, sql, runIds)).map(({ id }) => id))
  freed.runIds.push(...stopped)
  freed.caseIds.push(...left.flatMap(({ id, run_id }) => (run_id !== null && stopped.has(run_id) ? [id] : [])))
}

interface Written {
  changed: number
  others: number
}

const watched = ({ restTimes }: Bulk): Part => (restTimes === undefined ? part`0` : othersAtWork)

async function deleteCases(sql: Sql, bulk: Bulk, ids: string[]): Promise<Written> {
  const written = await one(sql<Written>`
    with gone as (
      delete from cases c using unnest(${ids}::uuid[]) with ordinality as w (id, n)
      where c.id = w.id and ${ofQueue(bulk)} and ${rests(bulk, costlyRows)} returning c.id
    )
    select count(*) as changed, ${watched(bulk)} as others from gone`)
  return written
}

const eventOfEnd = caseEventData({
  eventId: part`event_id`,
  shown: part`shown`,
  runId: part`null`,
  agentId: part`null`,
  event: part`'queue.case.completed'`,
})

/** The cases are locked. A case whose run was stopped is always changed: the stop has failed it, and that is not what was asked for. */
async function writeCases(
  sql: Sql,
  bulk: Bulk,
  action: WritingAction,
  ids: string[],
  { caseIds: freedIds }: Freed,
): Promise<Written> {
  const { teamId, userId } = bulk
  const { set, isDue, type, reason, ends } = writingOf(action)
  // the failure of these was announced when their runs were stopped
  const toldIds = ends === 'failed' ? freedIds : []
  const written = await one(sql<Written>`
    with changed as (
      update cases c set ${set}
      from unnest(${ids}::uuid[]) with ordinality as w (id, n)
      where c.id = w.id and ${ofQueue(bulk)} and (c.id = any(${freedIds}::uuid[]) or (${isDue(userId)})) and ${rests(bulk, costlyRows)}
      returning c as shown, new_id() as event_id, n
    ),
    timeline as (
      insert into case_events (id, team_id, case_id, type, user_id, reason)
      select new_id(), ${teamId}::uuid, (shown).id, ${type}::text, ${userId}::uuid, ${reason}::text from changed where ${rests(bulk, cheapRows)}
    ),
    event as (${insertEvents(part`
      select event_id, ${teamId}::uuid, 'queue.case.completed', ${eventOfEnd}
      from changed where ${ends !== undefined}::boolean and (shown).id <> all(${toldIds}::uuid[]) and ${rests(bulk, costlyRows)}`)}
    )
    select count(*) as changed, ${watched(bulk)} as others from changed`)
  return written
}

interface Writing {
  set: Part
  /** Condition on `cases c` for an action that this member asks for. */
  isDue: (userId: string | null) => Part
  /** In the timeline. */
  type: string
  reason: string | null
  /** The cases end with this status, which is announced. */
  ends?: 'completed' | 'failed'
}

type WritingAction = Exclude<CaseAction, { kind: 'delete' }>

function writingOf(action: WritingAction): Writing {
  if (action.kind === 'update_priority') {
    const level = priorities.indexOf(action.priority)
    return {
      set: part`priority = ${level}::int, updated_at = now()`,
      isDue: () => part`c.priority <> ${level}::int`,
      type: 'updated',
      reason: `The priority is ${action.priority} now.`,
    }
  }
  if (action.kind === 'reprocess') {
    return {
      set: setOf(reprocessed(action.agent_id)),
      isDue: (userId) =>
        part`(c.display_status <> 'pending' or c.for_agent_id is distinct from ${action.agent_id}::uuid) and ${mayTake(userId)}`,
      type: 'reprocessed',
      reason: null,
    }
  }
  const { status } = action
  return {
    set: setOf(bulkMoves[status]),
    isDue: (userId) => part`c.display_status <> ${status} and ${mayTake(userId)}`,
    type: status === 'pending' ? 'reopened' : status,
    reason: null,
    ...(status !== 'pending' && { ends: status }),
  }
}

const becomesPending = (action: CaseAction): boolean =>
  action.kind === 'reprocess' || (action.kind === 'update_status' && action.status === 'pending')
