// The processes for work that others died over: the caller can tell a death, a silence and a failed start apart, and who was to blame.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { getHeapStatistics } from 'node:v8'
import { createLog } from '../base/log.ts'
import type { SuspectEnding } from './suspectChild.ts'
import { startSuspectProcesses, type SuspectProcesses, type SuspectSeat, type SeatWanted } from './suspectProcesses.ts'
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

/** `silentMs`: only where something hangs, for a busy machine makes everybody silent. */
function start(file: string, silentMs?: number) {
  const reported = Promise.withResolvers<string>()
  const suspectProcesses = startSuspectProcesses({
    log: createLog('error', { write: (line) => reported.resolve(line) }),
    entry: file,
    args: () => [],
    sharePercent: 75,
    ...(silentMs !== undefined && { silentMs }),
  })
  after(() => suspectProcesses.stop())
  return { suspectProcesses, reported: reported.promise }
}

const unit = (id: string) => ({ kind: 'test', id, epoch: 0 })
const suspect: SeatWanted = { kind: 'test', teamId: 'a', mustBeAlone: false }

/** The first ask starts the process; the second comes when it is ready. */
async function seatIn(suspectProcesses: SuspectProcesses, wanted = suspect): Promise<SuspectSeat> {
  for (;;) {
    const ready = new Promise<void>((resolve) => suspectProcesses.onReady(resolve))
    const seat = suspectProcesses.reserve(wanted)
    if (seat) return seat
    await ready
  }
}

/** Again, as whoever asks for it does, when the process ended before it was heard that the unit was taken. */
async function drive(suspectProcesses: SuspectProcesses, id: string): Promise<SuspectEnding> {
  for (;;) {
    const ending = await (await seatIn(suspectProcesses)).drive(unit(id))
    if (ending.how !== 'untouched') return ending
  }
}

proves('alone.told', 'a process that hangs over its work is killed, and a failure is not a death', async () => {
  const hanging = start(entry, 500).suspectProcesses
  assert.deepEqual(await drive(hanging, 'hangs'), { how: 'died', at: 'the last part', isSure: true })
  const { suspectProcesses } = start(entry)
  assert.deepEqual(await drive(suspectProcesses, 'dies'), { how: 'died', at: 'the last part', isSure: true })
  assert.deepEqual(await drive(suspectProcesses, 'fails'), { how: 'done', failure: 'no' })
  assert.deepEqual(await drive(suspectProcesses, 'ends'), { how: 'done', failure: undefined })
})

proves(
  'alone.told',
  'a process that cannot start accuses nobody, is reported in the log, and is not started again at once',
  async () => {
    const { suspectProcesses, reported } = start(join(folder, 'missing.mjs'))
    assert.equal(suspectProcesses.reserve(suspect), undefined)
    assert.match(await reported, /does not start/)
    assert.equal(suspectProcesses.reserve(suspect), undefined)
  },
)

proves('alone.company', 'the death of a process that suspects share proves nothing against one of them', async () => {
  const { suspectProcesses } = start(entry)
  const seats = [
    await seatIn(suspectProcesses),
    await seatIn(suspectProcesses),
    await seatIn(suspectProcesses, { ...suspect, mustBeAlone: true }),
  ]
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
    const { suspectProcesses } = start(entry)
    const first = await seatIn(suspectProcesses)
    const mine = [first, ...Array.from({ length: 32 }, () => suspectProcesses.reserve(suspect))].filter(
      (seat) => seat !== undefined,
    )
    assert.equal(mine.length, 24)
    assert.ok(suspectProcesses.reserve({ ...suspect, teamId: 'b', kind: 'other' }))
    const single = { ...suspect, mustBeAlone: true }
    const held = await seatIn(suspectProcesses, single)
    assert.equal(suspectProcesses.reserve({ ...single, teamId: 'b' }), undefined)
    held.release()
    assert.equal(suspectProcesses.reserve(single), undefined, 'it is the turn of team b')
    assert.ok(suspectProcesses.reserve({ ...single, teamId: 'b' }))
  },
)

proves(
  'alone.heap',
  'a process for suspects may use half the memory that its parent may, so it dies before both are killed',
  async () => {
    const { suspectProcesses } = start(entry)
    const ending = await drive(suspectProcesses, 'heap')
    assert.ok(ending.how === 'done')
    const limit = Number(ending.failure)
    assert.ok(limit < getHeapStatistics().heap_size_limit * 0.6, `${limit} bytes`)
  },
)
