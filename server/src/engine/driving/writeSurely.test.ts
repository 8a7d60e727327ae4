// Writes whose answer was lost: what is found on the run's row, and who may write then.
import assert from 'node:assert/strict'
import { one, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'
import { claimRuns, giveBack, readClaimed, reviveRuns } from '../admission/claim.ts'
import { wakeDueUnlocked } from '../admission/wake.ts'
import { applyChanges, type Applied } from '../ledger/apply.ts'
import { addMessage, newChange, type Change } from '../ledger/change.ts'
import { stillHolds, writeSurely, type SureWriting } from './writeSurely.ts'

const service = await testApp()
const { context } = service
const { sql } = context.db

async function held() {
  const team = await seedTeam(service)
  const id = await startRun(team, await seedAgent(team, '# Say\n\n```output\ndone\n```\n'))
  const run = await claimedBy(newId(), id)
  return { id, team, run }
}

async function claimedBy(worker: string, id: string) {
  const run = (await claimRuns(sql, worker, 100)).find((claimed) => claimed.id === id)
  assert.ok(run)
  return run
}

const lost = () => new Error('Connection terminated unexpectedly')

const writeOne = async (change: Change): Promise<Applied> => (await applyChanges(sql, [change])).applied[0]!

/** With a lane that writes as it is told for each try. */
const writingOf = (run: SureWriting['run'], tries: (() => Promise<Applied>)[] = [], on: Sql = sql): SureWriting => ({
  run,
  context: { ...context, db: { ...context.db, sql: on } },
  applyLane: { write: () => tries.shift()!() },
  writeSignal: new AbortController().signal,
  line: { tail: Promise.resolve() },
  heldAtMs: performance.now(),
})

const write = (run: SureWriting['run'], change: Change, tries: (() => Promise<Applied>)[], on: Sql = sql) =>
  writeSurely(writingOf(run, tries, on), { change, effects: [], wakeSeen: 0 })

const says = (run: SureWriting['run'], text: string): Change => {
  const change = newChange(run, 1)
  addMessage(change, { type: 'text', role: 'assistant', text_content: text })
  return change
}

proves(
  'runs.fenced',
  'who released a run and never heard so does not take it from the next holder, and writes nothing more',
  async () => {
    const { id, run } = await held()
    const pause = newChange(run, 1)
    pause.move = { status: 'waiting', waiting_on: { kind: 'time', detail: null }, due_at: new Date(0), wakeSeen: 0 }
    const next = newId()
    const applied = await write(run, pause, [
      async () => {
        assert.equal((await writeOne(pause)).outcome, 'written')
        // before the answer is missed, the run is woken, claimed by another process and continued
        await wakeDueUnlocked(sql, 500)
        assert.equal((await writeOne(says(await claimedBy(next, id), 'by the next holder'))).outcome, 'written')
        throw lost()
      },
    ])
    assert.equal(applied.outcome, 'fenced')
    assert.deepEqual(await readClaimed(sql, next), [{ id, epoch: run.epoch + 1 }])
  },
)

proves('runs.fenced', 'a holder whose fence was answered to nobody asks again, and writes once', async () => {
  const { id, run } = await held()
  const change = says(run, 'once')
  let asked = 0
  const flaky = (async (...args: Parameters<Sql>) => {
    const rows = await sql(...args)
    asked += 1
    if (asked === 1) throw lost()
    return rows
  }) as Sql
  const applied = await write(run, change, [() => Promise.reject(lost()), () => writeOne(change)], flaky)
  assert.deepEqual([applied.outcome, asked], ['written', 2])
  const [row] = await sql`
    select count(*)::int as messages from run_messages where run_id = ${id} and text_content = 'once'`
  assert.deepEqual(row, { messages: 1 })
})

proves(
  'runs.fenced',
  'who learns late that a call was announced, and was stopped since then, does not begin it',
  async () => {
    for (const lose of ['stop', 'free'] as const) {
      const { id, run, team } = await held()
      const change = says(run, 'I call now')
      const applied = await write(run, change, [
        async () => {
          assert.equal((await writeOne(change)).outcome, 'written')
          if (lose === 'stop') assert.equal((await team.call(`POST /v2/runs/${id}/stop`)).status, 200)
          else await sql`update runs set worker = null, epoch = epoch + 1 where id = ${id}`
          throw lost()
        },
      ])
      assert.equal(applied.outcome, 'fenced')
    }
  },
)

/** PostgreSQL says this when a row was locked for as long as a statement waits. */
const locked = () => sql`do $$ begin raise exception using errcode = 'lock_not_available'; end $$`

proves('runs.outcomeKept', 'a write whose run stays locked is made when the lock is gone', async () => {
  const { run } = await held()
  const change = says(run, 'at last')
  let looks = 0
  const flaky = ((...args: Parameters<Sql>) => (++looks <= 2 ? locked() : sql(...args))) as Sql
  const tries = [() => locked().then(() => writeOne(change)), () => writeOne(change)]
  const applied = await write(run, change, tries, flaky)
  assert.deepEqual([applied.outcome, looks], ['written', 3])
})

proves(
  'runs.fenced',
  'whoever did not hear of the database for some time asks whether it still holds its run',
  async () => {
    const { id, run } = await held()
    const writing = writingOf(run)
    assert.ok(await stillHolds(writing))
    writing.heldAtMs = performance.now() - 1000
    assert.ok(await stillHolds(writing))
    assert.ok(performance.now() - writing.heldAtMs < 1000, 'it need not ask again at once')
    await sql`update runs set epoch = epoch + 1 where id = ${id}`
    writing.heldAtMs = performance.now() - 1000
    assert.ok(!(await stillHolds(writing)))
  },
)

proves(
  'runs.fenced',
  'who gives back a run that its process has claimed again leaves the new claim alone',
  async () => {
    const { id, run } = await held()
    const { worker } = await one(sql<{ worker: string }>`select worker from runs where id = ${id}`)
    await reviveRuns(sql, { id: worker, role: 'worker', is_news: true })
    const again = await claimedBy(worker, id)
    await giveBack(sql, worker, [run], true)
    const now = () => one(sql`select worker, failures from runs where id = ${id}`)
    assert.deepEqual(await now(), { worker, failures: 0 })
    await giveBack(sql, worker, [again], true)
    assert.deepEqual(await now(), { worker: null, failures: 1 })
  },
)
