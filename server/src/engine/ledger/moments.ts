// Moments of a step: what happened between its beginning and its end. Nearly every step has none, and costs nothing for them.
import type { WaitingOn } from '../../kit/tool.ts'

export type StepMoment =
  /** An attempt began that is not the one the step began with: after a cut, an approval, a wait or a refusal. */
  | { kind: 'attempt'; at: string; attempt: number; worker: string }
  /** A model did not answer. It is asked again at `again_at`; null: never. */
  | { kind: 'trouble'; at: string; attempt: number; error: string; again_at: string | null }
  /** The call could not be made yet and did not happen; the run waits for what it needs. */
  | { kind: 'put_off'; at: string; attempt: number; waits_for: WaitingOn['kind'] }
  /** The call was refused before it began. */
  | { kind: 'refused'; at: string }

/** How many a step keeps: a run that is cut off at every restart for months must not grow without bound. The newest stay. */
const momentsMax = 50
const errorLengthMax = 500

interface WithMoments {
  moments?: StepMoment[] | null
}

export function withMoment<S extends WithMoments>(step: S, moment: StepMoment): S {
  const kept = moment.kind === 'trouble' ? { ...moment, error: moment.error.slice(0, errorLengthMax) } : moment
  return { ...step, moments: [...(step.moments ?? []), kept].slice(-momentsMax) }
}
