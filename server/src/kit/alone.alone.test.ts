// The processes for work that others died over: the caller can tell a death, a silence and a failed start apart, and who was to blame.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { getHeapStatistics } from 'node:v8'
import { createLog } from '../base/log.ts'
import { startAlone, type Alone, type LoneSeat, type SeatWanted } from './alone.ts'
import { proves } from '../../test/kit/proves.ts'

const folder = await mkdtemp(join(tmpdir(), 'runyard-alone-'))
after(() => rm(folder, { recursive: true, force: true }))

/** A process that treats a unit as its id says. */
const entry = join(folder, 'entry.mjs')
await writeFile(
  entry,
  `import { getHeapStatistics } from 'node:v8'
const tell = (message) => new Promise((resolve) => process.send(message, undefined, undefined, resolve))
process.on('message', async (message) => {
  if (message === 'stop') process.exit(0)
  const { id } = message.drive
  await tell({ took: id, at: 'the last part' })
  if (id === 'waits') return
  if (id === 'hangs') for (;;);
  if (id === 'dies') process.kill(process.pid, 'SIGKILL')
  const failure = id === 'fails' ? 'no' : id === 'heap' ? String(getHeapStatistics().heap_size_limit) : undefined
  await tell({ done: id, taken: true, failure })
})
await tell({ ready: true })
`,
)

function start(file: string) {
  const told = Promise.withResolvers<string>()
  const alone = startAlone({
    log: createLog('error', { write: (line) => told.resolve(line) }),
    entry: file,
    args: () => [],
    sharePercent: 75,
    silentMs: 500,
  })
  after(() => alone.stop())
  return { alone, told: told.promise }
}

const unit = (id: string) => ({ kind: 'test', id, epoch: 0 })
const suspect: SeatWanted = { kind: 'test', teamId: 'a', mustBeAlone: false }

/** The first ask starts the process; the second comes when it is ready. */
async function seatIn(alone: Alone, wanted = suspect): Promise<LoneSeat> {
  for (;;) {
    const ready = new Promise<void>((resolve) => alone.onReady(resolve))
    const seat = alone.reserve(wanted)
    if (seat) return seat
    await ready
  }
}

const drive = async (alone: Alone, id: string) => (await seatIn(alone)).drive(unit(id))

proves('alone.told', 'a process that hangs over its work is killed, and a failure is not a death', async () => {
  const { alone } = start(entry)
  assert.deepEqual(await drive(alone, 'hangs'), { how: 'died', at: 'the last part', isSure: true })
  assert.deepEqual(await drive(alone, 'dies'), { how: 'died', at: 'the last part', isSure: true })
  assert.deepEqual(await drive(alone, 'fails'), { how: 'done', failure: 'no' })
  assert.deepEqual(await drive(alone, 'ends'), { how: 'done', failure: undefined })
})

proves(
  'alone.told',
  'a process that cannot start accuses nobody, is told in the log, and is not started again at once',
  async () => {
    const { alone, told } = start(join(folder, 'missing.mjs'))
    assert.equal(alone.reserve(suspect), undefined)
    assert.match(await told, /does not start/)
    assert.equal(alone.reserve(suspect), undefined)
  },
)

proves('alone.company', 'the death of a process that suspects share proves nothing against one of them', async () => {
  const { alone } = start(entry)
  const seats = [await seatIn(alone), await seatIn(alone), await seatIn(alone, { ...suspect, mustBeAlone: true })]
  const apart = seats[2]!.drive(unit('ends'))
  const beside = seats[0]!.drive(unit('waits'))
  assert.deepEqual(await seats[1]!.drive(unit('dies')), { how: 'died', at: 'the last part', isSure: false })
  assert.deepEqual(await beside, { how: 'died', at: 'the last part', isSure: false })
  assert.deepEqual(await apart, { how: 'done', failure: undefined })
})

proves(
  'alone.turns',
  'one team or one kind of work never has all seats, and the single seat goes to whoever was served longest ago',
  async () => {
    const { alone } = start(entry)
    const first = await seatIn(alone)
    const mine = [first, ...Array.from({ length: 32 }, () => alone.reserve(suspect))].filter(
      (seat) => seat !== undefined,
    )
    assert.equal(mine.length, 24)
    assert.ok(alone.reserve({ ...suspect, teamId: 'b', kind: 'other' }))
    const single = { ...suspect, mustBeAlone: true }
    const held = await seatIn(alone, single)
    assert.equal(alone.reserve({ ...single, teamId: 'b' }), undefined)
    held.release()
    assert.equal(alone.reserve(single), undefined, 'it is the turn of team b')
    assert.ok(alone.reserve({ ...single, teamId: 'b' }))
  },
)

proves(
  'alone.heap',
  'a process for suspects may use half the memory that its parent may, so it dies before both are killed',
  async () => {
    const { alone } = start(entry)
    const ending = await drive(alone, 'heap')
    assert.ok(ending.how === 'done')
    const limit = Number(ending.failure)
    assert.ok(limit < getHeapStatistics().heap_size_limit * 0.6, `${limit} bytes`)
  },
)
