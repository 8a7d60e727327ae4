// What is folded: waits in which nothing was done, and nothing else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StepLine } from './stepLine.ts'
import { waitsToFold } from './waits.ts'

const step = (more: Partial<StepLine>): StepLine => ({
  seq: 1,
  kind: 'tool',
  tool: 'a',
  name: 'a',
  detail: '',
  state: 'done',
  waitsFor: undefined,
  attempts: 1,
  from: 0,
  to: 100,
  cuts: [],
  waits: [],
  subRunId: undefined,
  isCopied: false,
  isRoom: false,
  ...more,
})

const asked = (from: number, to: number | undefined) => ({ for: 'human' as const, from, to })
const spans = (
  steps: StepLine[],
  ...rest: Parameters<typeof waitsToFold> extends [unknown, ...infer Rest] ? Rest : []
) => waitsToFold(steps, ...rest).map(({ from, to }) => [from, to])

test('the wait of an approved call is folded, its work is not', () => {
  assert.deepEqual(spans([step({ to: 1000, waits: [asked(10, 990)] })]), [[10, 990]])
})

test('a wait that is not over has no end', () => {
  assert.deepEqual(spans([step({ kind: 'human', from: 50, to: undefined, waits: [asked(50, undefined)] })]), [
    [50, Infinity],
  ])
})

test('what another step does while a person is asked stays in sight', () => {
  const steps = [
    step({ to: 1000, waits: [asked(0, 1000)] }),
    step({ seq: 2, from: 100, to: 200 }),
    step({ seq: 3, from: 150, to: 300 }),
  ]
  assert.deepEqual(spans(steps), [
    [0, 100],
    [300, 1000],
  ])
})

test('a sub-run is work, unless it takes much longer than everything else', () => {
  const child = (to: number) =>
    step({ kind: 'sub_run', from: 100, to, subRunId: 'x', waits: [{ for: 'sub_run', from: 100, to }] })
  assert.deepEqual(spans([step({}), child(5000)]), [])
  assert.deepEqual(spans([step({}), child(600_000)]), [[100, 600_000]])
})

test('of a sub-run that is unfolded its own waits are folded', () => {
  const child = step({ seq: 1, kind: 'sub_run', from: 0, to: 600_000, subRunId: 'x' })
  const inside = [step({ from: 0, to: 50 }), step({ kind: 'wait', seq: 2, from: 50, to: 599_000 })]
  assert.deepEqual(spans([child], [{ seq: 1, steps: inside }]), [[50, 599_000]])
})
