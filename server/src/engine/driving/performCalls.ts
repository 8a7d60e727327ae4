// Makes the calls of a turn: calls of our own database join the turn's write, calls that act outside get their intent written first.
import type { Turn } from '../../drivers/model/model.ts'
import { isRefused } from '../ledger/applyLane.ts'
import { newChange, putStep, type CallStep, type Change } from '../ledger/change.ts'
import { withMoment } from '../ledger/moments.ts'
import { insideFailure } from './callEffects.ts'
import { refreshRules } from './guardedCall.ts'
import { commit, type HeldRun } from './heldRun.ts'
import { joinTurns, type Joining, type NextOfPure } from './joinTurns.ts'
import { makeCall } from './makeCall.ts'
import { recordOutcome } from './outcome.ts'
import { addTurn, plansOf, tellModel, type OutsidePlan, type WrittenTurn } from './writtenTurn.ts'

/**
 * Writes a turn with its calls and makes those that go outside. The next turns of a pure model, and the end of its run, join the write of
 * the results that lead to them. True when the run has ended with that.
 */
export async function performCalls(held: HeldRun, change: Change, turn: Turn, next: NextOfPure): Promise<boolean> {
  const { isPure } = held.model
  await refreshRules(held)
  const first = addTurn(held, change, turn, plansOf(held, turn))
  const isInside = first.plans.every(({ way }) => way === 'inside')
  const joining = isPure && isInside ? joinTurns(held, next, { withEffects: true }) : undefined
  await commitCalls(held, change, first, joining && { joining, tell: () => tellModel(held, first) })
  tellModel(held, first)
  joining?.settle()
  if (!isPure) return makeCalls(held, first)
  return joining?.hasEnded || makeOneByOne(held, joining?.last ?? first, next)
}

/** The outside calls of a pure model, which makes one a turn: each result is written with the turn that follows from it. */
async function makeOneByOne(held: HeldRun, first: WrittenTurn, next: NextOfPure): Promise<boolean> {
  for (let at = first; ;) {
    const [stage = [], ...later] = at.stages
    const [only] = stage
    if (!only || stage.length + later.length > 1) return makeCalls(held, at)
    const joining = joinTurns(held, next, { withEffects: false })
    await makeCall(held, only.step, { joining })
    if (joining.hasEnded || !joining.last) return joining.hasEnded
    at = joining.last
  }
}

/** False: the run continues. */
async function makeCalls(held: HeldRun, { stages: [first = [], ...later] }: WrittenTurn): Promise<false> {
  await allEnded(first.map(({ step }) => makeCall(held, step)))
  for (const stage of later) await allEnded((await beginStage(held, stage)).map((step) => makeCall(held, step)))
  return false
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

/** A turn's calls as they are written: what each does at once, and the outcomes that are known. */
type WrittenCalls = Pick<WrittenTurn, 'plans' | 'effects' | 'results'>

/** An effect that PostgreSQL refuses fails its own call, not the run. */
export async function commitCalls(
  held: HeldRun,
  change: Change,
  calls: WrittenCalls,
  joined?: { joining: Joining; tell: () => void },
): Promise<void> {
  const { plans, effects, results } = calls
  try {
    await commit(held, change, effects, joined?.joining.after(joined.tell))
  } catch (error) {
    if (effects.length === 0 || !isRefused(error)) throw error
    // what followed may be the reason
    if (joined?.joining.isTold) {
      joined.joining.giveUp()
      return commitCalls(held, change, calls)
    }
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
