// Timers of a month, on a mocked clock.
import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { proves } from '../../test/kit/proves.ts'
import { longTimer } from './longTimer.ts'

const hourMs = 3_600_000

/** A timer that another one sets begins at the end of a tick, so the clock goes in small ones. */
function passDays(days: number): void {
  for (let hours = 0; hours < days * 24; hours++) mock.timers.tick(hourMs)
}

proves('runs.longTime', 'a timer of a month ends after its time and not before, unless it is ended', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  let ended = 0
  const days = 24 * hourMs
  longTimer(() => (ended += 1), 29.5 * days)
  const stop = longTimer(() => (ended += 10), 60 * days)
  passDays(29)
  assert.equal(ended, 0)
  passDays(1)
  assert.equal(ended, 1)
  stop()
  passDays(40)
  assert.equal(ended, 1)
  mock.timers.reset()
})
