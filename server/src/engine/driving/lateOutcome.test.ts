// Outcomes of calls that are kept for the next holder of their run.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import type { Database } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { feature } from '../../kit/feature.ts'
import { Type } from '../../kit/schema.ts'
import { outsideTool } from '../../kit/tool.ts'
import { claimRuns, reviveRuns } from '../admission/claim.ts'
import { engineOf } from '../engine.ts'
import type { CallStep } from '../ledger/change.ts'
import type { HeldRun } from './heldRun.ts'
import { readLateOutcome, saveLateOutcome } from './lateOutcome.ts'

let made = 0
const payWith = (name: string, onDoubt: 'retry' | 'ask') =>
  outsideTool({
    name,
    description: 'For tests.',
    input: Type.Object({}),
    onDoubt,
    leaves: 'never',
    timeoutMs: 600_000,
    async execute() {
      made += 1
      return { result: 'paid again' }
    },
  })
const tools = [payWith('pay', 'retry'), payWith('pay_if_sure', 'ask')]
const paying = feature({
  name: 'paying',
  toolSets: [{ name: 'paying', title: 'Paying', description: 'For tests.', provider: null, tools }],
})
const service = await testApp({ features: [paying] })
const { context } = service
const { db } = context

/** A run that has begun a call of this tool, in a process that then counts as dead once it is revived. */
async function begunCall(tool: string, { attempt = 1, arrived = null as object | null } = {}) {
  const team = await seedTeam(service)
  const procedure = `\`\`\`tool name=${tool} id=pay\n{}\n\`\`\`\n\n\`\`\`output\n{{ steps.pay.output }}\n\`\`\`\n`
  const id = await startRun(team, await seedAgent(team, procedure, { plugins: ['paying'] }))
  const worker = newId()
  await claimRuns(db.sql, worker, 100)
  await db.sql`
    insert into run_steps (run_id, seq, turn, kind, tool, arguments, state, attempt, started_at, arrived)
    values (${id}, 1, 1, 'tool', ${tool}, '{}', 'intent', ${attempt}, now(), ${arrived && JSON.stringify(arrived)}::jsonb)`
  await db.sql`
    insert into run_messages (run_id, seq, id, turn, type, role, tool_call, "timestamp")
    values (${id}, 1, ${newId()}, 1, 'tool_call', 'assistant', ${JSON.stringify({ id: `${id}:1`, name: tool, arguments: {} })}, now())`
  await db.sql`update runs set message_seq = 1, steps = 1 where id = ${id}`
  const revive = () => reviveRuns(db.sql, { id: worker, role: 'worker', is_news: true })
  return { team, id, revive }
}

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

proves(
  'runs.outcomeKept',
  'an outcome that is stored in the moment before the call is made again is taken, and the call is not made',
  async () => {
    const { team, id, revive } = await begunCall('pay')
    const before = made
    // the process that began the call counts as dead, and stores what came of it just before another one begins it again
    await db.sql`
      create function pay_late() returns trigger language plpgsql as $$
      begin
        new.arrived := json_build_object('attempt', 1, 'at', now(), 'outcome', json_build_object('result', 'paid'));
        return new;
      end $$`
    await db.sql`
      create trigger pay_late before update on run_steps for each row when (new.tool = 'pay' and old.attempt = 1 and new.attempt = 2)
      execute function pay_late()`
    await revive()
    await drainRuns(service)
    assert.deepEqual([(await readRun(team, id)).output, made - before], ['paid', 0])
  },
)

proves(
  'runs.outcomeKept',
  'an outcome is taken also when the process that began the call again died before it took it',
  async () => {
    const arrived = { attempt: 1, at: new Date(), outcome: { result: 'paid' } }
    const { team, id, revive } = await begunCall('pay', { attempt: 2, arrived })
    const before = made
    await revive()
    await drainRuns(service)
    assert.deepEqual([(await readRun(team, id)).output, made - before], ['paid', 0])
  },
)

proves(
  'runs.outcomeKept',
  'a person who had a call made again is not asked again because the connection was lost before it was made',
  async () => {
    const { team, id, revive } = await begunCall('pay_if_sure')
    const before = made
    await revive()
    await drainRuns(service)
    const { pending_human_request: request } = (await team.call(`GET /v2/runs/${id}`)).body
    const answers = { 'Did this call happen?': 'It did not happen: make it now' }
    const answer = await team.call(`POST /v2/runs/${id}/human-requests/${request.id}/respond`, { body: { answers } })
    assert.equal(answer.status, 200, answer.text)
    const { sql } = db
    let lost = 0
    // lost in the first look for an outcome that follows the beginning of the second attempt
    db.sql = async <Row extends object>(strings: TemplateStringsArray, ...values: unknown[]) => {
      if (lost === 0 && strings.join('').includes('select arrived from run_steps')) {
        const [step] = await sql<{ attempt: number }>`select attempt from run_steps where run_id = ${id} and seq = 1`
        if (step!.attempt === 2) {
          lost += 1
          throw new Error('Connection terminated unexpectedly')
        }
      }
      return sql<Row>(strings, ...values)
    }
    try {
      await drainRuns(service)
    } finally {
      db.sql = sql
    }
    assert.deepEqual([(await readRun(team, id)).output, lost, made - before], ['paid again', 1, 1])
    assert.equal((await sql`select id from human_requests where run_id = ${id}`).length, 1)
  },
)
