// Long work on the main thread, done in short steps: others get their turn between two of them.
import { setImmediate } from 'node:timers/promises'

/** The work as a generator that yields after each step; it returns its result. */
export type Steps<T> = Generator<void, T, void>

/** Does all steps at once. */
export function takeSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Others get their turn when the steps since the last one took this long. */
const turnMs = 2

/** Does the steps and lets others have their turn in between. `onTurn` is told how long each turn took. */
export async function takeStepsInTurns<T>(steps: Steps<T>, onTurn: (ms: number) => void): Promise<T> {
  for (;;) {
    const startedAt = performance.now()
    try {
      while (performance.now() - startedAt < turnMs) {
        const step = steps.next()
        if (step.done) return step.value
      }
    } finally {
      onTurn(performance.now() - startedAt)
    }
    await setImmediate()
  }
}
