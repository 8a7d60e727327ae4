// The numbers behind plots.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bucketAt, roundTop, scaleTicks, stackTotals, timeLabels, wholeEnd } from './plotScale.ts'

const hour = 3_600_000
const begin = Date.parse('2026-11-16T02:00:00Z')
const hours = Array.from({ length: 24 }, (_, at) => begin + at * hour)

const words = (zone: string, room: number): string[] => timeLabels(hours, zone, room).map(({ text }) => text)

void test('the top of a plot is a round number that holds the highest value', () => {
  for (const [highest, top] of [
    [0, 1],
    [1, 1],
    [7, 8],
    [104, 140],
    [1200, 1400],
    [2.4, 3],
    [0.07, 0.08],
  ] as const)
    assert.equal(roundTop(highest), top)
  assert.deepEqual(scaleTicks(140, true), [0, 70, 140])
  assert.deepEqual(scaleTicks(1, true), [0, 1])
  assert.deepEqual(scaleTicks(3, false), [0, 1.5, 3])
})

void test('as many times as there is room for get a label, at even hours of the zone', () => {
  assert.deepEqual(words('UTC', 6), ['04:00', '08:00', '12:00', '16:00', '20:00', '17 Nov'])
  assert.deepEqual(words('Europe/Berlin', 3), ['12:00', '17 Nov'])
  assert.equal(words('UTC', 24).length, 24)
  assert.deepEqual(timeLabels([], 'UTC', 5), [])
  const days = Array.from({ length: 400 }, (_, at) => begin + at * 24 * hour)
  assert.ok(timeLabels(days, 'UTC', 8).length <= 8)
})

void test('a moment is found in its bucket, also where buckets differ in length', () => {
  const starts = [0, 10, 35, 40]
  assert.deepEqual(
    [-5, 0, 9, 10, 34, 39, 400].map((moment) => bucketAt(starts, moment)),
    [0, 0, 0, 1, 1, 2, 3],
  )
})

void test('the bucket that is now counts as whole', () => {
  assert.equal(wholeEnd([0, 10, 20], 23), 30)
  assert.equal(wholeEnd([0, 10, 20], 40), 40)
  assert.equal(wholeEnd([0], 3), 3)
  assert.deepEqual(stackTotals([{ values: [1, 2] }, { values: [3] }], 2), [4, 2])
})
