// Makes the calls of a turn: calls of our own database join the turn's write, calls that act outside get their intent written first.
import { zip } from '../../base/zip.ts'
import type { Turn } from '../../drivers/model/model.ts'
import type { Outcome, Tool } from '../../kit/tool.ts'
import { isRefused, type Effect, type Ending, type PlanEnding } from '../ledger/applyLane.ts'
import { addMessage, callIdOf, newChange, notBegun, putStep, type CallStep, type Change } from '../ledger/change.ts'
import { withMoment } from '../ledger/moments.ts'
import { beginEffect, insideEffect, insideFailure, waitEffect } from './callEffects.ts'
import { commit, feed, feedOutcome, type HeldRun } from './heldRun.ts'
import { Yielded } from './leaving.ts'
import { makeCall } from './makeCall.ts'
import { recordOutcome } from './outcome.ts'
import { approvalReason, planCall, type Plan } from './planCalls.ts'
import { noteMove } from './runTelemetry.ts'
import { approvalRequest, askAbout } from './resolveStep.ts'

/**
 * Writes a turn with its calls and makes those that go outside. `endingOf` is asked only if all of them are calls of our own database:
 * then the end of the run joins the same commit. True when the run has ended with that.
 */
export async function performCalls(
  held: HeldRun,
  change: Change,
  turn: Turn,
  endingOf: () => Promise<Ending | null>,
): Promise<boolean> {
  held.turn += 1
  const plans = turn.calls.map((call, index) => planCall(held, call, held.step + 1 + index))
  const calls = zip(plans, turn.calls).map(([{ step }, call]) => ({ ...call, id: callIdOf(held.run.id, step.seq) }))
  for (const [index, tool_call] of calls.entries()) {
    // what the driver wants back is stored with the first call of the turn
    addMessage(change, { type: 'tool_call', role: 'assistant', tool_call, opaque: index === 0 ? turn.opaque : null })
  }
  const results = new Map<number, Outcome>()
  const [first = [], ...later] = stagesOf(held, plans)
  for (const { step } of later.flat()) step.attempt = notBegun
  const effects = plans.flatMap((plan) => begin(held, change, plan, results))
  change.usage.steps += plans.length
  held.step += plans.length

  const seen = { byModel: false, ending: null as Ending | null }
  const tellModel = () => {
    // a second attempt of the same write would feed the model twice: then the run is rebuilt from its log instead
    if (seen.byModel) throw new Yielded()
    seen.byModel = true
    feed(held, { kind: 'assistant', text: turn.text, calls, opaque: turn.opaque })
    for (const { step } of plans) {
      const outcome = results.get(step.seq)
      if (outcome) feedOutcome(held, step, outcome)
    }
  }
  const planEnding: PlanEnding = async (wakeSeq) => {
    tellModel()
    // a run that is cut off is written without its end, which is noticed afterwards: it must not fail the commit that it shares
    if (!held.signal.aborted && wakeSeq === held.wakeSeen) seen.ending = await endingOf()
    return seen.ending
  }
  const mayEnd = held.model.isPure && plans.every(({ way }) => way === 'inside')
  await commitCalls(
    held,
    change,
    effects,
    plans,
    results,
    mayEnd ? { planEnding, isLate: () => seen.byModel } : undefined,
  )
  if (!seen.byModel) tellModel()
  if (seen.ending) noteMove(held.telemetry, seen.ending.move, held.usage.steps)
  await allEnded(first.map(({ step }) => makeCall(held, step)))
  for (const stage of later) await allEnded((await beginStage(held, stage)).map((step) => makeCall(held, step)))
  return seen.ending !== null
}

type OutsidePlan = Extract<Plan, { tool: Tool }>

/** The outside calls of a turn in order: each stage at once, the next one after it. */
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

/** Writes that these calls begin now. Until then they surely did not happen, and whoever takes the run over makes them without a doubt. */
async function beginStage(held: HeldRun, stage: OutsidePlan[]): Promise<CallStep[]> {
  held.signal.throwIfAborted()
  const at = new Date().toISOString()
  const begun = stage.map(({ step }): CallStep => {
    const moment = { kind: 'attempt' as const, at, attempt: 1, worker: held.workerId }
    return withMoment({ ...step, attempt: 1, started_at: at }, moment)
  })
  const change = newChange(held.run, held.turn)
  for (const step of begun) putStep(change, step)
  await commit(held, change)
  held.open = held.open.map((open) => begun.find(({ seq }) => seq === open.seq) ?? open)
  return begun
}

/** What a call writes at once: its refusal, its intent, or its effect together with its outcome. */
function begin(held: HeldRun, change: Change, plan: Plan, results: Map<number, Outcome>): Effect[] {
  const { step } = plan
  const note = (outcome: Outcome) => results.set(step.seq, outcome)
  switch (plan.way) {
    case 'refused':
      note({ error: plan.error })
      recordOutcome(change, withMoment(step, { kind: 'refused', at: step.started_at }), { error: plan.error })
      return []
    case 'inside':
      return [insideEffect(held, step, note)]
    case 'outside':
      putStep(change, step)
      held.open.push(step)
      return []
    case 'approval':
      return [
        waitEffect(
          held,
          step,
          (sql) => askAbout(held, step, approvalRequest(step, approvalReason(plan.tool)), sql),
          note,
        ),
      ]
    case 'waiting':
      return [beginEffect(held, step, plan.tool, note)]
    default:
      return plan satisfies never
  }
}

/** An effect that PostgreSQL refuses fails its own call, not the run. `isLate`: the model already knows its outcome. */
export async function commitCalls(
  held: HeldRun,
  change: Change,
  effects: Effect[],
  plans: Plan[],
  results: Map<number, Outcome>,
  end?: { planEnding: PlanEnding; isLate: () => boolean },
): Promise<void> {
  try {
    await commit(held, change, effects, end?.planEnding)
  } catch (error) {
    if (effects.length === 0 || end?.isLate() || !isRefused(error)) throw error
    const { log } = held.context
    log.error({ err: error, run_id: held.run.id }, 'a call could not take effect')
    const affected = plans.filter(({ way }) => way !== 'outside' && way !== 'refused')
    const failed = { error: insideFailure }
    for (const { step } of affected) {
      held.open = held.open.filter(({ seq }) => seq !== step.seq)
      results.set(step.seq, failed)
      recordOutcome(change, step, failed)
    }
    await commit(held, change)
  }
}

/** Waits for all, so that none writes after the run was released; then the first failure counts. */
async function allEnded(works: Promise<void>[]): Promise<void> {
  for (const settled of await Promise.allSettled(works)) if (settled.status === 'rejected') throw settled.reason
}
