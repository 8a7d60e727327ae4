// The time of the main thread and of the database: a team that used more than its share waits, and only beside others.
import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { type TestContext } from 'node:test'
import { createTeamTime } from './teamTime.ts'
import { proves } from '../../test/kit/proves.ts'

/** A clock that the test moves; timers move with it. */
function startClock(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  let waited = 0
  let stopping = false
  return {
    /** Other programs have the processor: no timer runs, and the thread does nothing. */
    waitForProcessor: (ms: number) => {
      now += ms
      waited += ms
    },
    time: createTeamTime({ now: () => now, threadTime: () => now - waited, isStopping: () => stopping }),
    stop: () => void (stopping = true),
    pass: (ms: number) => {
      now += ms
      t.mock.timers.tick(ms)
    },
  }
}

/** Lets what was resolved go on. */
const settle = async () => {
  for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve))
}

proves('pools.time', 'a team that is alone never waits, however much it uses', (t) => {
  const { time, pass } = startClock(t)
  time.usedThread('noisy', 10_000)
  assert.equal(time.turn('noisy'), undefined)
  assert.ok(time.turn('quiet') === undefined && time.turn('noisy') !== undefined, 'beside another it waits')
  pass(8001)
  time.usedThread('noisy', 10_000)
  assert.equal(time.turn('noisy'), undefined, 'the other one was not at work for 8 s')
})

proves(
  'pools.time',
  'beside others a team waits until a fifth of the thread’s time has covered what it used, never longer than 5 s',
  async (t) => {
    const { time, pass } = startClock(t)
    void time.turn('quiet')
    for (let n = 0; n < 400; n++) time.usedThread('noisy', 1)
    assert.equal(time.turn('quiet'), undefined)
    let isOn = false
    void time.turn('noisy')!.then(() => (isOn = true))
    pass(999)
    await settle()
    assert.equal(isOn, false, '400 ms were used, 200 are allowed ahead, and the rest takes 1,000 ms')
    pass(1)
    await settle()
    assert.equal(isOn, true)
    time.usedThread('noisy', 1000)
    assert.ok(time.isAhead('noisy'))
    pass(4999)
    assert.ok(time.isAhead('noisy'))
    void time.turn('quiet')
    pass(1)
    assert.ok(!time.isAhead('noisy'))
  },
)

proves('pools.time', 'one long piece is charged more than many short ones of the same length together', (t) => {
  const { time, pass } = startClock(t)
  void time.turn('quiet')
  for (let n = 0; n < 25; n++) time.usedThread('short', 1)
  time.usedThread('long', 25)
  void time.turn('short')
  assert.ok(!time.isAhead('short'))
  assert.ok(time.isAhead('long'), 'whoever comes meanwhile waits for all of it')
  pass(2125)
  assert.ok(!time.isAhead('long'))
})

proves(
  'pools.time',
  'those who wait continue one at a time, in turns by caller, and each pays before the next',
  async (t) => {
    const { time, pass } = startClock(t)
    const went: string[] = []
    const work = async (name: string) => {
      await time.turn('noisy', { caller: name[0]! })
      went.push(name)
      time.usedThread('noisy', 4)
      time.usedThread('noisy', 2)
    }
    void time.turn('quiet')
    time.usedThread('noisy', 100)
    const all = ['a1', 'a2', 'b1'].map(work)
    pass(5000)
    await settle()
    assert.deepEqual(went, ['a1'], 'its 6 ms count as 20, which are covered after 100')
    pass(99)
    await settle()
    assert.deepEqual(went, ['a1'])
    const nextGoes = async (count: number) => {
      while (went.length < count) {
        pass(10)
        await settle()
      }
    }
    await nextGoes(2)
    assert.deepEqual(went, ['a1', 'b1'], 'the other caller comes next')
    await nextGoes(3)
    await Promise.all(all)
    assert.deepEqual(went, ['a1', 'b1', 'a2'])
  },
)

proves('pools.time', 'those who wait do not all continue at once when what they use is charged later', async (t) => {
  const { time, pass } = startClock(t)
  let went = 0
  const work = async () => {
    await time.turn('noisy')
    went += 1
    await new Promise((resolve) => setTimeout(resolve, 50)) // the database answers before the thread has anything to do
    time.usedThread('noisy', 10)
  }
  const passing = async (ms: number) => {
    await settle()
    void time.turn('quiet')
    pass(ms)
    await settle()
  }
  const first = Array.from({ length: 20 }, work)
  await passing(50)
  const later = Array.from({ length: 20 }, work)
  let most = 0
  const isOver = () => went === 40
  while (!isOver()) {
    const before = went
    await passing(10)
    most = Math.max(most, went - before)
  }
  await passing(50)
  await Promise.all([...first, ...later])
  assert.equal(most, 1)
})

proves(
  'pools.time',
  'statements are charged while they run, beyond half of the cores, and a request is refused after its patience',
  async (t) => {
    const { time, pass } = startClock(t)
    const gate = Promise.withResolvers<void>()
    const statements = Array.from({ length: 2 * availableParallelism() }, () =>
      time.inDatabase('noisy', () => gate.promise),
    )
    void time.turn('quiet')
    assert.equal(time.turn('noisy'), undefined)
    pass(2000)
    assert.ok(time.isAhead('noisy'), 'the share pays for a part of them; the rest is more than half a second')
    const refused = assert.rejects(time.turn('noisy', { patienceMs: 10_000 })!, /more than its share of this server/)
    for (let second = 0; second < 10; second++) {
      void time.turn('quiet')
      pass(1000)
    }
    await refused
    gate.resolve()
    await Promise.all(statements)
    void time.turn('quiet')
    pass(5001)
    assert.ok(!time.isAhead('noisy'))
  },
)

proves('pools.time', 'a team does not pay for the statements of others that slow down its own', async (t) => {
  const { time, pass } = startClock(t)
  const gate = Promise.withResolvers<void>()
  const cores = availableParallelism()
  const begin = (teamId: string, count: number) =>
    Array.from({ length: count }, () => time.inDatabase(teamId, () => gate.promise))
  const statements = ['one', 'two', 'three', 'four'].flatMap((teamId) => begin(teamId, cores))
  void time.turn('quiet')
  pass(5000)
  assert.ok(!time.isAhead('one'), 'a quarter of the cores is less than its share')
  const more = begin('one', 12 * cores)
  pass(3000)
  assert.ok(time.isAhead('one') && !time.isAhead('two'), 'by now it has 13 of 16 statements')
  gate.resolve()
  await Promise.all([...statements, ...more])
})

proves('pools.time', 'a team that is ahead does not wait for the sake of one that owes much more', (t) => {
  const { time, pass } = startClock(t)
  void time.turn('quiet')
  for (let n = 0; n < 300; n++) time.usedThread('slowed down', 1)
  assert.ok(time.isAhead('slowed down'))
  time.usedThread('noisy', 30)
  assert.ok(time.isAhead('noisy') && !time.isAhead('slowed down'))
  pass(5000)
  assert.ok(!time.isAhead('noisy') && !time.isAhead('slowed down'))
})

proves('pools.time', 'nobody pays for the time that other programs take on a busy machine', (t) => {
  const { time, waitForProcessor } = startClock(t)
  void time.turn('quiet')
  time.usedThread('noisy', 1)
  void time.turn('noisy')
  time.piece('noisy', () => waitForProcessor(200))
  assert.ok(!time.isAhead('noisy'))
})

proves('pools.time', 'bytes are charged for the garbage that they leave too', (t) => {
  const { time } = startClock(t)
  void time.turn('quiet')
  time.moved('noisy', 4 * 2 ** 20)
  void time.turn('noisy')
  assert.ok(!time.isAhead('noisy'))
  time.moved('noisy', 2 ** 20)
  assert.ok(time.isAhead('noisy'), '5 MiB count as 210 ms')
})

proves('pools.time', 'files are charged by their number and by their bytes', (t) => {
  for (const [teamId, files, bytes] of [
    ['many', 1000, 0],
    ['large', 0, 39_999_000],
  ] as const) {
    const { time } = startClock(t)
    void time.turn('quiet')
    time.handledFiles(teamId, files, bytes)
    void time.turn(teamId)
    assert.ok(!time.isAhead(teamId))
    time.handledFiles(teamId, 1, 0)
    assert.ok(time.isAhead(teamId), '1,000 files count as 200 ms, and so do 40 megabytes')
    t.mock.timers.reset()
  }
})

proves(
  'pools.time',
  'the parts of a long piece of work wait like a caller of their own, and each pays before the next',
  async (t) => {
    const { time, pass } = startClock(t)
    void time.turn('quiet')
    assert.equal(time.nextPart('noisy', 10_000), undefined, 'nothing was used yet')
    time.usedThread('noisy', 15)
    const went: string[] = []
    const part = async (name: string) => {
      await time.nextPart('noisy', 10_000)
      went.push(name)
      time.handledFiles('noisy', 5, 0)
    }
    const parts = [part('part 1'), part('part 2')]
    const request = time.turn('noisy', { caller: 'a' })!.then(() => went.push('request'))
    pass(124)
    await settle()
    assert.deepEqual(went, [])
    pass(1)
    await settle()
    assert.deepEqual(went, ['part 1'], 'it pays before anything else continues')
    pass(5)
    await settle()
    assert.deepEqual(went, ['part 1', 'request'], 'then it is the turn of the other caller')
    while (went.length < 3) {
      pass(10)
      await settle()
    }
    await Promise.all([...parts, request])
  },
)

proves('pools.time', 'a part of a long piece of work does not wait beyond its patience', async (t) => {
  const { time, pass } = startClock(t)
  void time.turn('quiet')
  time.usedThread('noisy', 1000)
  let isOn = false
  void time.nextPart('noisy', 300)!.then(() => (isOn = true))
  pass(299)
  await settle()
  assert.equal(isOn, false)
  pass(1)
  await settle()
  assert.equal(isOn, true)
})

proves('pools.time', 'when the process stops, those who wait continue at the next look', async (t) => {
  const { time, pass, stop } = startClock(t)
  void time.turn('quiet')
  time.usedThread('noisy', 100)
  const continued: string[] = []
  for (const caller of ['a', 'b', 'c']) void time.turn('noisy', { caller })?.then(() => continued.push(caller))
  stop()
  await settle()
  assert.deepEqual(continued, [])
  pass(1000)
  await settle()
  assert.deepEqual(new Set(continued), new Set(['a', 'b', 'c']))
})
