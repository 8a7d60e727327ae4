// Waits of a step: from when until when, for what, and how long in all.
import assert from 'node:assert/strict'
import { proves } from '../../../../test/kit/proves.ts'
import { waitedMs, waitsOf } from './stepWaits.ts'

const at = (second: number) => new Date(Date.UTC(2026, 4, 1, 10, 0, second))
const text = (second: number) => at(second).toISOString()
const step = {
  seq: 12,
  kind: 'tool' as const,
  state: 'done' as const,
  sub_run_id: null,
  started_at: at(0),
  completed_at: at(60),
  moments: null,
}
const spans = (waits: ReturnType<typeof waitsOf>) =>
  waits.map(({ kind, from, until }) => [kind, +new Date(from) - +at(0), until && +new Date(until) - +at(0)])

proves('steps.waits', 'a call waits for a connection until its next attempt, and for people until they answer', () => {
  const moments = [
    { kind: 'put_off' as const, at: text(5), attempt: 1, waits_for: 'connection' as const },
    { kind: 'attempt' as const, at: text(20), attempt: 2, worker: 'w' },
  ]
  const requests = [{ id: 'r', created_at: at(30), responded_at: at(50) }]
  const waits = waitsOf({ ...step, moments }, requests)
  assert.deepEqual(spans(waits), [
    ['connection', 5000, 20_000],
    ['human', 30_000, 50_000],
  ])
  assert.equal(waitedMs(waits, at(100)), 35_000)
  const open = waitsOf({ ...step, completed_at: null, moments: moments.slice(0, 1) }, [])
  assert.deepEqual(spans(open), [['connection', 5000, null]])
  assert.equal(waitedMs(open, at(15)), 10_000)
  assert.equal(waitedMs([], at(15)), null)
})

proves('steps.waits', 'a model that is asked again later waits until then, and what never waited has no wait', () => {
  const trouble = { kind: 'trouble' as const, at: text(1), attempt: 1, error: 'busy', again_at: text(31) }
  const taken = { kind: 'attempt' as const, at: text(40), attempt: 2, worker: 'w' }
  const model = { ...step, kind: 'model' as const }
  assert.deepEqual(spans(waitsOf({ ...model, moments: [trouble, taken] }, [])), [['time', 1000, 40_000]])
  assert.deepEqual(spans(waitsOf({ ...model, moments: [trouble] }, [])), [['time', 1000, 31_000]])
  assert.deepEqual(spans(waitsOf({ ...model, moments: [{ ...trouble, again_at: null }] }, [])), [])
  const timed = { ...step, kind: 'wait' as const }
  assert.deepEqual(spans(waitsOf(timed, [])), [['time', 0, 60_000]])
  assert.deepEqual(waitsOf({ ...timed, state: 'failed' }, []), [])
  const started = { ...step, kind: 'sub_run' as const, sub_run_id: 'r' }
  assert.deepEqual(spans(waitsOf(started, [{ id: 'a', created_at: at(1), responded_at: at(9) }])), [
    ['human', 1000, 9000],
    ['sub_run', 9000, 60_000],
  ])
  assert.deepEqual(waitsOf({ ...started, sub_run_id: null }, []), [])
})

proves('steps.waits', 'waits that overlap count once', () => {
  const requests = [
    { id: 'a', created_at: at(0), responded_at: at(20) },
    { id: 'b', created_at: at(10), responded_at: at(15) },
    { id: 'c', created_at: at(18), responded_at: at(30) },
  ]
  assert.equal(waitedMs(waitsOf(step, requests), at(100)), 30_000)
})
