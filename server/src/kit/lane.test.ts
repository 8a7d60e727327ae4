// A lane: many callers, few flushes, no two of one key at once, and one bad operation fails alone.
import assert from 'node:assert/strict'
import { DatabaseError } from 'pg'
import { createLane } from './lane.ts'
import { proves } from '../../test/kit/proves.ts'

interface Op {
  key: string
  n: number
}

function gate() {
  const flushes: { ops: Op[]; end: () => void }[] = []
  const flush = (ops: Op[]) =>
    new Promise<number[]>((resolve) => {
      flushes.push({ ops, end: () => resolve(ops.map(({ n }) => n * 10)) })
    })
  return { flushes, flush }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
const refusal = Object.assign(new DatabaseError('refused', 10, 'error'), { code: '23505' })

proves('lanes.batch', 'what arrives while a flush is under way goes into the next one', async () => {
  const { flushes, flush } = gate()
  const lane = createLane<Op, number>({
    flush,
    keyOf: ({ key }) => key,
    teamOf: () => 'one',
    flushesMax: 1,
    onFlush: () => undefined,
  })
  const results = Promise.all([1, 2, 3, 4].map((n) => lane.add({ key: `${n}`, n })))
  assert.deepEqual(
    flushes.map(({ ops }) => ops.length),
    [1],
  )
  flushes[0]!.end()
  await settled()
  assert.deepEqual(
    flushes.map(({ ops }) => ops.length),
    [1, 3],
  )
  flushes[1]!.end()
  assert.deepEqual(await results, [10, 20, 30, 40])
})

proves('lanes.patience', 'what is kept back goes when it may, and by itself when nobody says so', async () => {
  const { flushes, flush } = gate()
  let isOpen = false
  let isPatient = true
  const mayGo = (_op: Op, beside: Op[], waitedMs: number) =>
    (!isPatient && waitedMs > 30) || (isOpen && beside.length < 2)
  const lane = createLane<Op, number>({ flush, keyOf: ({ key }) => key, teamOf: () => 'one', mayGo })
  const results = [1, 2, 3].map((n) => lane.add({ key: `${n}`, n }))
  assert.equal(flushes.length, 0)
  assert.ok(lane.hasWaiting(({ n }) => n === 3))
  isOpen = true
  lane.recheck()
  assert.deepEqual(flushes[0]!.ops, [
    { key: '1', n: 1 },
    { key: '2', n: 2 },
  ])
  flushes[0]!.end()
  assert.deepEqual(await Promise.all(results.slice(0, 2)), [10, 20])
  isOpen = false
  isPatient = false
  const last = lane.add({ key: '4', n: 4 })
  while (lane.hasWaiting(() => true)) await settled()
  for (const { end } of flushes) end()
  assert.deepEqual(await Promise.all([results[2], last]), [30, 40])
})

proves('lanes.order', 'two operations of one key never share a flush and keep their order', async () => {
  const { flushes, flush } = gate()
  const lane = createLane<Op, number>({
    flush,
    keyOf: ({ key }) => key,
    teamOf: () => 'one',
    flushesMax: 4,
    onFlush: () => undefined,
  })
  const results = [1, 2].map((n) => lane.add({ key: 'same', n }))
  assert.equal(flushes.length, 1)
  flushes[0]!.end()
  await results[0]
  await settled()
  assert.deepEqual(flushes[1]!.ops, [{ key: 'same', n: 2 }])
  flushes[1]!.end()
  assert.equal(await results[1], 20)
})

proves(
  'lanes.alone',
  'one that PostgreSQL refuses fails alone, and after any other failure nothing is tried again',
  async () => {
    const tried: number[][] = []
    const lane = (fails: (ops: Op[]) => Error | undefined) =>
      createLane<Op, number>({
        keyOf: ({ key }) => key,
        teamOf: () => 'one',
        flushesMax: 1,
        onFlush: () => undefined,
        async flush(ops) {
          tried.push(ops.map(({ n }) => n))
          await settled()
          const error = fails(ops)
          if (error) throw error
          return ops.map(({ n }) => n)
        },
      })
    const add = (to: ReturnType<typeof lane>) => Promise.allSettled([0, 1, 2, 3].map((n) => to.add({ key: `${n}`, n })))
    const refused = await add(lane((ops) => (ops.some(({ n }) => n === 2) ? refusal : undefined)))
    assert.deepEqual(
      refused.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(tried.splice(0), [[0], [1, 2, 3], [1], [2], [3]])
    const lost = await add(lane((ops) => (ops.length > 1 ? new Error('connection lost') : undefined)))
    assert.deepEqual(
      lost.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'rejected'],
    )
    assert.deepEqual(tried, [[0], [1, 2, 3]])
  },
)

proves(
  'pools.commits',
  'teams take turns: a flush has one operation of each team that waits before the second of any',
  async () => {
    const { flushes, flush } = gate()
    const lane = createLane<Op, number>({
      flush,
      keyOf: ({ n }) => `${n}`,
      teamOf: ({ key }) => key,
      flushesMax: 1,
      opsMax: 3,
    })
    const noisy = Array.from({ length: 9 }, (_, n) => lane.add({ key: 'noisy', n }))
    const quiet = lane.add({ key: 'quiet', n: 100 })
    flushes[0]!.end()
    await settled()
    assert.deepEqual(
      flushes[1]!.ops.map(({ key }) => key),
      ['noisy', 'quiet', 'noisy'],
    )
    for (let at = 1; at < 4; at++) {
      flushes[at]!.end()
      await settled()
    }
    await Promise.all([...noisy, quiet])
  },
)
