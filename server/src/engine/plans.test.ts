// The plans of the hot statements on tables of some size: by their keys, never by reading a table of runs whole.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import type { Sql } from '../base/db.ts'
import { newId } from '../base/ids.ts'
import { plansOn } from '../../test/kit/plans.ts'
import { preparedRun, seedAgent } from '../../test/kit/runs.ts'
import { seedTeam } from '../../test/kit/seed.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { endCheckOf } from '../kit/registry.ts'
import { addUserMessage } from './requests/addUserMessage.ts'
import { admitNext } from './admission/admission.ts'
import { applyChanges } from './ledger/apply.ts'
import { addMessage, newChange } from './ledger/change.ts'
import { claimRuns } from './admission/claim.ts'
import { createRuns, claimedAtStart, type NewRun } from './starting/createRun.ts'
import { stopRuns } from './ending/stopRuns.ts'
import { wakeDueUnlocked, wakeRuns } from './admission/wake.ts'
import { proves } from '../../test/kit/proves.ts'

const service = await testApp()
const { db } = service.context
const team = await seedTeam(service)
const agentId = await seedAgent(team, '```wait\n1d\n```\n')
const [build] = await db.sql<{ id: string }>`select id from builds where agent_id = ${agentId}`

const wanted = (): Promise<NewRun> => preparedRun(service, team, agentId)

const runs = await Promise.all(Array.from({ length: 80 }, wanted))
await createRuns(db.sql, runs, undefined)
// enough that reading the table whole would look tempting to a planner that expects a hundred rows of its input
await db.sql`
  insert into runs (id, team_id, agent_id, build_id, run_number, source, title, limits, status, created_at, started_at, completed_at, epoch)
  select gen_random_uuid(), ${team.id}, ${agentId}, ${build!.id}, nextval('run_numbers'), 'api', 'Seeded', '{}', 'completed', now(), now(), now(), 1
  from generate_series(1, 20000)`
await db.sql`
  insert into run_messages (run_id, seq, id, turn, type, role, "timestamp")
  select id, s, gen_random_uuid(), 0, 'text', 'user', now() from runs, generate_series(1, 2) s where status = 'completed'`
await db.sql`
  insert into run_steps (run_id, seq, turn, kind, state, started_at)
  select id, 1, 1, 'tool', 'done', now() from runs where status = 'completed'`
await db.pool.query('analyze')

const plansOf = await plansOn(db)

const changeOf = (run: NewRun) => {
  const change = newChange(claimedAtStart(run, null), 1)
  addMessage(change, { type: 'text', role: 'assistant', text_content: 'hello' })
  return change
}

const hot: Record<string, (sql: Sql) => Promise<unknown>> = {
  createRuns: async (sql) => createRuns(sql, [await wanted(), await wanted()], { workerId: newId(), count: 1 }),
  applyChanges: (sql) => applyChanges(sql, runs.slice(0, 20).map(changeOf)),
  'applyChanges with checks of ends': (sql) => {
    const some = runs.slice(0, 20)
    const found = { summary: {}, results: [], failed: [], score: 1 }
    const ends = some.map(({ id: runId, teamId, buildId }) => ({ runId, teamId, buildId, messages: 1, found }))
    return applyChanges(sql, some.map(changeOf), endCheckOf(service.context)?.sql(ends))
  },
  claimRuns: (sql) => claimRuns(sql, newId(), 40),
  admitNext: (sql) => admitNext(sql, [team.id], { workerId: newId(), count: 5 }),
  wakeRuns: (sql) => wakeRuns(sql, [runs[0]!.id]),
  wakeDueUnlocked: (sql) => wakeDueUnlocked(sql, 500),
  stopRuns: (sql) => stopRuns(sql, [runs[0]!.id]),
  addUserMessage: (sql) =>
    addUserMessage(sql, { id: runs[0]!.id, team_id: team.id }, { text: 'hello', memberId: team.memberId }),
}

suite('the plan of a hot statement', () => {
  for (const [name, work] of Object.entries(hot)) {
    proves('runs.plans', `${name} reads no large table whole`, async () => {
      const plans = await plansOf(work)
      assert.ok(plans.length > 0)
      for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan on (runs|run_messages|run_steps|events)\b/)
    })
  }
})

proves('plans.small', 'a plan that is made while a table is small goes by its index', async () => {
  await db.pool.query('analyze agents')
  const explained = await db.sql<{
    'QUERY PLAN': string
  }>`explain (costs off) select name from agents where id = ${agentId}`
  const plan = explained.map((row) => row['QUERY PLAN']).join('\n')
  assert.match(plan, /agents_pkey/)
  assert.doesNotMatch(plan, /Seq Scan/)
})
