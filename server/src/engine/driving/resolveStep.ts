// A call that was begun and has no outcome: what became of it, by the rule of its tool. Nothing is ever repeated silently.
import type { Sql } from '../../base/db.ts'
import type { Begun, Outcome, Tool } from '../../kit/tool.ts'
import { notBegun, type CallStep } from '../ledger/change.ts'
import { databaseNow, toolCallOf, waitingOnOf, type HeldRun } from './heldRun.ts'
import { onDoubtOf } from './afterCrash.ts'
import { bindsOf } from './approvedCall.ts'
import { isOfGuardrail, isStillHeld } from './guardedCall.ts'
import { readLateOutcome } from './lateOutcome.ts'
import { openRequest, requestOf, type HumanRequest, type RequestWanted } from '../requests/humanRequests.ts'

export type Resolved =
  /** The call has its outcome. */
  | { kind: 'outcome'; outcome: Outcome }
  /** It may be made now: allowed by a person, or safe to repeat. */
  | { kind: 'make'; step: CallStep; tool: Tool }
  /** Ask outside whether it happened, then make it if it did not. */
  | { kind: 'probe'; step: CallStep; tool: Tool }
  /** Only a person knows: ask, and wait. */
  | { kind: 'ask'; step: CallStep; request: RequestWanted }
  | { kind: 'waits'; waiting_on: Begun['waiting_on'] }

export async function resolveStep(held: HeldRun, step: CallStep, sql: Sql): Promise<Resolved> {
  const tool = held.toolRegistry.find(step.tool)
  if (!tool) return { kind: 'outcome', outcome: { error: `The tool ${step.tool} is no longer there.` } }
  if (step.state === 'approval') return approval(step, tool, await requestOf(sql, held.run.id, step.seq))
  if (step.state === 'in_doubt' || (step.state === 'intent' && tool.kind === 'outside')) {
    const outcome = await outcomeElsewhere(held, step, sql)
    if (outcome) return { kind: 'outcome', outcome }
  }
  if (step.state === 'in_doubt') return doubt(step, tool, await requestOf(sql, held.run.id, step.seq))
  if (step.state === 'intent') return cutOff(held, step, tool)
  if (step.state !== 'waiting' || tool.kind === 'inside') throw new Error(`step ${step.seq} is not open`)
  const waiting_on = waitingOnOf(step)
  const call = toolCallOf<never>(held, step)
  if (tool.kind === 'outside') {
    const { context } = held
    if (isOfGuardrail(waiting_on)) return notYet(step, tool, waiting_on, !isStillHeld(held, waiting_on))
    return notYet(step, tool, waiting_on, await tool.hasCome?.(call, { waitingOn: waiting_on, sql, context }))
  }
  const outcome = await tool.resolve(call, sql, waiting_on, databaseNow(held))
  return outcome ? { kind: 'outcome', outcome } : { kind: 'waits', waiting_on }
}

/** The call did not happen because something was missing. A tool that no longer says what it needs makes the call now. */
const notYet = (step: CallStep, tool: Tool, waiting_on: Begun['waiting_on'], hasCome = true): Resolved =>
  hasCome
    ? { kind: 'make', step: { ...step, state: 'intent', attempt: step.attempt + 1, result: null }, tool }
    : { kind: 'waits', waiting_on }

export const underWayKey = (runId: string, { seq, attempt }: CallStep): string => `${runId}:${seq}:${attempt}`

/** The call may still be under way in this process, which lost the run and has it again; or its outcome arrived after a takeover. */
async function outcomeElsewhere(held: HeldRun, step: CallStep, sql: Sql): Promise<Outcome | undefined> {
  const { run, underWay, signal } = held
  const making = underWay.get(underWayKey(run.id, step))
  if (making) await Promise.race([making.catch(() => undefined), aborted(signal)])
  signal.throwIfAborted()
  return readLateOutcome(sql, run.id, step)
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** The worker that began the call is gone: it has an intent and no result. */
function cutOff(held: HeldRun, step: CallStep, tool: Tool): Resolved {
  // an inside call's effect commits with its outcome: no outcome, no effect
  if (tool.kind !== 'outside') return { kind: 'make', step, tool }
  if (step.attempt === notBegun) return { kind: 'make', step: { ...step, attempt: 1 }, tool }
  const onDoubt = onDoubtOf(tool, step.arguments, held.context)
  const again = { ...step, attempt: step.attempt + 1 }
  if (onDoubt === 'retry') return { kind: 'make', step: again, tool }
  if (onDoubt === 'probe') return { kind: 'probe', step: again, tool }
  return { kind: 'ask', step: { ...step, state: 'in_doubt' }, request: doubtRequest(step) }
}

const doubtQuestion = 'Did this call happen?'
const happened = 'It happened'
const again = 'It did not happen: make it now'
const giveUp = 'Go on without it'

const doubtRequest = (step: CallStep): RequestWanted => ({
  type: 'question',
  title: `Outcome unknown: ${step.tool}`,
  description:
    `The process that made this call ended before its answer was recorded, so it may or may not have happened. ` +
    `It is not repeated unless you say so.`,
  questions: [
    {
      question: doubtQuestion,
      header: 'Outcome',
      options: [
        { label: happened, description: 'The agent learns that it was done, without its result.' },
        { label: again, description: 'The same call is made once more.' },
        { label: giveUp, description: 'The agent learns that the call failed.' },
      ],
    },
  ],
  action: { tool: step.tool, arguments: step.arguments },
})

const human = (request: HumanRequest | undefined): Resolved => ({
  kind: 'waits',
  waiting_on: { kind: 'human', detail: { human_request_id: request?.id ?? null, title: request?.title ?? null } },
})

function doubt(step: CallStep, tool: Tool, request: HumanRequest | undefined): Resolved {
  if (!request || request.status === 'pending') return human(request)
  const answers = request.response?.['answers'] as Record<string, unknown> | undefined
  const answer = [answers?.[doubtQuestion]].flat()[0]
  if (answer === again) return { kind: 'make', step: { ...step, state: 'intent', attempt: step.attempt + 1 }, tool }
  if (answer === happened) {
    return {
      kind: 'outcome',
      outcome: { result: { confirmed_by_person: true, comment: request.response?.['comment'] ?? null } },
    }
  }
  return { kind: 'outcome', outcome: { error: 'The outcome of this call is unknown, and it was not repeated.' } }
}

function approval(step: CallStep, tool: Tool, request: HumanRequest | undefined): Resolved {
  if (!request || request.status === 'pending') return human(request)
  const comment = request.response?.['comment']
  const said = typeof comment === 'string' && comment ? ` They said: ${comment}` : ''
  if (request.status === 'cancelled')
    return { kind: 'outcome', outcome: { error: 'The approval of this call was cancelled.' } }
  if (request.response?.['approved'] === true) return { kind: 'make', step: { ...step, state: 'intent' }, tool }
  if (request.status === 'expired') {
    return { kind: 'outcome', outcome: { error: 'Nobody approved this call in time.' } }
  }
  return { kind: 'outcome', outcome: { error: `A person refused this call.${said}` } }
}

/** Opens the request of a step, in the transaction of the change that records it. */
export async function askAbout(held: HeldRun, step: CallStep, wanted: RequestWanted, sql: Sql): Promise<Begun> {
  const binds = wanted.action ? await bindsOf(held, step, held.toolRegistry.find(step.tool), sql) : undefined
  const request = await openRequest(sql, toolCallOf(held, step), { ...wanted, ...(binds && { binds }) })
  return {
    waiting_on: { kind: 'human', detail: { human_request_id: request.id, title: request.title } },
    events: [{ event: 'human_request.created', data: { human_request: request } }],
  }
}

/** `people`: how many must allow it. */
export const approvalRequest = (step: CallStep, reason: string | undefined, people: number): RequestWanted => ({
  type: 'approval',
  title: `Allow ${step.tool}?`,
  description: `The agent wants to make this call. ${reason ?? 'Its build asks for a person’s approval first.'}`,
  action: { tool: step.tool, arguments: step.arguments },
  approvals_needed: people,
})
