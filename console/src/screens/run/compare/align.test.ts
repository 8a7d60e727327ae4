// Two runs beside each other: the same steps meet, whatever one of them did in between.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StepLine } from '../timeline/stepLine.ts'
import { align, differences } from './align.ts'

const steps = (names: string): StepLine[] =>
  Array.from(names, (name, at) => ({
    seq: at + 1,
    kind: 'tool',
    tool: name,
    name,
    detail: '',
    state: 'done',
    attempts: 1,
    from: 0,
    to: 100,
    waitsFor: undefined,
    cuts: [],
    waits: [],
    subRunId: undefined,
    isCopied: false,
    isRoom: false,
  }))

const told = (one: string, other: string) =>
  align(steps(one), steps(other)).map(({ left, right }) => `${left?.name ?? '-'}${right?.name ?? '-'}`)

test('runs that did the same are line by line', () => {
  assert.deepEqual(told('abc', 'abc'), ['aa', 'bb', 'cc'])
})

test('what only one did stands alone, and the rest meets again', () => {
  assert.deepEqual(told('abcd', 'acd'), ['aa', 'b-', 'cc', 'dd'])
  assert.deepEqual(told('ad', 'abcd'), ['aa', '-b', '-c', 'dd'])
  assert.deepEqual(told('axyc', 'awc'), ['aa', 'x-', 'y-', '-w', 'cc'])
})

test('runs that have nothing in common, or nothing at all, end', () => {
  assert.equal(told('abc', 'xy').length, 5)
  assert.deepEqual(told('', 'ab'), ['-a', '-b'])
  assert.deepEqual(told('', ''), [])
})

test('ten thousand steps are aligned without looking at every pair', () => {
  const long = 'abcdefghij'.repeat(1000)
  const began = performance.now()
  assert.equal(align(steps(long), steps(`x${long}`)).length, 10_001)
  assert.ok(performance.now() - began < 5000)
})

test('differences are named', () => {
  const [one] = steps('a')
  assert.ok(one)
  assert.deepEqual(differences({ left: one, right: { ...one } }), [])
  assert.deepEqual(differences({ left: one, right: { ...one, state: 'failed', to: 900 } }), ['state', 'time'])
  assert.deepEqual(differences({ left: one, right: undefined }), ['only on the left'])
})
