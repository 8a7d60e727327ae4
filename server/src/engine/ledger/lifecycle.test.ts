// The table of moves, the statements that move runs and the rules of the database: all three must say the same.
import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { proves } from '../../../test/kit/proves.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import type { Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import {
  endedStatuses,
  onTimeouts,
  requestStatuses,
  requestTypes,
  runSources,
  runStatuses,
  stepKinds,
  stepStates,
} from '../../kit/states.ts'
import { claimSuspects } from '../admission/claim.ts'
import { stopRuns } from '../ending/stopRuns.ts'
import { addUserMessage } from '../requests/addUserMessage.ts'
import { applyChanges } from './apply.ts'
import { newChange, type Move } from './change.ts'
import { eventOf, hasEnded, mayMove, type Status } from './lifecycle.ts'

const pairs = runStatuses.flatMap((from) => runStatuses.filter((to) => to !== from).map((to) => ({ from, to })))

interface MovedRun {
  id: string
  team_id: string
  epoch: number
  message_seq: number
}

/** A run in this state, with the columns that a run in this state has; one that can be claimed is ready. */
async function insertRun(sql: Sql, status: Status): Promise<MovedRun> {
  const run = { id: newId(), team_id: newId(), epoch: 3, message_seq: 0 }
  const isEnded = hasEnded(status)
  await sql`
    insert into runs (id, team_id, agent_id, build_id, run_number, source, title, status, epoch, started_at, running_since, admitted_at, worker,
      completed_at)
    values (${run.id}, ${run.team_id}, ${newId()}, ${newId()}, nextval('run_numbers'), 'api', 'Moved', ${status}, ${run.epoch},
      ${status === 'pending' ? null : new Date()}, ${status === 'running' ? new Date() : null}, ${isEnded ? null : new Date()},
      ${status === 'running' ? newId() : null}, ${isEnded ? new Date() : null})`
  return run
}

const release = (sql: Sql, run: MovedRun, move: Move) =>
  applyChanges(sql, [{ ...newChange(run, 1), move: { ...move, wakeSeen: 0 } }])

/** The statement that brings runs to each state. */
const statements: Record<Status, (sql: Sql, run: MovedRun) => Promise<unknown>> = {
  pending: (sql, run) => addUserMessage(sql, run, { text: 'Again, please.', memberId: newId() }),
  running: (sql, { id }) => claimSuspects(sql, newId(), [id]),
  waiting: (sql, run) =>
    release(sql, run, { status: 'waiting', waiting_on: { kind: 'time', detail: null }, due_at: null }),
  completed: (sql, run) => release(sql, run, { status: 'completed', output: 'done' }),
  failed: (sql, run) =>
    release(sql, run, { status: 'failed', error: { code: 'test', message: 'Failed.', step: null } }),
  stopped: (sql, { id }) => stopRuns(sql, [id]),
}

/** The table allows these moves, and no statement makes them: only a holder fails a run, and a run that is held is running. */
const isUnused = (from: Status, to: Status): boolean => to === 'failed' && (from === 'pending' || from === 'waiting')

const refusalOf = (from: Status, to: Status): RegExp =>
  isUnused(from, to) ? /null value in column "active_ms"/ : new RegExp(`a run cannot go from ${from} to ${to}`)

/** The event of a move; a posted message has its own, and a start is reported once. */
function eventsOf(from: Status, to: Status): string[] {
  if (to === 'pending') return ['run.message.created']
  return to === 'running' && from === 'waiting' ? [] : [eventOf[to]]
}

proves('runs.moves', 'each statement moves a run exactly as the table says, with the event of the move', async () => {
  const { sql } = (await testApp()).context.db
  for (const { from, to } of pairs) {
    const run = await insertRun(sql, from)
    await statements[to](sql, run).catch((error: unknown) => assert.match(String(error), refusalOf(from, to)))
    const [now] = await sql<{ status: Status; has_end: boolean; event_seq: number }>`
      select status, completed_at is not null as has_end, event_seq from runs where id = ${run.id}`
    const events = await sql<{ event: string }>`select event from events where run_id = ${run.id} order by sequence`
    const isMoved = mayMove(from, to) && !isUnused(from, to)
    const expected = isMoved ? to : from
    assert.equal(now?.status, expected, `${from} → ${to}`)
    assert.equal(now.has_end, hasEnded(expected), `the end of ${from} → ${to}`)
    assert.equal(now.event_seq, events.length, `the events of ${from} → ${to} are counted`)
    // a message to a run that has not ended is written, and moves nothing
    const isWritten = isMoved || to === 'pending'
    const names = events.map(({ event }) => event)
    assert.deepEqual(names, isWritten ? eventsOf(from, to) : [], `the events of ${from} → ${to}`)
  }
})

proves('runs.moves', 'the database lets a run move exactly as the table says, whoever writes', async () => {
  const { sql } = (await testApp()).context.db
  for (const { from, to } of pairs) {
    const { id } = await insertRun(sql, from)
    const move = sql`update runs set status = ${to} where id = ${id}`
    if (mayMove(from, to)) await move
    else await assert.rejects(move, new RegExp(`a run cannot go from ${from} to ${to}`))
  }
})

test('only lifecycle.ts writes the status of a run', async () => {
  const src = join(import.meta.dirname, '..', '..')
  const names = (await readdir(src, { recursive: true })).filter((name) => /(?<!\.test)\.ts$/.test(name))
  const writers: string[] = []
  for (const name of names) {
    const text = await readFile(join(src, name), 'utf8')
    const updates = text.match(/update runs(?: r)? set(?:(?!\n\s*(?:from|where)\b)[^])*/g) ?? []
    if (updates.some((update) => /\bstatus =/.test(update))) writers.push(name)
    if (/insert into runs \([^)]*\bstatus\b/.test(text)) writers.push(name)
  }
  assert.deepEqual(writers, [])
  assert.ok(names.length > 500, 'the files were found')
})

test('the tables allow exactly the words of kit/states.ts', async () => {
  const { sql } = (await testApp()).context.db
  const allowed = async (table: string, column: string) => {
    const rules = await sql<{ rule: string }>`
      select pg_get_constraintdef(oid) as rule from pg_constraint
      where conrelid = ${table}::regclass and contype = 'c' and pg_get_constraintdef(oid) like ${`CHECK ((${column} = ANY (%`}`
    assert.equal(rules.length, 1, `${table}.${column} has one list`)
    return rules[0]?.rule.match(/(?<=')\w+(?=')/g)
  }
  assert.deepEqual(await allowed('runs', 'status'), [...runStatuses])
  assert.deepEqual(await allowed('runs', 'source'), [...runSources])
  assert.deepEqual(await allowed('run_steps', 'state'), [...stepStates])
  assert.deepEqual(await allowed('run_steps', 'kind'), [...stepKinds])
  assert.deepEqual(await allowed('human_requests', 'type'), [...requestTypes])
  assert.deepEqual(await allowed('human_requests', 'status'), [...requestStatuses])
  assert.deepEqual(await allowed('human_requests', 'on_timeout'), [...onTimeouts])
  assert.deepEqual(runStatuses.filter(hasEnded), [...endedStatuses])
})
