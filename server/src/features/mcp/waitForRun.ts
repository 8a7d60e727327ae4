// The tool waitForRun: answers when a run has ended or needs somebody, or when the time is up, without polling by the client.
import type { Sql } from '../../base/db.ts'
import { isId } from '../../base/ids.ts'
import type { Context } from '../../kit/context.ts'
import type { EventName } from '../../kit/event.ts'
import { eventFeedOf } from '../../kit/eventFeed.ts'
import type { EventStream } from '../../kit/stream.ts'
import { teamDatabaseOf } from '../../kit/teamDatabase.ts'
import type { ListedTool } from './operationTool.ts'
import { hasEnded, type Status } from '../../engine/ledger/lifecycle.ts'

/** Below the minute after which clients and proxies give up. */
export const waitSecondsMax = 50
const waitSecondsUsual = 30
/** How often a wait checks whether the process stops. */
const drainLookMs = 500
const progressMs = 1000

export const waitForRunTool: ListedTool = {
  name: 'waitForRun',
  description:
    'Wait until a run has ended or waits for a person or a connection, or until the time is up. Call it again while neither is so.',
  inputSchema: {
    type: 'object',
    properties: {
      run_id: { type: 'string' },
      wait_seconds: { type: 'integer', minimum: 0, maximum: waitSecondsMax, default: waitSecondsUsual },
    },
    required: ['run_id'],
  },
  outputSchema: {
    type: 'object',
    properties: {
      run: { type: 'object' },
      run_id: { type: 'string' },
      status: { type: 'string' },
      pending_human_request: { type: ['object', 'null'] },
      has_ended: { type: 'boolean' },
      needs_somebody: {
        type: 'boolean',
        description: 'It continues only when a person answers or fixes a connection.',
      },
    },
    required: ['run', 'run_id', 'status', 'pending_human_request', 'has_ended', 'needs_somebody'],
  } as ListedTool['outputSchema'] & object,
  annotations: { title: 'Wait for a run', readOnlyHint: true },
}

/** Undefined: not a valid number of seconds to wait. */
export function readWaitSeconds(given: unknown): number | undefined {
  if (given === undefined || given === null) return waitSecondsUsual
  return Number.isInteger(given) && Number(given) >= 0 && Number(given) <= waitSecondsMax ? Number(given) : undefined
}

interface State {
  event_seq: number
  status: Status
  kind: string | null
}

/** The events after which a wait may be over; a busy run has many others. */
const telling = new Set<string>([
  'run.paused',
  'run.completed',
  'run.failed',
  'human_request.created',
] satisfies EventName[])

const needingSomebody = new Set(['human', 'connection'])

export const needsSomebody = (status: Status, kind: string | null | undefined): boolean =>
  status === 'waiting' && needingSomebody.has(kind ?? '')

interface Wait {
  context: Context
  teamId: string
  runId: string
  seconds: number
  signal: AbortSignal
  /** Called with what happens during the wait, at most once a second. */
  onProgress?: (event: string) => void
}

/** Resolves when there is something to say of the run, at the latest when the time is up; also for a run that is not there. */
export async function waitForRun(wait: Wait): Promise<void> {
  const deadline = performance.now() + wait.seconds * 1000
  for (;;) {
    const state = await stateOf(teamDatabaseOf(wait.context, wait.teamId).sql, wait)
    const leftMs = deadline - performance.now()
    const isOver = leftMs <= 0 || wait.signal.aborted || wait.context.lifecycle.draining
    if (!state || isOver || hasEnded(state.status) || needsSomebody(state.status, state.kind)) return
    await nextEvent(wait, state.event_seq, leftMs)
  }
}

async function stateOf(sql: Sql, { runId, teamId }: Wait): Promise<State | undefined> {
  if (!isId(runId)) return undefined
  const [state] = await sql<State>`
    select event_seq, status, waiting_on->>'kind' as kind from runs where id = ${runId} and team_id = ${teamId}`
  return state
}

/** Until the run has such an event behind `after`, the caller is gone, the process stops, or the time is up. */
function nextEvent(wait: Wait, after: number, leftMs: number): Promise<void> {
  const { context, teamId, runId, signal, onProgress } = wait
  return new Promise((resolve) => {
    let isOpen = true
    let toldAt = 0
    const stop = () => {
      if (!isOpen) return
      isOpen = false
      clearTimeout(timer)
      clearInterval(draining)
      signal.removeEventListener('abort', stop)
      stopFollowing()
      resolve()
    }
    const stream: EventStream = {
      get isOpen() {
        return isOpen
      },
      isFull: false,
      send({ event }) {
        if (telling.has(event)) return stop()
        if (!onProgress || performance.now() - toldAt < progressMs) return
        toldAt = performance.now()
        onProgress(event)
      },
      together: (send) => send(),
      passed: () => undefined,
      end: stop,
      onDrain: () => undefined,
    }
    const timer = setTimeout(stop, leftMs)
    const draining = setInterval(() => context.lifecycle.draining && stop(), drainLookMs)
    const stopFollowing = eventFeedOf(context).followRun({ teamId, runId, after, wants: () => true, stream })
    signal.addEventListener('abort', stop)
  })
}
