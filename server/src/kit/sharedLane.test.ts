// A lane that all teams share: what may wait for its own team has commits of its own, and no other team waits for them.
import assert from 'node:assert/strict'
import { DatabaseError } from 'pg'
import { createSharedLane } from './sharedLane.ts'
import { proves } from '../../test/kit/proves.ts'

interface Op {
  team: string
  n: number
  waits?: boolean
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
const notLocked = () => Object.assign(new DatabaseError('a row is locked', 14, 'error'), { code: '55P03' })

/** A lane whose flushes end when the test says so. */
function gated() {
  const flushes: { names: string; isApart: boolean; end: (error?: Error) => void }[] = []
  const nameOf = ({ team, n }: Op) => `${team}${n}`
  const lane = createSharedLane<Op, string>({
    flush: (ops, isApart) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve(ops.map(nameOf)))
        flushes.push({ names: ops.map(nameOf).join(' '), isApart, end })
      }),
    keyOf: nameOf,
    teamOf: ({ team }) => team,
    goesApart: ({ waits }) => waits === true,
    flushesMax: 1,
  })
  const begun = () => flushes.map(({ names, isApart }) => (isApart ? `${names} apart` : names))
  return { lane, flushes, begun }
}

proves(
  'lanes.apart',
  'what may wait goes apart, one flush of a team at a time and those of four teams side by side',
  async () => {
    const { lane, flushes, begun } = gated()
    const waiting = ['a', 'a', 'a', 'b', 'c', 'd', 'e'].map((team, n) => lane.add({ team, n, waits: true }))
    const free = [lane.add({ team: 'a', n: 7 }), lane.add({ team: 'f', n: 8 })]
    assert.deepEqual(begun(), ['a0 apart', 'b3 apart', 'c4 apart', 'd5 apart', 'a7'])
    flushes[4]!.end()
    flushes[1]!.end()
    await settled()
    assert.deepEqual(begun().slice(5).toSorted(), ['e6 apart', 'f8'])
    flushes[0]!.end()
    await settled()
    assert.deepEqual(begun().slice(7), ['a1 a2 apart'])
    for (const { end } of flushes) end()
    assert.deepEqual(await Promise.all([...waiting, ...free]), ['a0', 'a1', 'a2', 'b3', 'c4', 'd5', 'e6', 'a7', 'f8'])
  },
)

proves('lanes.locked', 'a flush without its lock is repeated by team, and one apart is refused whole', async () => {
  const { lane, flushes, begun } = gated()
  const first = lane.add({ team: 'a', n: 0 })
  const shared = [1, 2].map((n) => lane.add({ team: 'a', n }))
  const other = lane.add({ team: 'b', n: 3 })
  flushes[0]!.end()
  assert.equal(await first, 'a0')
  await settled()
  flushes[1]!.end(notLocked())
  await settled()
  await settled()
  assert.deepEqual(begun(), ['a0', 'a1 b3 a2', 'a1 apart', 'b3 apart'])
  const more = lane.add({ team: 'a', n: 4, waits: true })
  const ends = Promise.allSettled([shared[1], more])
  flushes[3]!.end()
  flushes[2]!.end()
  assert.deepEqual(await Promise.all([shared[0], other]), ['a1', 'b3'])
  await settled()
  flushes.at(-1)!.end(notLocked())
  await settled()
  assert.deepEqual(begun().slice(4), ['a2 a4 apart'])
  assert.deepEqual(
    (await ends).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
})
