// The pool that teams share: caps, turns, bounded lines, and waits that can be ended.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairPool, inTurns, PoolFull, teamShare } from './fairPool.ts'
import { proves } from '../../test/kit/proves.ts'

const make = (size: number, perTeam: number, more: { waitingMax?: number; waitMaxMs?: number } = {}) =>
  createFairPool({ name: 'tests', size, perTeam, ...more })

proves('pools.fair', 'a team that wants the whole pool leaves room, and another team finds a slot at once', () => {
  const pool = make(4, 3)
  const noisy = Array.from({ length: 10 }, () => pool.tryTake('noisy'))
  assert.equal(noisy.filter((slot) => slot !== undefined).length, 3)
  assert.ok(pool.tryTake('quiet'))
  assert.deepEqual(pool.fullTeams(), ['noisy'])
})

proves(
  'pools.fair',
  'a freed slot goes to the waiting team that holds the fewest, however many calls of another wait',
  async () => {
    const pool = make(2, 2)
    const held = [await pool.take('noisy'), await pool.take('noisy')]
    const order: string[] = []
    const wait = async (team: string) => {
      await pool.take(team)
      order.push(team)
    }
    const noisy = Array.from({ length: 5 }, () => wait('noisy'))
    const quiet = wait('quiet')
    held[0]!()
    await quiet
    assert.deepEqual(order, ['quiet'])
    held[1]!()
    await noisy[0]
    assert.deepEqual(order, ['quiet', 'noisy'])
  },
)

test('teams with equally much take turns', async () => {
  const pool = make(1, 1)
  const first = await pool.take('x')
  const order: string[] = []
  const wait = async (team: string) => {
    const release = await pool.take(team)
    order.push(team)
    release()
  }
  const all = [wait('a'), wait('a'), wait('a'), wait('b'), wait('b'), wait('c')]
  first()
  await Promise.all(all)
  assert.deepEqual(order, ['a', 'b', 'c', 'a', 'b', 'a'])
})

test('each team has its own bounded waitlist, which refuses with a sentence', async () => {
  const pool = make(1, 1, { waitingMax: 2 })
  const release = await pool.take('noisy')
  const waiting = [pool.take('noisy'), pool.take('noisy')]
  await assert.rejects(pool.take('noisy'), (error: unknown) => {
    assert.ok(error instanceof PoolFull)
    assert.match(error.message, /already has 2 calls waiting for tests\./)
    return true
  })
  const quiet = pool.take('quiet')
  release()
  ;(await quiet)()
  for (const one of waiting) (await one)()
  assert.equal(pool.taken(), 0)
})

test('a wait ends with its signal, and leaves no trace', async () => {
  const pool = make(1, 1)
  const release = await pool.take('a')
  const gone = new AbortController()
  const waiting = pool.take('b', gone.signal)
  gone.abort(new Error('the caller left'))
  await assert.rejects(waiting, /the caller left/)
  assert.equal(pool.waiting('b'), 0)
  release()
  release()
  assert.equal(pool.taken(), 0)
  await assert.rejects(pool.take('b', gone.signal), /the caller left/)
})

test('a wait that lasts too long is refused', async () => {
  const pool = make(1, 1, { waitMaxMs: 1 })
  await pool.take('a')
  await assert.rejects(pool.take('b'), /No slot for tests came free for this team within 0.001 s/)
})

test('work that fails gives its slot back', async () => {
  const pool = make(1, 1)
  await assert.rejects(
    pool.use('a', () => Promise.reject(new Error('broken'))),
    /broken/,
  )
  assert.equal(await pool.use('b', async () => 'done'), 'done')
})

test('a share leaves at least one slot for others, where there are two', () => {
  const shares = [1, 2, 4, 8, 64].map((size) => teamShare(size, 75))
  assert.deepEqual(shares, [1, 1, 3, 6, 48])
  assert.equal(teamShare(8, 100), 8)
  assert.equal(teamShare(8, 1), 1)
})

test('items in turns: one of each team, then the next of each', () => {
  const items = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']
  assert.deepEqual(
    inTurns(items, (item) => item[0]!),
    ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'],
  )
})
