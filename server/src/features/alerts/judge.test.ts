// When incidents open and close, moment by moment.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { judge, type Judged } from './judge.ts'

const rule: Omit<Judged, 'state' | 'state_since'> = {
  threshold: 50,
  clear_threshold: 30,
  for_minutes: 2,
  clear_minutes: 5,
}

/** Judges a value each minute, and gives what happened at which minute. */
function watched(values: (number | null)[], of: Partial<Judged> = {}): string[] {
  let state: Judged['state'] = 'ok'
  let since = new Date(0)
  return values.flatMap((value, minute) => {
    const now = new Date(minute * 60_000)
    const verdict = judge({ ...rule, ...of, state, state_since: since }, value, now)
    if (verdict.state !== state) since = now
    state = verdict.state
    return verdict.moves ? [`${verdict.moves} at ${minute}`] : []
  })
}

proves('alerts.states', 'an incident opens after the signal was over for its time, and not by a single peak', () => {
  assert.deepEqual(watched([10, 60, 10, 60, 60, 60]), ['opens at 5'])
  assert.deepEqual(watched([10, 60, 10, 60, 10]), [])
  assert.deepEqual(watched([10, 60], { for_minutes: 0 }), ['opens at 1'])
})

proves('alerts.states', 'an incident closes after the signal was below its lower threshold for its time', () => {
  assert.deepEqual(watched([60, 60, 60, 10, 10, 10, 10, 10, 10]), ['opens at 2', 'closes at 8'])
  assert.deepEqual(watched([60, 60, 60, 40, 40, 40, 40, 40, 40, 40]), ['opens at 2'], 'between the two it stays open')
  assert.deepEqual(watched([60, 60, 60, null, null, null, null, null, null]), ['opens at 2', 'closes at 8'])
})

proves('alerts.flapping', 'a signal that flaps a hundred times is one incident', () => {
  const flaps = Array.from({ length: 200 }, (_, minute) => (minute % 4 < 2 ? 90 : 5))
  assert.deepEqual(watched([90, 90, 90, ...flaps, 5, 5, 5, 5, 5, 5]), ['opens at 2', 'closes at 206'])
})
