// How a run moves from state to state: the table of moves, the event of each move, and the SQL of each move with its guard. No other
// file writes runs.status. The trigger runs_moves holds the same table in the database.
import { part, wordList, type Part } from '../../base/db.ts'
import { raisedEventXid, type EventName } from '../../kit/event.ts'
import { activeStatuses, endedStatuses, type runStatuses, type stepStates } from '../../kit/states.ts'

export type Status = (typeof runStatuses)[number]

/** From → to. What is not here cannot happen. */
const moves: Record<Status, readonly Status[]> = {
  pending: ['running', 'failed', 'stopped'],
  running: ['waiting', 'completed', 'failed', 'stopped'],
  waiting: ['running', 'failed', 'stopped'],
  // only by a posted message, which starts an ended run again
  completed: ['pending'],
  failed: ['pending'],
  stopped: ['pending'],
}

export const mayMove = (from: Status, to: Status): boolean => moves[from].includes(to)

export const hasEnded = (status: Status): status is (typeof endedStatuses)[number] =>
  (endedStatuses as readonly Status[]).includes(status)

/** Runs that have begun and have not ended: only they can ask or wait for something. */
const begunStatuses: readonly Status[] = ['running', 'waiting']
export const hasBegun = (status: Status): boolean => begunStatuses.includes(status)

const openStepStates = ['intent', 'waiting', 'approval', 'in_doubt'] as const satisfies (typeof stepStates)[number][]

/** SQL lists for `status in …`. */
export const endedList = wordList(endedStatuses)
export const activeList = wordList(activeStatuses)
export const begunList = wordList(begunStatuses)
/** The same as `activeList` for `counted_as in …`, where a run that waits for a person has a word of its own. */
export const activeCountedList = wordList([...activeStatuses, 'needs_attention'])
/** Steps without an outcome, for `state in …`. */
export const openStepList = wordList(openStepStates)

/** `running` is reported once, when the run starts for the first time. The end of a wait is reported by the event that ended it. */
export const eventOf = {
  running: 'run.started',
  waiting: 'run.paused',
  completed: 'run.completed',
  stopped: 'run.completed',
  failed: 'run.failed',
} as const satisfies Partial<Record<Status, EventName>>

export interface RunError {
  code: string
  message: string
  step: number | null
}

/** A new run: pending, or running where `is_claimed` says that the process which creates it also holds it. */
export const insertAsNew = {
  columns: part`status, started_at,
      running_since, admitted_at, queued_at, worker, epoch`,
  values: (workerId: string | null): Part => part`case when is_claimed then 'running' else 'pending' end,
      case when is_claimed then now() end, case when is_claimed then now() end,
      case when is_admitted then now() end, case when not is_admitted then now() end,
      case when is_claimed then ${workerId}::uuid end, is_claimed::int`,
}

/** pending, waiting → running: the run has a slot and nobody holds it. Applied to `runs r` where `when` holds. */
export const toRunning = {
  set: (when: Part, workerId: string | null): Part => part`
  worker = case when ${when} then ${workerId}::uuid else r.worker end,
  epoch = r.epoch + (${when})::int,
  status = case when ${when} then 'running' else r.status end,
  started_at = case when ${when} then coalesce(r.started_at, now()) else r.started_at end,
  active_ms = r.active_ms + case when ${when} then coalesce((extract(epoch from now() - r.running_since) * 1000)::bigint, 0) else 0 end,
  running_since = case when ${when} then now() else r.running_since end,
  waiting_on = case when ${when} then null else r.waiting_on end,
  postponed_to = case when ${when} then null else r.postponed_to end,
  due_at = case when ${when} then null else r.due_at end,
  is_woken = r.is_woken and not ${when},
  event_seq = r.event_seq + (${when} and r.started_at is null)::int,
  event_xid = case when ${when} and r.started_at is null then ${raisedEventXid} else r.event_xid end,
  updated_at = now()`,
  where: part`runs.admitted_at is not null and runs.worker is null`,
}

/**
 * running → waiting, completed, failed, by its holder: `runs r` as the row `c` says. `c.status` is null where the change does not move
 * the run. A run is released only if nobody has woken it since its holder last read it.
 */
export const toReleased = {
  set: part`reserved_usd = case when c.status in ('completed', 'failed') then 0 else coalesce(c.reserved_usd, r.reserved_usd) end,
        status = coalesce(c.status, r.status),
        waiting_on = case when c.status is null then r.waiting_on else c.waiting_on end,
        postponed_to = case when c.waiting_on ->> 'kind' = 'time' then c.due_at end,
        due_at = c.due_at,
        -- it has come forward, or has ended: what processes died over lies behind it
        deaths = case when c.messages > 0 or c.status in ('completed', 'failed') then 0 else r.deaths end,
        spared = case when c.messages > 0 or c.status in ('completed', 'failed') then 0 else r.spared end,
        failures = case when c.messages > 0 or c.status in ('completed', 'failed') then 0 else r.failures end,
        output = case when c.status = 'completed' then c.output else r.output end,
        error = case when c.status = 'failed' then c.error else r.error end,
        completed_at = case when c.status in ('completed', 'failed') then now() end,
        active_ms = case when c.status is null then r.active_ms
          else r.active_ms + (extract(epoch from now() - r.running_since) * 1000)::bigint end,
        running_since = case when c.status is null then r.running_since end,
        worker = case when c.status is null then r.worker end,
        admitted_at = case when c.status is null then r.admitted_at end`,
  where: part`r.epoch = c.epoch and (c.status is null or r.wake_seq = c.wake_seen)`,
}

/**
 * The first end of `runs r` with what was found of it, beside toReleased. It does not count if the log has messages that were not looked
 * at, and not for a run with a case, since what becomes of the case follows from the end. Then the run gets no summary here, and the
 * trigger runs_ended_to_evaluate notes it.
 */
export const toChecked = {
  join: part`left join checked k on k.run_id = c.run_id`,
  set: part`eval_summary = case when k.messages = r.message_seq + c.messages and r.case_id is null then k.summary else r.eval_summary end,`,
  /** After the update. */
  isChecked: part`coalesce(k.messages = r.message_seq and r.case_id is null, false)`,
}

/** pending, running, waiting → stopped. The new epoch fences its holder. */
export const toStopped = {
  set: part`status = 'stopped', epoch = r.epoch + 1, worker = null, admitted_at = null, queued_at = null, is_woken = false,
        due_at = null, waiting_on = null, postponed_to = null, completed_at = now(), updated_at = now(), reserved_usd = 0,
        active_ms = r.active_ms + coalesce((extract(epoch from now() - r.running_since) * 1000)::bigint, 0), running_since = null`,
  where: part`status in ${activeList}`,
}

/** completed, failed, stopped → pending, by a posted message: `runs r` where `when` holds. `isAdmitted`: it got a slot at once. */
export const toPendingAgain = {
  set: (when: Part, isAdmitted: Part): Part => part`status = case when ${when} then 'pending' else r.status end,
        completed_at = case when ${when} then null else r.completed_at end,
        output = case when ${when} then null else r.output end,
        error = case when ${when} then null else r.error end,
        deaths = case when ${when} then 0 else r.deaths end,
        spared = case when ${when} then 0 else r.spared end,
        failures = case when ${when} then 0 else r.failures end,
        admitted_at = case when ${when} and ${isAdmitted} then now() else r.admitted_at end,
        queued_at = case when ${when} and not ${isAdmitted} then now() else r.queued_at end`,
  where: part`status in ${endedList}`,
}

/** Runs that can be woken. They keep their status: a waiting run is running again when it is claimed. */
export const mayWake = part`status in ${begunList}`
