// What this process knows of the object store: when it last answered, and what failed last. Each process tells it in its report.
import type { Context } from './context.ts'
import { runningPart } from './runningPart.ts'

/** Times as in answers; null: never since the process started. */
export interface StoreState {
  answered_at: string | null
  failed_at: string | null
  /** Why the last failed request did: the store did not answer, or it refused. */
  failure: string | null
  /** Whether it answered when it was last asked: a refusal is an answer. */
  is_answering: boolean
}

const stateOf = runningPart('object store state', (): { now: StoreState | null } => ({ now: null }))

/** Sentences of a store are short; what it sends instead of one need not be. */
const failureLettersMax = 500

/** A request to the store has ended: `problem` if it did not answer, `refusal` if it answered and refused. */
export function noteStoreAnswer(context: Context, problem: string | undefined, refusal: string | undefined): void {
  const state = stateOf(context)
  const at = context.clock.now().toISOString()
  const failure = problem ?? refusal
  state.now = {
    answered_at: problem === undefined ? at : (state.now?.answered_at ?? null),
    failed_at: failure === undefined ? (state.now?.failed_at ?? null) : at,
    failure: failure?.slice(0, failureLettersMax) ?? state.now?.failure ?? null,
    is_answering: problem === undefined,
  }
  context.metrics.objectStorePresent.set(problem === undefined ? 1 : 0)
}

/** Null if this process never asked the store. */
export const readStoreState = (context: Context): StoreState | null => stateOf(context).now
