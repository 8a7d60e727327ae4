// A clock that a test sets and moves.
import type { Clock } from '../../src/base/clock.ts'

export interface TestClock extends Clock {
  set(time: Date | string): void
  advance(ms: number): void
}

/** Runs with the real time until it is set. */
export function testClock(): TestClock {
  let offsetMs = 0
  return {
    now: () => new Date(Date.now() + offsetMs),
    set: (time) => {
      offsetMs = new Date(time).getTime() - Date.now()
    },
    advance: (ms) => {
      offsetMs += ms
    },
  }
}
