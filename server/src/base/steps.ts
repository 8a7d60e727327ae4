// Long work on the main thread, done in short steps: others get their turn between two of them.
import { setImmediate } from 'node:timers/promises'
import { threadTimeMs } from './threadTime.ts'

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

/** Does the steps and lets others have their turn in between. `onTurn` gets the processor time of each turn. */
export async function takeStepsInTurns<T>(steps: Steps<T>, onTurn?: (ms: number) => void): Promise<T> {
  for (;;) {
    const startedAt = performance.now()
    const threadStartedAt = threadTimeMs()
    try {
      while (performance.now() - startedAt < turnMs) {
        const step = steps.next()
        if (step.done) return step.value
      }
    } finally {
      onTurn?.(threadTimeMs() - threadStartedAt)
    }
    await setImmediate()
  }
}
