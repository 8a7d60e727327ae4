// The steps of a run are read once, page by page, and again only from the first that is not over.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { createStepStore, type ReadSteps } from './stepStore.ts'
import type { StepLine } from './stepLine.ts'

const step = (seq: number, to: number | undefined): StepLine => ({
  seq,
  kind: 'tool',
  tool: 'a',
  name: 'a',
  detail: '',
  state: to === undefined ? 'running' : 'done',
  attempts: 1,
  from: seq,
  to,
  waitsFor: undefined,
  cuts: [],
  waits: [],
  subRunId: undefined,
  isCopied: false,
  isRoom: false,
})

/** A run of which two steps are given at a time. */
function fake(steps: StepLine[]) {
  const asked: number[] = []
  const read: ReadSteps = async (after) => {
    asked.push(after)
    return { steps: steps.slice(after, after + 2), total: steps.length, activeMs: 0, now: 0 }
  }
  const store = createStepStore(read)
  const changes = new EventEmitter()
  store.subscribe(() => store.snapshot().isComplete && changes.emit('complete'))
  return { steps, asked, store, isComplete: () => once(changes, 'complete') }
}

test('pages follow each other until all are here', async () => {
  const { store, asked, isComplete } = fake([1, 2, 3, 4, 5].map((seq) => step(seq, seq + 1)))
  store.refresh()
  await isComplete()
  assert.deepEqual(asked, [0, 2, 4])
  assert.equal(store.snapshot().steps.length, 5)
})

test('a refresh reads from the first open step, and leaves what has not changed as it was', async () => {
  const { store, steps, asked, isComplete } = fake([step(1, 2), step(2, undefined), step(3, 4)])
  store.refresh()
  await isComplete()
  const before = store.snapshot().steps
  steps[1] = step(2, 9)
  steps.push(step(4, undefined))
  asked.length = 0
  store.refresh()
  await isComplete()
  const after = store.snapshot().steps
  assert.deepEqual(asked, [1, 3])
  assert.equal(after[0], before[0])
  assert.equal(after[1]?.to, 9)
  assert.equal(after[2], before[2])
  assert.equal(after.length, 4)
})

test('a refusal is shown, and the next refresh takes it away', async () => {
  let isRefused = true
  const store = createStepStore(async () => {
    if (isRefused) throw new Error('away')
    return { steps: [step(1, 2)], total: 1, activeMs: 0, now: 0 }
  })
  const changed = () => new Promise<void>((resolve) => void store.subscribe(resolve))
  store.refresh()
  await changed()
  assert.equal((store.snapshot().error as Error).message, 'away')
  isRefused = false
  // the end of the refused reading comes a moment after its error was shown
  await new Promise((resolve) => setImmediate(resolve))
  store.refresh()
  await changed()
  assert.equal(store.snapshot().error, undefined)
})
