// What needs a look: each kind of trouble becomes a sentence, and a healthy system has none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GetSystemAnswer, SystemProcess } from '@runyard/sdk'
import { growthWords } from './diagnostics.ts'
import { troublesOf } from './health.ts'

const now = '2026-11-17T10:00:00.000Z'
const loop = {
  name: 'sweep',
  turns: 9,
  failures: 0,
  last_at: now,
  late_ms: 2,
  took_ms: 4,
  under_way_ms: null,
}
const pool = { name: 'file transfers', size: 64, taken: 3, waiting: 0, per_team: 48 }
const healthy: SystemProcess = {
  id: '1',
  role: 'all',
  host: 'box',
  pid: 7,
  started_at: '2026-11-17T09:00:00.000Z',
  is_answering: true,
  reported_at: '2026-11-17T09:59:57.000Z',
  report: { memory_bytes: 1, cpu_percent: 1, loops: [loop], lanes: [], pools: [pool] },
}

const system = (process: Partial<SystemProcess>, rest: Partial<GetSystemAnswer> = {}): GetSystemAnswer => ({
  version: '1.0.0',
  node_version: '24.0.0',
  base_url: 'http://127.0.0.1:4700',
  now,
  database: { version: '18', bytes: 1, is_embedded: true, connections: 5, connections_max: 100 },
  object_store: null,
  processes: [{ ...healthy, ...process }],
  waiting_work: [{ what: 'runs', since: null }],
  sizes: [],
  settings: [],
  ...rest,
})

const reporting = (change: Partial<NonNullable<SystemProcess['report']>>) => ({
  report: { ...healthy.report!, ...change },
})

test('a healthy system has no trouble', () => {
  assert.deepEqual(troublesOf(system({})), [])
  assert.deepEqual(troublesOf(system({ reported_at: null, report: null, started_at: now })), [])
})

test('each kind of trouble becomes a sentence', () => {
  const troubles: [GetSystemAnswer, RegExp][] = [
    [
      system({ reported_at: '2026-11-17T09:58:00.000Z' }),
      /^The process all 7 on box is running, but has not reported for 2 min/,
    ],
    [system({ reported_at: null, report: null }), /never reported/],
    [system({ role: 'api' }), /^No worker is running/],
    [system(reporting({ loops: [{ ...loop, late_ms: 2500 }] })), /begin 2\.5 s late/],
    [system(reporting({ loops: [{ ...loop, under_way_ms: 90_000 }] })), /^The loop sweep .* for 1 min 30 s/],
    [system(reporting({ pools: [{ ...pool, taken: 64, waiting: 5 }] })), /^All 64 slots for file transfers .* 5 wait/],
    [
      system({}, { waiting_work: [{ what: 'jobs', since: '2026-11-17T09:50:00.000Z' }] }),
      /oldest of the jobs .* 10 min/,
    ],
    [
      system({}, { database: { version: '18', bytes: 1, is_embedded: true, connections: 95, connections_max: 100 } }),
      /95 of 100 connections/,
    ],
  ]
  for (const [found, says] of troubles) {
    assert.equal(troublesOf(found).length, 1, String(says))
    assert.match(troublesOf(found)[0] ?? '', says)
  }
})

test('growth is shown by the day, before that since it was measured, and not at all without a second measurement', () => {
  const at = Date.parse(now)
  const measured_at = '2026-11-17T09:20:00.000Z'
  assert.match(growthWords({ bytes_a_day: -12_000_000, grown_bytes: 1, measured_at }, at) ?? '', /^−12.* a day$/)
  assert.match(growthWords({ bytes_a_day: null, grown_bytes: 80_000, measured_at }, at) ?? '', /^\+80.* in 40 min$/)
  assert.equal(growthWords({ bytes_a_day: null, grown_bytes: null, measured_at: null }, at), undefined)
})

const store = { name: 's3://files', is_answering: true, answered_at: now, last_failure: null }

const storeTroubles = (state: Partial<NonNullable<GetSystemAnswer['object_store']>>) =>
  troublesOf(system({}, { object_store: { ...store, ...state } }))

test('an object store that does not answer, or refuses, needs a look, and one that failed and answered since does not', () => {
  const earlier = { at: '2026-11-17T09:00:00.000Z', says: 'it hung up' }
  assert.deepEqual(storeTroubles({}), [])
  assert.deepEqual(storeTroubles({ last_failure: earlier }), [])
  assert.match(
    storeTroubles({ is_answering: false, last_failure: earlier })[0] ?? '',
    /s3:\/\/files does not answer.*it hung up/,
  )
  assert.match(
    storeTroubles({ last_failure: { at: now, says: 'AccessDenied' } })[0] ?? '',
    /refused the last request: AccessDenied/,
  )
})
