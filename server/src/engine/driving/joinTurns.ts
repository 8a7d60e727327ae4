// Turns of a pure model that join the write before them. Asking it costs nothing and changes nothing, so what it does next is known before
// the results that lead to it are written: a run of many short steps takes few commits.
import { threadTimeMs } from '../../base/threadTime.ts'
import type { Turn } from '../../drivers/model/model.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import type { Follow } from '../ledger/applyLane.ts'
import { addMessage, type Change, type Move } from '../ledger/change.ts'
import type { HeldRun } from './heldRun.ts'
import { Yielded } from './leaving.ts'
import type { Plan } from './planCalls.ts'
import { noteMove } from './runTelemetry.ts'
import { addTurn, plansOf, tellModel, type WrittenTurn } from './writtenTurn.ts'

/** The next turn of a pure model; undefined: it is better taken by itself. `newSteps`: the steps that are not counted yet. */
export type NextOfPure = (held: HeldRun, newSteps: number) => Promise<Turn | undefined>

export interface Joining {
  /** For the write that begins with what `tell` tells the model. */
  after(tell: () => void): Follow
  /** Whether the model has been told what the write begins with. */
  readonly isTold: boolean
  /** The last turn that joined; its calls that act outside are still to be made. */
  readonly last: WrittenTurn | undefined
  /** Whether the end of the run joined. */
  readonly hasEnded: boolean
  /** The write is tried again without what joined it. */
  giveUp(): void
  /** After the commit: counts what joined. A run whose model was told more than is written is given back, and read again from its log. */
  settle(): void
}

/** Others of the same commit wait meanwhile, and what joins is held in memory. The time is the processor time of asking the model. */
const turnsMax = 20
const askingMaxMs = 50
const bytesMax = 64 * 1024

/** What guardrails refuse is noted by an effect. */
const mayFollow = (plan: Plan, withEffects: boolean): boolean =>
  plan.way === 'outside' ||
  (plan.way === 'refused' && (!plan.stop || withEffects)) ||
  (plan.way === 'inside' && withEffects)

/** `withEffects`: calls of our own database may join as well. */
export function joinTurns(held: HeldRun, next: NextOfPure, { withEffects }: { withEffects: boolean }): Joining {
  const { run, context, signal, heldBytes } = held
  let change: Change | undefined
  let last: WrittenTurn | undefined
  let move: Move | undefined
  let steps = 0
  let turns = 0
  let isAhead = false
  let askedMs = 0

  const mayJoin = (wakeSeq: number): boolean =>
    !signal.aborted &&
    held.mayContinue() &&
    // somebody said something: the run reads it first
    wakeSeq === held.wakeSeen &&
    held.wakeSeq === held.wakeSeen &&
    turns < turnsMax &&
    askedMs < askingMaxMs &&
    held.heldBytes - heldBytes < bytesMax &&
    !teamTimeOf(context).isAhead(run.team_id)

  async function ask(newSteps: number): Promise<Turn | undefined> {
    const startedAt = threadTimeMs()
    const turn = await next(held, newSteps)
    askedMs += threadTimeMs() - startedAt
    return turn
  }

  async function follow(tell: () => void, attempt: Change, wakeSeq: number): ReturnType<Follow> {
    if (change && change !== attempt) {
      // what the model was told in the first attempt cannot be taken back
      isAhead = true
      return []
    }
    change = attempt
    if (last) tellModel(held, last)
    else tell()
    const turn = mayJoin(wakeSeq) ? await ask(attempt.usage.steps) : undefined
    if (turn?.ending.kind === 'done') {
      const said = { ...attempt, turn: held.turn + 1 }
      if (turn.text) addMessage(said, { type: 'text', role: 'assistant', text_content: turn.text })
      attempt.move = { status: 'completed', output: turn.ending.output, wakeSeen: held.wakeSeen }
      move = attempt.move
    }
    if (turn?.ending.kind !== 'calls') return []
    const plans = plansOf(held, turn)
    if (!plans.every((plan) => mayFollow(plan, withEffects))) return []
    turns += 1
    steps += plans.length
    last = addTurn(held, { ...attempt, turn: held.turn + 1 }, turn, plans)
    return last.effects
  }

  return {
    after: (tell) => (attempt, wakeSeq) => follow(tell, attempt, wakeSeq),
    get isTold() {
      return change !== undefined
    },
    get last() {
      return last
    },
    get hasEnded() {
      return move !== undefined
    },
    giveUp() {
      isAhead ||= change !== undefined
    },
    settle() {
      if (isAhead) throw new Yielded()
      held.usage.steps += steps
      if (last) tellModel(held, last)
      if (move) noteMove(held.telemetry, move, held.usage.steps)
    },
  }
}
