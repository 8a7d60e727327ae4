// A turn with calls, as it is added to a change: what the model said, and what each of its calls writes at once.
import { zip } from '../../base/zip.ts'
import type { Turn, WantedCall } from '../../drivers/model/model.ts'
import type { Outcome, Tool } from '../../kit/tool.ts'
import type { Effect } from '../ledger/applyLane.ts'
import { addMessage, callIdOf, notBegun, putStep, type Change } from '../ledger/change.ts'
import { withMoment } from '../ledger/moments.ts'
import { beginEffect, insideEffect, recordEffect, waitEffect } from './callEffects.ts'
import { noteStopOf, peopleToAsk, wouldWait } from './guardedCall.ts'
import { feed, feedOutcome, type HeldRun } from './heldRun.ts'
import { recordOutcome } from './outcome.ts'
import { approvalReason, planCall, type Plan } from './planCalls.ts'
import { approvalRequest, askAbout } from './resolveStep.ts'
import type { RequestWanted } from '../requests/humanRequests.ts'

export interface WrittenTurn {
  turn: Turn
  /** Its calls under the ids of the ledger. */
  calls: WantedCall[]
  plans: Plan[]
  /** Its calls that act outside, in order: each stage at once, the next one after it. */
  stages: OutsidePlan[][]
  effects: Effect[]
  /** The outcomes that are known so far, by step. */
  results: Map<number, Outcome>
  isTold: boolean
}

export type OutsidePlan = Extract<Plan, { tool: Tool }>

export const plansOf = (held: HeldRun, { calls }: Turn): Plan[] =>
  calls.map((call, index) => planCall(held, call, held.step + 1 + index))

/** Adds the turn to the change, with everything that its calls write before they act outside. */
export function addTurn(held: HeldRun, change: Change, turn: Turn, plans: Plan[]): WrittenTurn {
  if (turn.thinking) addMessage(change, { type: 'thinking', role: 'assistant', text_content: turn.thinking })
  if (turn.text) addMessage(change, { type: 'text', role: 'assistant', text_content: turn.text })
  const calls = zip(plans, turn.calls).map(([{ step }, call]) => ({ ...call, id: callIdOf(held.run.id, step.seq) }))
  for (const [index, tool_call] of calls.entries()) {
    // what the driver wants back is stored with the first call of the turn
    addMessage(change, { type: 'tool_call', role: 'assistant', tool_call, opaque: index === 0 ? turn.opaque : null })
  }
  held.turn += 1
  held.step += plans.length
  for (const { step } of plans) step.turn = held.turn
  const stages = stagesOf(held, plans)
  for (const { step } of stages.slice(1).flat()) step.attempt = notBegun
  // it will wait: whoever takes the run over before that need not wonder whether it happened
  for (const { step, tool } of stages[0] ?? []) if (wouldWait(held, step, tool)) step.attempt = notBegun
  const results = new Map<number, Outcome>()
  const effects = plans.flatMap((plan) => begin(held, change, plan, results))
  change.usage.steps += plans.length
  return { turn, calls, plans, stages, effects, results, isTold: false }
}

/** Feeds the model its own turn and the outcomes that are known; a second time does nothing. */
export function tellModel(held: HeldRun, written: WrittenTurn): void {
  if (written.isTold) return
  written.isTold = true
  const { turn, calls, plans, results } = written
  feed(held, { kind: 'assistant', text: turn.text, calls, opaque: turn.opaque })
  for (const { step } of plans) {
    const outcome = results.get(step.seq)
    if (outcome) feedOutcome(held, step, outcome)
  }
}

function stagesOf({ build }: HeldRun, plans: Plan[]): OutsidePlan[][] {
  const stages: OutsidePlan[][] = []
  let isClosed = true
  for (const plan of plans) {
    if (plan.way !== 'outside') continue
    const ofTool = plan.tool.kind === 'outside' ? plan.tool.beside : undefined
    const isAlone = (build.calls.get(plan.tool.name) ?? ofTool) === 'alone'
    if (isClosed || isAlone) stages.push([plan])
    else stages.at(-1)?.push(plan)
    isClosed = isAlone
  }
  return stages
}

const approvalOf = (held: HeldRun, { step, tool, stop }: Extract<Plan, { way: 'approval' }>): RequestWanted =>
  approvalRequest(step, stop?.says ?? approvalReason(tool), peopleToAsk(held, step))

/** What a call writes at once: its refusal, its intent, or its effect together with its outcome. */
function begin(held: HeldRun, change: Change, plan: Plan, results: Map<number, Outcome>): Effect[] {
  const { step } = plan
  const note = (outcome: Outcome) => results.set(step.seq, outcome)
  switch (plan.way) {
    case 'refused':
      note({ error: plan.error })
      recordOutcome(change, withMoment(step, { kind: 'refused', at: step.started_at }), { error: plan.error })
      return plan.stop ? [recordEffect(noteStopOf(held, step, plan.stop))] : []
    case 'inside':
      return [insideEffect(held, step, note)]
    case 'outside':
      putStep(change, step)
      held.open.push(step)
      return []
    case 'approval':
      return [
        waitEffect(held, step, (sql) => askAbout(held, step, approvalOf(held, plan), sql), note),
        ...(plan.stop ? [recordEffect(noteStopOf(held, step, plan.stop))] : []),
      ]
    case 'waiting':
      return [beginEffect(held, step, plan.tool, note)]
    default:
      return plan satisfies never
  }
}
