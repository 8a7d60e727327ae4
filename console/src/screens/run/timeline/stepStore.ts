// The steps of a run in this page: read page by page, and while the run works only from the first step that is not over.
import type { StepLine } from './stepLine.ts'

export interface StepsPage {
  steps: StepLine[]
  /** How many the run has in all. */
  total: number
  /** How long the run was at work. */
  activeMs: number
  /** The time of the server, in milliseconds. */
  now: number
}

export interface Steps {
  /** In order, without gaps from 1. The array grows; it is a new one whenever one of its steps has changed. */
  steps: StepLine[]
  total: number
  activeMs: number
  /** How far the server's clock is ahead of this machine's, in milliseconds. */
  aheadMs: number
  /** Whether all of them are here. */
  isComplete: boolean
  error: unknown
}

/** Gives the steps after a number. */
export type ReadSteps = (after: number, signal: AbortSignal) => Promise<StepsPage>

export interface StepStore {
  subscribe: (listener: () => void) => () => void
  snapshot: () => Steps
  /** Reads what is not here yet and what was not over. Calls while it reads lead to one more reading. */
  refresh: () => void
  stop: () => void
}

const none: Steps = { steps: [], total: 0, activeMs: 0, aheadMs: 0, isComplete: false, error: undefined }

export function createStepStore(read: ReadSteps): StepStore {
  let now = none
  let reading: AbortController | undefined
  let isWantedAgain = false
  const listeners = new Set<() => void>()

  function change(next: Partial<Steps>): void {
    now = { ...now, ...next }
    for (const listener of listeners) listener()
  }

  async function readOn(signal: AbortSignal): Promise<void> {
    // steps before the first that is open cannot change any more
    const open = now.steps.findIndex(({ to }) => to === undefined)
    let after = open === -1 ? now.steps.length : open
    for (;;) {
      const page = await read(after, signal)
      if (signal.aborted) return
      const steps = merged(now.steps, after, page.steps)
      after += page.steps.length
      const isComplete = page.steps.length === 0 || after >= page.total
      change({
        steps,
        total: Math.max(page.total, steps.length),
        activeMs: page.activeMs,
        aheadMs: page.now - Date.now(),
        isComplete,
        error: undefined,
      })
      if (isComplete) return
    }
  }

  function refresh(): void {
    if (reading) {
      isWantedAgain = true
      return
    }
    const stopping = new AbortController()
    reading = stopping
    isWantedAgain = false
    readOn(stopping.signal)
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) change({ error })
      })
      .finally(() => {
        if (reading !== stopping) return
        reading = undefined
        if (isWantedAgain) refresh()
      })
  }

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    snapshot: () => now,
    refresh,
    stop() {
      reading?.abort()
      reading = undefined
      isWantedAgain = false
    },
  }
}

/** A step that is as it was stays the same object, so that its row is not drawn again. */
function merged(before: StepLine[], after: number, page: StepLine[]): StepLine[] {
  if (page.length === 0) return before
  const steps = before.slice(0, after)
  for (const [at, step] of page.entries()) {
    const was = before[after + at]
    steps.push(was && JSON.stringify(was) === JSON.stringify(step) ? was : step)
  }
  return steps
}
