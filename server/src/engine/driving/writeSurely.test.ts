// Writes whose answer was lost: what is found on the run's row, and who may write then.
import assert from 'node:assert/strict'
import type { Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'
import { claimRuns, readClaimed } from '../admission/claim.ts'
import { wakeDue } from '../admission/wake.ts'
import { applyChanges, type Applied } from '../ledger/apply.ts'
import { addMessage, newChange, type Change } from '../ledger/change.ts'
import { writeSurely, type SureWriting } from './writeSurely.ts'

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
  const run = (await claimRuns(sql, worker, 100)).find((one) => one.id === id)
  assert.ok(run)
  return run
}

const lost = () => new Error('Connection terminated unexpectedly')

const writeOne = async (change: Change): Promise<Applied> => (await applyChanges(sql, [change])).applied[0]!

/** Writes the change with a lane that does so for each try. */
function write(run: SureWriting['run'], change: Change, tries: (() => Promise<Applied>)[], on: Sql = sql) {
  const applyLane = { write: () => tries.shift()!() }
  const signal = new AbortController().signal
  const writing = {
    run,
    context: { ...context, db: { ...context.db, sql: on } },
    applyLane,
    writeSignal: signal,
    line: { tail: Promise.resolve() },
  }
  return writeSurely(writing, { change, effects: [], wakeSeen: 0 })
}

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
        await wakeDue(sql, 500)
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
