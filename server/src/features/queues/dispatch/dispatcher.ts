// The dispatcher of a process: dispatches the cases of queues, at once when something changed here, and otherwise twice a second.
import { part } from '../../../base/db.ts'
import type { Context } from '../../../kit/context.ts'
import type { Work } from '../../../kit/feature.ts'
import { lookFor } from '../../../kit/sharedLook.ts'
import { runningPart } from '../../../kit/runningPart.ts'
import { caseQueuesChannel, notifyOfQueue } from '../cases/announceQueue.ts'
import { isPending, isPostponedAndDue } from '../cases/caseLifecycle.ts'
import { dispatchQueue } from './dispatch.ts'
import { createDueQueues, type DueQueues } from './dueQueues.ts'

interface Dispatcher {
  /** Something of this process was committed that may leave cases to dispatch, or room for them. */
  changed(queueId?: string): void
  work(): Work
}

/** How long announcements are collected before one round serves them all. */
const gatherMs = 5
/** How long a queue that dispatches nothing is served by more than the poll twice a second. */
const livelyMs = 5000

interface State {
  context: Context
  /** When each queue last dispatched something. */
  lively: Map<string, number>
  /** Queues that were announced and whose team is not known yet. */
  announced: Set<string>
  due: DueQueues
  isWorking: boolean
  gathering: NodeJS.Timeout | undefined
  round: Promise<void> | undefined
}

export const dispatcherOf = runningPart('dispatcher', createDispatcher)

function createDispatcher(context: Context): Dispatcher {
  const state: State = {
    context,
    lively: new Map(),
    announced: new Set(),
    due: createDueQueues(),
    isWorking: false,
    gathering: undefined,
    round: undefined,
  }
  return {
    changed: (queueId) => changed(state, queueId),
    work: () => work(state),
  }
}

function work(state: State): Work {
  state.isWorking = true
  const stopListening = state.context.listener.on(caseQueuesChannel, (queueId) => changed(state, queueId))
  return {
    poll: () => poll(state),
    async stop() {
      state.isWorking = false
      stopListening()
      clearTimeout(state.gathering)
      await state.round
    },
  }
}

/** It does not ask whether a case waits: that takes a step through an index for each trigger, and there may be any number of them. */
const asked = { triggers: part`exists (select from case_triggers)` }

async function poll(state: State): Promise<void> {
  if (!(await lookFor(state.context, asked)).triggers) return
  const ready = await state.context.db.sql<{ team_id: string; queue_id: string }>`
    select distinct t.team_id, t.queue_id from case_triggers t where t.enabled
      and not exists (select from agents g where g.id = t.agent_id and g.paused_at is not null) and (
      exists (select from cases c where c.queue_id = t.queue_id and ${isPending})
      or exists (select from cases c where c.queue_id = t.queue_id and ${isPostponedAndDue}))`
  for (const { team_id, queue_id } of ready) state.due.add(team_id, queue_id)
  if (ready.length > 0) gather(state)
}

function changed(state: State, queueId?: string): void {
  if (!state.isWorking) {
    if (queueId !== undefined) announce(state.context, queueId)
    return
  }
  if (queueId !== undefined) state.announced.add(queueId)
  else for (const id of livelyQueues(state)) state.announced.add(id)
  if (state.announced.size > 0) gather(state)
}

/** For a process that does not dispatch: the workers elsewhere do it. */
function announce({ db, log }: Context, queueId: string): void {
  db.sql`select set_config('synchronous_commit', 'off', true), ${notifyOfQueue(part`${queueId}`)}`.catch(
    (error: unknown) => log.debug({ err: error }, 'could not announce new cases to the workers; they will poll'),
  )
}

function gather(state: State): void {
  state.gathering ??= setTimeout(() => {
    state.gathering = undefined
    state.round ??= dispatchAll(state).finally(() => {
      state.round = undefined
      if (state.announced.size > 0 && state.isWorking) gather(state)
    })
  }, gatherMs)
}

/** One transaction of one queue at a time. A queue that is announced during a long round gets its turn in that round. */
async function dispatchAll(state: State): Promise<void> {
  const { context, due, announced, lively } = state
  livelyQueues(state)
  let readAt = -Infinity
  for (;;) {
    if (!state.isWorking) return
    if (announced.size > 0 && performance.now() - readAt >= gatherMs) {
      await readTeams(state)
      readAt = performance.now()
    }
    const queueId = due.next()
    if (queueId === undefined) return
    try {
      const dispatched = await dispatchQueue(context, queueId)
      if (dispatched > 0) {
        lively.set(queueId, performance.now())
        announced.add(queueId)
      }
    } catch (error) {
      context.log.warn({ err: error, queue_id: queueId }, 'could not dispatch the cases of a queue; will retry')
    }
  }
}

async function readTeams({ context, announced, due }: State): Promise<void> {
  const ids = [...announced]
  announced.clear()
  try {
    const queues = await context.db.sql<{ id: string; team_id: string }>`
      select id, team_id from queues where id = any(${ids}::uuid[])`
    for (const { id, team_id } of queues) due.add(team_id, id)
  } catch (error) {
    context.log.warn({ err: error }, 'could not read the queues that were announced; the next poll finds them')
  }
}

/** Forgets the other queues: there may be any number of them. */
function livelyQueues({ lively }: State): string[] {
  for (const [id, at] of lively) if (performance.now() - at >= livelyMs) lively.delete(id)
  return [...lively.keys()]
}
