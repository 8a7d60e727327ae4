// Outcomes of calls that are kept for the next holder of their run.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import type { Database } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { claimRuns } from '../admission/claim.ts'
import { engineOf } from '../engine.ts'
import type { CallStep } from '../ledger/change.ts'
import type { HeldRun } from './heldRun.ts'
import { readLateOutcome, saveLateOutcome } from './lateOutcome.ts'

const service = await testApp()
const { context } = service
const { db } = context

proves('runs.outcomeKept', 'an outcome whose commit was never heard of is stored once', async () => {
  const team = await seedTeam(service)
  const id = await startRun(team, await seedAgent(team, '```output\ndone\n```\n'))
  const run = (await claimRuns(db.sql, newId(), 100)).find((claimed) => claimed.id === id)
  await db.sql`
    insert into run_steps (run_id, seq, turn, kind, tool, arguments, state, started_at)
    values (${id}, 1, 1, 'tool', 'http_request', '{}', 'intent', now())`
  let commits = 0
  const transaction: Database['transaction'] = async (work) => {
    const result = await db.transaction(work)
    commits += 1
    if (commits === 1) throw new Error('Connection terminated unexpectedly')
    return result
  }
  const held = {
    run,
    context: { ...context, db: { ...db, transaction } },
    toolRegistry: engineOf(context).toolRegistry,
    writeSignal: new AbortController().signal,
  } as unknown as HeldRun
  const step = { kind: 'tool', seq: 1, turn: 1, attempt: 1, tool: 'http_request' } as unknown as CallStep
  let recorded = 0
  const record = async () => void (recorded += 1)
  assert.equal(await saveLateOutcome(held, step, { result: 'paid', record }), true)
  assert.deepEqual([commits, recorded], [2, 1])
  assert.deepEqual(await readLateOutcome(db.sql, id, step), { result: 'paid', files: [] })
})
