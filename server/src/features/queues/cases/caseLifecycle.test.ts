// Every move of a case from every state, through the statements that make it: what the rules allow happens, and nothing else does.
import assert from 'node:assert/strict'
import { seedCases, seedColleague, seedQueue, seedWorker } from '../../../../test/kit/cases.ts'
import { proves } from '../../../../test/kit/proves.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { newId } from '../../../base/ids.ts'
import { caseStatuses, priorities, type CaseStatus } from '../../../kit/states.ts'
import type { CaseAction } from '../bulk/bulkAction.ts'
import { changeCases } from '../bulk/changeCases.ts'
import { dispatchQueue } from '../dispatch/dispatch.ts'
import { moves, type MoveType } from './caseLifecycle.ts'
import { moveCases, type Mover } from './moveCases.ts'

const service = await testApp()
const { context } = service
const { db } = context

type Holder = 'nobody' | 'run' | 'other run' | 'person' | 'other person'

/** Every state with every holder that a case can have in it. */
const states: { status: CaseStatus; holder: Holder }[] = [
  { status: 'pending', holder: 'nobody' },
  { status: 'postponed', holder: 'nobody' },
  { status: 'completed', holder: 'nobody' },
  { status: 'failed', holder: 'nobody' },
  ...(['in_progress', 'needs_input'] as const).flatMap((status) =>
    (['run', 'other run'] as const).map((holder) => ({ status, holder })),
  ),
  { status: 'in_progress', holder: 'person' },
  { status: 'in_progress', holder: 'other person' },
]

const becomes: Record<MoveType, CaseStatus> = {
  claimed: 'in_progress',
  assigned: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  postponed: 'postponed',
  released: 'pending',
  handed_over: 'pending',
}

const isFree = (status: CaseStatus) => status === 'pending' || status === 'postponed'

/** The rules, written down a second time. */
function mayMove(by: 'run' | 'person', type: MoveType, { status, holder }: (typeof states)[number]): boolean {
  if (type === 'claimed') return isFree(status)
  if (by === 'run' && type === 'assigned') return false
  if (by === 'run' || type === 'released') return holder === by
  return isFree(status) || holder === 'person'
}

const ids = {
  run: newId(),
  agent: newId(),
  otherRun: newId(),
  otherAgent: newId(),
  person: newId(),
  otherPerson: newId(),
}

async function seedCaseIn(team: Awaited<ReturnType<typeof seedTeam>>, queueId: string, state: (typeof states)[number]) {
  const [id = ''] = await seedCases(team, queueId, 1)
  const { status, holder } = state
  const run = holder === 'run' ? ids.run : holder === 'other run' ? ids.otherRun : null
  const person = holder === 'person' ? ids.person : holder === 'other person' ? ids.otherPerson : null
  await team.sql`
    update cases set display_status = ${status}, claimed_at = case when ${holder} <> 'nobody' then now() end,
      claimed_by_run_id = ${run}::uuid, claimed_by_agent_id = ${run === null ? null : ids.agent}::uuid, claimed_by_user_id = ${person}::uuid,
      postponed_to = case when ${status} = 'postponed' then now() end,
      completed_at = case when ${status} in ('completed', 'failed') then now() end
    where id = ${id} and team_id = ${team.id}`
  return id
}

interface Row {
  display_status: CaseStatus
  claimed_by_run_id: string | null
  claimed_by_user_id: string | null
  claimed_by_agent_id: string | null
  is_claimed: boolean
  is_completed: boolean
  is_postponed: boolean
  attempts: number
}

async function readCase(id: string): Promise<Row | undefined> {
  const [row] = await db.sql<Row>`
    select display_status, claimed_by_run_id, claimed_by_user_id, claimed_by_agent_id, attempts, claimed_at is not null as is_claimed,
      completed_at is not null as is_completed, postponed_to is not null as is_postponed from cases where id = ${id}`
  return row
}

/** What a row must look like in a state, whoever brought it there. */
function assertWhole(row: Row | undefined, what: string): void {
  assert.ok(row, what)
  const { display_status: status } = row
  assert.equal(row.is_claimed, status === 'in_progress' || status === 'needs_input', what)
  assert.equal(row.claimed_by_run_id !== null || row.claimed_by_user_id !== null, row.is_claimed, what)
  assert.equal(row.claimed_by_agent_id !== null, row.claimed_by_run_id !== null, what)
  assert.equal(row.is_completed, status === 'completed' || status === 'failed', what)
  assert.equal(row.is_postponed, status === 'postponed', what)
}

proves('cases.oneHolder', 'a run and a person move a case from each state exactly as the rules allow', async () => {
  const team = await seedTeam(service)
  const movers: ['run' | 'person', Mover][] = [
    ['run', { run_id: ids.run, agent_id: ids.agent }],
    ['person', { user_id: ids.person }],
  ]
  for (const [name, by] of movers) {
    for (const type of Object.keys(moves) as MoveType[]) {
      for (const state of states) {
        // of its own queue: an agent's run holds one case at a time
        const id = await seedCaseIn(team, await seedQueue(team), state)
        const what = `${name}: ${type} of a case that is ${state.status}, held by ${state.holder}`
        const before = await readCase(id)
        const more = { postponed_to: new Date(Date.now() + 60_000), assignee_id: ids.otherPerson }
        const moved = await db.transaction((sql) =>
          moveCases(sql, [{ case_id: id, team_id: team.id, by, type, ...more }]),
        )
        const after = await readCase(id)
        const isAllowed = mayMove(name, type, state)
        assert.equal(moved.length, isAllowed ? 1 : 0, what)
        if (isAllowed) {
          assert.equal(after?.display_status, becomes[type], what)
          assert.equal(after.attempts, becomes[type] === 'in_progress' ? 1 : 0, what)
          assertWhole(after, what)
        } else assert.deepEqual(after, before, what)
        await db.sql`delete from cases where id = ${id}`
      }
    }
  }
})

proves('cases.oneHolder', 'dispatch claims a case that is free, and no other', async () => {
  const team = await seedTeam(service)
  for (const state of states) {
    const queueId = await seedQueue(team)
    await seedWorker(team, queueId)
    const id = await seedCaseIn(team, queueId, state)
    const what = `dispatch of a case that is ${state.status}, held by ${state.holder}`
    const before = await readCase(id)
    assert.equal(await dispatchQueue(context, queueId), isFree(state.status) ? 1 : 0, what)
    const after = await readCase(id)
    if (isFree(state.status)) {
      assert.equal(after?.display_status, 'in_progress', what)
      assert.ok(after.claimed_by_run_id, what)
      assert.equal(after.attempts, 1, what)
      assertWhole(after, what)
    } else assert.deepEqual(after, before, what)
    await db.sql`delete from cases where id = ${id}`
  }
})

proves(
  ['bulk.status', 'bulk.reprocess'],
  'a bulk action takes a case from each state to the one it asks for, but not from another member',
  async () => {
    const team = await seedTeam(service)
    const ann = await seedColleague(team, 'Ann')
    const actions: { action: CaseAction; to: CaseStatus }[] = [
      { action: { kind: 'reprocess', agent_id: null }, to: 'pending' },
      { action: { kind: 'update_status', status: 'pending' }, to: 'pending' },
      { action: { kind: 'update_status', status: 'completed' }, to: 'completed' },
      { action: { kind: 'update_status', status: 'failed' }, to: 'failed' },
    ]
    for (const { action, to } of actions) {
      for (const state of states.filter(({ holder }) => holder !== 'other run')) {
        const queueId = await seedQueue(team)
        const isOfRun = state.holder === 'run'
        if (isOfRun) await seedWorker(team, queueId)
        const id = await seedCaseIn(team, queueId, isOfRun ? { status: 'pending', holder: 'nobody' } : state)
        if (isOfRun) assert.equal(await dispatchQueue(context, queueId), 1)
        const person = state.holder === 'person' ? team.memberId : state.holder === 'other person' ? ann.memberId : null
        await db.sql`update cases set display_status = ${state.status}, claimed_by_user_id = ${person}::uuid where id = ${id}`
        const what = `${JSON.stringify(action)} of a case that is ${state.status}, held by ${state.holder}`
        const before = await readCase(id)
        const bulk = { teamId: team.id, queueId, userId: team.memberId, action }
        const { changed } = await db.transaction((sql) => changeCases(context, sql, bulk, [id]))
        const after = await readCase(id)
        if (state.holder === 'other person' || state.status === to) {
          assert.equal(changed, 0, what)
          assert.deepEqual(after, before, what)
        } else {
          assert.equal(changed, 1, what)
          assert.equal(after?.display_status, to, what)
          assertWhole(after, what)
        }
      }
    }
  },
)

proves('cases.oneHolder', 'the tables allow exactly the words of the lists', async () => {
  const [{ check } = { check: '' }] = await db.sql<{ check: string }>`
    select pg_get_constraintdef(oid) as check from pg_constraint
    where conrelid = 'cases'::regclass and cardinality(conkey) = 1 and pg_get_constraintdef(oid) like '%display_status = ANY%'`
  assert.deepEqual([...new Set([...check.matchAll(/'(\w+)'::text/g)].map(([, one]) => one))], [...caseStatuses])
  const team = await seedTeam(service)
  const [id = ''] = await seedCases(team, await seedQueue(team), 1)
  await db.sql`update cases set priority = ${priorities.length - 1} where id = ${id}`
  await assert.rejects(db.sql`update cases set priority = ${priorities.length} where id = ${id}`, /priority/)
})
