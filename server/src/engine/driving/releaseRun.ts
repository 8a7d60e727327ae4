// Releases a run that must wait or has ended. The wake number guards it, so that nothing that came since the last read is missed.
import { newChange, putStep, type Change, type Move, type Step } from '../ledger/change.ts'
import { commit, waitingOnOf, type HeldRun, type Writing } from './heldRun.ts'
import { cancelRequestsOf } from '../requests/humanRequests.ts'
import type { Effect } from '../ledger/applyLane.ts'

/**
 * Lets the run wait for what this step waits for; false: something came, so the run continues. `beside`: other steps that wait now. The clock wakes
 * the run for the first that waits for a time.
 */
export function pause(held: HeldRun, step: Step, beside: Step[] = []): Promise<boolean> {
  const { kind, detail } = waitingOnOf(step)
  const change = newChange(held.run, held.turn)
  if (step.kind === 'model') putStep(change, step)
  const waiting_on = { kind, since: new Date().toISOString(), detail }
  change.move = {
    status: 'waiting',
    waiting_on,
    due_at: firstDue([step, ...beside]),
    wakeSeen: held.wakeSeen,
  }
  return commit(held, change)
}

function firstDue(waiting: Step[]): Date | null {
  const times = waiting.flatMap((step) => waitingOnOf(step).due_at ?? []).map((due) => new Date(due).getTime())
  return times.length > 0 ? new Date(Math.min(...times)) : null
}

/** Ends the run with this change; false: a message came, and nothing was written. */
export async function complete(held: HeldRun, change: Change, output: unknown): Promise<boolean> {
  change.move = { status: 'completed', output, wakeSeen: held.wakeSeen }
  if (await commit(held, change)) return true
  change.move = null
  return false
}

interface Failure {
  code: string
  message: string
  step: number | null
}

/** Fails the run with this change, whatever came since the last read; open steps are cut off. */
export async function fail(held: Writing & Pick<HeldRun, 'open'>, change: Change, error: Failure): Promise<void> {
  for (const step of held.open) putStep(change, ended(step, 'cut_off', null))
  const effects = held.open.some(({ kind, state }) => kind === 'human' || state !== 'intent')
    ? [takeBack(held.run.id)]
    : []
  const move: Move = { status: 'failed', error }
  do {
    held.wakeSeen = held.wakeSeq
    change.move = { ...move, wakeSeen: held.wakeSeen }
  } while (!(await commit(held, change, effects)))
}

/** Closes the requests of the run: nobody needs to answer any more. */
const takeBack = (runId: string): Effect => ({
  kind: 'begin',
  async begin(sql) {
    await cancelRequestsOf(sql, runId)
    return { result: null }
  },
  record: () => undefined,
})

/** Fails the run outside a turn; `step` is the model's own, if it failed there. */
export async function failWith(held: HeldRun, code: string, message: string, step?: Step): Promise<void> {
  const change = newChange(held.run, held.turn)
  if (step) putStep(change, ended(step, 'failed', message))
  await fail(held, change, { code, message, step: step?.seq ?? null })
}

export const ended = (step: Step, state: 'failed' | 'cut_off', error: string | null): Step => ({
  ...step,
  state,
  error: error ?? step.error,
  // what it waited for is not a result
  result: null,
  // a provider that nobody waits for any more may still answer
  unsettled: step.unsettled + Number(state === 'cut_off' && step.kind === 'model' && step.state === 'intent'),
  reserved_usd: '0',
  completed_at: new Date().toISOString(),
})
