// "Not now": when requests come back, and what is read from a storage that anybody could have written.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asideAt, comesBack, parseLater, tomorrowMorning } from './later.ts'

const now = Date.parse('2026-11-16T10:00:00Z')
const hour = 3_600_000

void test('a request comes back when asked for, and a quarter of an hour before its deadline at the latest', () => {
  assert.equal(comesBack(null, now + hour, now), now + hour)
  assert.equal(comesBack('2026-11-18T10:00:00Z', now + hour, now), now + hour)
  assert.equal(comesBack('2026-11-16T10:45:00Z', now + hour, now), now + hour / 2)
  assert.equal(comesBack('2026-11-16T10:10:00Z', now + hour, now), undefined)
})

void test('what is over is no longer put aside, and what cannot be read is nothing', () => {
  assert.deepEqual(asideAt({ a: now + 1, b: now - 1 }, now), { a: now + 1 })
  assert.deepEqual(parseLater('{"a": 5, "b": "x", "c": null}'), { a: 5 })
  for (const text of [null, undefined, '', '[', '5', 'null']) assert.deepEqual(parseLater(text), {})
})

void test('tomorrow morning is nine o’clock of the day after', () => {
  const morning = new Date(tomorrowMorning(now))
  assert.deepEqual([morning.getHours(), morning.getMinutes()], [9, 0])
  assert.ok(morning.getTime() > now && morning.getTime() - now < 2 * 24 * hour)
})
