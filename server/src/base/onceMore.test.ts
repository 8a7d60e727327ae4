// Once at a time: who asks during a round shares one more round, and a round that fails does not end the line.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOnceMore } from './onceMore.ts'

test('who asks during a round shares one more round behind it', async () => {
  const rounds: string[][] = []
  let underWay = Promise.withResolvers<void>()
  const work = createOnceMore<string[]>({
    run(wanted) {
      rounds.push(wanted)
      underWay = Promise.withResolvers()
      return underWay.promise
    },
    merge: (first, second) => [...first, ...second],
    onError: (error) => assert.fail(String(error)),
  })
  work.ask(['a'])
  work.ask(['b'])
  work.ask(['c'])
  assert.deepEqual(rounds, [['a']])
  underWay.resolve()
  await new Promise(setImmediate)
  assert.deepEqual(rounds, [['a'], ['b', 'c']])
  underWay.resolve()
  await work.settled()
  assert.equal(work.isRunning(), false)
})

test('a round that fails is reported, and the next one runs', async () => {
  const errors: unknown[] = []
  let rounds = 0
  let rests = 0
  const work = createOnceMore({
    async run() {
      rounds += 1
      if (rounds === 1) throw new Error('the first round')
    },
    onError: (error) => errors.push((error as Error).message),
    onRest: () => (rests += 1),
  })
  work.ask()
  work.ask()
  await work.settled()
  assert.deepEqual({ rounds, errors, rests }, { rounds: 2, errors: ['the first round'], rests: 1 })
})

test('work that asks for more while it begins gets one more round, not a second one beside it', async () => {
  let atOnce = 0
  let rounds = 0
  const work = createOnceMore({
    async run() {
      rounds += 1
      atOnce += 1
      assert.equal(atOnce, 1)
      if (rounds === 1) work.ask()
      await new Promise(setImmediate)
      atOnce -= 1
    },
    onError: (error) => assert.fail(String(error)),
  })
  work.ask()
  await work.settled()
  assert.equal(rounds, 2)
})
