// Bulk actions on cases: which are meant, what becomes of those that somebody holds, and actions that continue in the background.
import assert from 'node:assert/strict'
import { Client } from 'pg'
import { readTimeline, seedCases, seedColleague, seedQueue, seedWorker } from '../../../../test/kit/cases.ts'
import { seedTeam, type TestTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { connectionSettings } from '../../../base/db.ts'
import { newId } from '../../../base/ids.ts'
import { takeStep } from './carryOnBulkActions.job.ts'
import { Pacer } from './pace.ts'
import { sweepBulkActions } from './sweepBulkActions.job.ts'
import { dispatchQueue } from '../dispatch/dispatch.ts'
import { proves } from '../../../../test/kit/proves.ts'

const service = await testApp()

interface Scene {
  team: TestTeam
  queueId: string
  /** The first is held by a run, the second by another member, the third by the member of the team's key, the others by nobody. */
  ids: string[]
  runId: string
}

async function seedScene(): Promise<Scene> {
  const team = await seedTeam(service)
  const queueId = await seedQueue(team)
  const ids = await seedCases(team, queueId, 5)
  await seedWorker(team, queueId, 1)
  assert.equal(await dispatchQueue(service.context, queueId), 1)
  const ann = await seedColleague(team, 'Ann')
  assert.equal((await ann.call(`POST /v2/cases/${ids[1]}/claim`)).status, 200)
  assert.equal((await team.call(`POST /v2/cases/${ids[2]}/claim`)).status, 200)
  const [first] = await team.sql<{ run_id: string }>`select claimed_by_run_id as run_id from cases where id = ${ids[0]}`
  return { team, queueId, ids, runId: first!.run_id }
}

/** In the order of their ages. */
const statusesOf = async (team: TestTeam, queueId: string): Promise<string[]> => {
  const rows = await team.sql<{ display_status: string }>`
    select display_status from cases where queue_id = ${queueId} and team_id = ${team.id} order by created_at, id`
  return rows.map(({ display_status }) => display_status)
}

async function runStatus(team: TestTeam, runId: string): Promise<string> {
  return (await team.call(`GET /v2/runs/${runId}`)).body.status
}

const none = { deleted_count: 0, reprocessed_count: 0, updated_count: 0, skipped_count: 0, stopped_run_ids: [] }
const done = { ...none, bulk_action_id: null, status: 'completed' }

proves('bulk.chosen', 'exactly one of case_ids and all_matching says which cases are meant', async () => {
  const team = await seedTeam(service)
  const queueId = await seedQueue(team)
  const ids = await seedCases(team, queueId, 2)
  const wrong = [
    {},
    { all_matching: false },
    { case_ids: ids, all_matching: true },
    { case_ids: ids, filters: { status: ['failed'] } },
    { case_ids: ids, search: 'invoice' },
    { case_ids: [] },
    { case_ids: Array.from({ length: 101 }, newId) },
  ]
  for (const body of wrong) {
    const refused = await team.call(`POST /v2/queues/${queueId}/cases/bulk-delete`, { body })
    assert.equal(refused.status, 400, JSON.stringify(body))
  }
  assert.deepEqual(await statusesOf(team, queueId), ['pending', 'pending'])
})

proves('bulk.chosen', 'an id that names no case of the queue is a 404, and nothing is changed', async () => {
  const team = await seedTeam(service)
  const queueId = await seedQueue(team)
  const ids = await seedCases(team, queueId, 2)
  const [elsewhere] = await seedCases(team, await seedQueue(team), 1)
  for (const stranger of [elsewhere!, newId(), 'no id']) {
    const body = { case_ids: [...ids, stranger] }
    const refused = await team.call(`POST /v2/queues/${queueId}/cases/bulk-delete`, { body })
    assert.equal(refused.status, 404, stranger)
    assert.match(refused.body.message, / case_ids\.2\. /)
  }
  assert.equal((await statusesOf(team, queueId)).length, 2)
})

proves(
  'bulk.matching',
  'all matching are those that fit filters and search, and a case that is as wanted is skipped',
  async () => {
    const team = await seedTeam(service)
    const queueId = await seedQueue(team)
    const ids = await seedCases(team, queueId, 4)
    const act = (body: object) => team.call(`POST /v2/queues/${queueId}/cases/bulk-update-priority`, { body })
    const listed = await act({ case_ids: [ids[0], ids[1], ids[0]], priority: 'high' })
    assert.deepEqual(listed.body, { ...done, updated_count: 2 })
    const matching = await act({ all_matching: true, filters: { priority: ['high'] }, priority: 'medium' })
    assert.deepEqual(matching.body, { ...done, updated_count: 2 })
    const found = await act({ all_matching: true, search: 'invoice 3', priority: 'high' })
    assert.deepEqual(found.body, { ...done, updated_count: 1 })
    const all = await act({ all_matching: true, priority: 'medium' })
    assert.deepEqual(all.body, { ...done, updated_count: 2, skipped_count: 2 })
    const timeline = await readTimeline(team, queueId)
    assert.deepEqual(
      timeline.filter(({ case_id }) => case_id === ids[0]).map(({ type, user_id, reason }) => [type, user_id, reason]),
      [
        ['updated', team.memberId, 'The priority is high now.'],
        ['updated', team.memberId, 'The priority is medium now.'],
      ],
    )
  },
)

proves(
  'bulk.status',
  'a new status stops the run that holds a case, takes one’s own, and leaves alone what another member holds',
  async () => {
    const { team, queueId, ids, runId } = await seedScene()
    const body = { all_matching: true, status: 'completed' }
    const answer = await team.call(`POST /v2/queues/${queueId}/cases/bulk-update-status`, { body })
    assert.deepEqual(answer.body, { ...done, updated_count: 4, skipped_count: 1, stopped_run_ids: [runId] })
    assert.equal(await runStatus(team, runId), 'stopped')
    const after = ['completed', 'in_progress', 'completed', 'completed', 'completed']
    assert.deepEqual(await statusesOf(team, queueId), after)
    const told = await team.sql<{ case_id: string; status: string }>`
    select data ->> 'case_id' as case_id, data ->> 'status' as status from events
    where team_id = ${team.id} and event = 'queue.case.completed' and data ->> 'status' = 'completed'`
    assert.deepEqual(new Set(told.map(({ case_id }) => case_id)), new Set([ids[0], ...ids.slice(2)]))
    assert.equal(told.length, 4)
    const timeline = await readTimeline(team, queueId)
    assert.equal(timeline.filter(({ type, user_id }) => type === 'completed' && user_id === team.memberId).length, 4)
  },
)

proves('bulk.status', 'cases become pending again whatever they were, and can be failed at once', async () => {
  const { team, queueId, runId } = await seedScene()
  const act = (status: string) =>
    team.call(`POST /v2/queues/${queueId}/cases/bulk-update-status`, { body: { all_matching: true, status } })
  const failed = await act('failed')
  assert.deepEqual(failed.body, { ...done, updated_count: 4, skipped_count: 1, stopped_run_ids: [runId] })
  const pending = await act('pending')
  assert.deepEqual(pending.body, { ...done, updated_count: 4, skipped_count: 1 })
  assert.deepEqual(await statusesOf(team, queueId), ['pending', 'in_progress', 'pending', 'pending', 'pending'])
  const [ended] = await team.sql<{ count: number }>`
    select count(*) from cases where queue_id = ${queueId} and team_id = ${team.id} and completed_at is not null`
  assert.equal(ended!.count, 0)
})

proves('bulk.status', 'what a member holds who has left the team is free for others', async () => {
  const { team, queueId, ids } = await seedScene()
  const [ann] = await team.sql<{ id: string }>`select id from members where team_id = ${team.id} and name = 'Ann'`
  assert.equal((await team.call(`DELETE /v2/teams/:teamId/members/${ann!.id}`)).status, 200)
  const body = { case_ids: [ids[1]], status: 'pending' }
  const answer = await team.call(`POST /v2/queues/${queueId}/cases/bulk-update-status`, { body })
  assert.equal(answer.body.updated_count, 1)
})

proves(
  'bulk.reprocess',
  'cases are given out again, to one agent when it is named, with their attempts kept',
  async () => {
    const { team, queueId, ids, runId } = await seedScene()
    const agentId = await seedWorker(team, queueId, 1)
    const act = (body: object) => team.call(`POST /v2/queues/${queueId}/cases/bulk-reprocess`, { body })
    const answer = await act({ all_matching: true, agent_id: agentId })
    assert.deepEqual(answer.body, { ...done, reprocessed_count: 4, skipped_count: 1, stopped_run_ids: [runId] })
    const [first] = await team.sql`
    select display_status, for_agent_id, attempts from cases where id = ${ids[0]} and team_id = ${team.id}`
    assert.deepEqual(first, { display_status: 'pending', for_agent_id: agentId, attempts: 1 })
    const types = (await readTimeline(team, queueId))
      .filter(({ case_id }) => case_id === ids[0])
      .map(({ type }) => type)
    assert.deepEqual(types.toSorted(), ['claimed', 'failed', 'reprocessed'])
    assert.equal(await dispatchQueue(service.context, queueId), 1)
    const [run] = await team.sql`select agent_id from runs where case_id = ${ids[0]} and status = 'pending'`
    assert.equal(run!['agent_id'], agentId)
  },
)

proves('bulk.reprocess', 'an agent that does not work the queue gets none of its cases', async () => {
  const { team, queueId, ids } = await seedScene()
  const other = await seedWorker(team, await seedQueue(team))
  const act = (agentId: string) =>
    team.call(`POST /v2/queues/${queueId}/cases/bulk-reprocess`, { body: { case_ids: ids, agent_id: agentId } })
  assert.equal((await act(other)).status, 409)
  assert.equal((await act(newId())).status, 404)
  assert.equal((await act('nobody')).status, 404)
})

proves('bulk.delete', 'cases are deleted whoever holds them, and their runs are stopped', async () => {
  const { team, queueId, ids, runId } = await seedScene()
  const some = await team.call(`POST /v2/queues/${queueId}/cases/bulk-delete`, { body: { case_ids: ids.slice(0, 2) } })
  assert.deepEqual(some.body, { ...done, deleted_count: 2, stopped_run_ids: [runId] })
  assert.equal(await runStatus(team, runId), 'stopped')
  assert.equal(await dispatchQueue(service.context, queueId), 1)
  const all = await team.call(`DELETE /v2/queues/${queueId}/cases`)
  assert.equal(all.body.deleted_count, 3)
  assert.equal(all.body.stopped_run_ids.length, 1)
  assert.equal(all.body.status, 'completed')
  assert.deepEqual(await statusesOf(team, queueId), [])
  const [left] = await team.sql<{ rows: number }>`select count(*) as rows from case_events where team_id = ${team.id}`
  assert.equal(left!.rows, 0)
  const [counted] = await team.sql<{ cases: number }>`
    select coalesce(sum(cases), 0)::int as cases from case_counts where queue_id = ${queueId}`
  assert.equal(counted!.cases, 0)
})

/** Looks at the statement that changes the cases of a step, again and again until the step is over. */
async function watchStep({ sql }: TestTeam, step: Promise<unknown>): Promise<{ asleep: number; awake: number }> {
  const seen = { asleep: 0, awake: 0 }
  const goesOn = () => Promise.race([step.then(() => false), new Promise((resolve) => setImmediate(resolve, true))])
  while (await goesOn()) {
    const [writing] = await sql<{ is_asleep: boolean }>`
      select wait_event is not distinct from 'PgSleep' as is_asleep from pg_stat_activity
      where datname = current_database() and state = 'active' and query ~ '^\\s*with changed as'`
    if (writing) seen[writing.is_asleep ? 'asleep' : 'awake'] += 1
  }
  return seen
}

/** Connections of other processes, each in a long statement. */
async function othersAtWork(count: number): Promise<AsyncDisposable> {
  const address = connectionSettings(service.context.db.address())
  const others = Array.from({ length: count }, () => new Client(address))
  const ended = others.map(async (other) => {
    await other.connect()
    await other.query('select pg_sleep(600)').catch(() => undefined)
  })
  const areAtWork = async () => {
    const rows = await service.context.db.sql`
      select from pg_stat_activity where datname = current_database() and state = 'active' and query = 'select pg_sleep(600)'`
    return rows.length === count
  }
  while (!(await areAtWork())) await service.context.db.sql`select pg_sleep(0.005)`
  return {
    async [Symbol.asyncDispose]() {
      await service.context.db.sql`
        select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and query = 'select pg_sleep(600)'`
      await Promise.all(ended)
      await Promise.all(others.map((other) => other.end()))
    },
  }
}

proves(
  ['bulk.rests', 'bulk.fullSpeed'],
  'an action in the background sleeps longer than it works beside others, and goes at full speed when they are gone',
  async () => {
    const team = await seedTeam(service)
    const queueId = await seedQueue(team)
    const ids = await seedCases(team, queueId, 10_001)
    const body = { all_matching: true, status: 'completed' }
    const begun = await team.call(`POST /v2/queues/${queueId}/cases/bulk-update-status`, { body })
    const input = { bulk_action_id: begun.body.bulk_action_id, team_id: team.id }
    // 4,001 cases are enough
    await team.sql`delete from cases where id = any(${ids.slice(0, 6000)}::uuid[]) and team_id = ${team.id}`
    const pacer = new Pacer()
    {
      await using _others = await othersAtWork(3)
      for (let step = 0; step < 5; step++) await takeStep(service.context, input, pacer)
      const { asleep, awake } = await watchStep(team, takeStep(service.context, input, pacer))
      assert.ok(asleep > awake, `${asleep} times asleep, ${awake} times awake`)
    }
    // with the size that a transaction had beside others there would be 34 more
    let steps = 1
    while (!(await takeStep(service.context, input, pacer))) steps += 1
    assert.ok(steps < 28, `${steps} steps`)
    assert.equal(pacer.pace.restTimes, 0)
  },
)

proves(
  ['bulk.background', 'bulk.progress'],
  'more than fit into a request continue in the background from where the last transaction left them',
  async () => {
    const team = await seedTeam(service)
    const queueId = await seedQueue(team)
    const count = 1001
    const ids = await seedCases(team, queueId, 10_001)
    const body = { all_matching: true, filters: { status: ['pending'] }, status: 'completed' }
    const begun = await team.call(`POST /v2/queues/${queueId}/cases/bulk-update-status`, { body })
    const { bulk_action_id: id } = begun.body
    assert.deepEqual(begun.body, { ...none, bulk_action_id: id, status: 'running' })
    await team.sql`
    insert into cases (id, team_id, queue_id, title, data, created_at)
    values (${newId()}, ${team.id}, ${queueId}, 'Came later', '', now() + interval '1 s')`
    // most of them are gone before their turn comes
    await team.sql`delete from cases where id = any(${ids.slice(0, 9000)}::uuid[]) and team_id = ${team.id}`
    // a process that gets no further than this
    assert.equal(await takeStep(service.context, { bulk_action_id: id, team_id: team.id }), false)
    const halfway = (await team.call(`GET /v2/bulk-actions/${id}`)).body.bulk_action
    assert.equal(halfway.status, 'running')
    assert.ok(halfway.updated_count > 0 && halfway.updated_count < count, `${halfway.updated_count} changed`)
    await service.drain()
    const ended = await team.call(`GET /v2/bulk-actions/${id}`)
    assert.equal(ended.body.bulk_action_id, id)
    assert.equal(ended.body.bulk_action.status, 'completed')
    assert.equal(ended.body.bulk_action.updated_count, count)
    assert.equal(ended.body.bulk_action.skipped_count, 0)
    const [rows] = await team.sql<{ completed: number; pending: number; noted: number; told: number }>`
    select count(*) filter (where display_status = 'completed') as completed,
      count(*) filter (where display_status = 'pending') as pending,
      (select count(*) from case_events where team_id = ${team.id} and type = 'completed') as noted,
      (select count(*) from events where team_id = ${team.id} and event = 'queue.case.completed') as told
    from cases where queue_id = ${queueId}`
    assert.deepEqual(rows, { completed: count, pending: 1, noted: count, told: count })
  },
)

proves('bulk.stopped', 'a stopped action changes no further case, and is listed with its counts', async () => {
  const team = await seedTeam(service)
  const queueId = await seedQueue(team)
  await seedCases(team, queueId, 10_001)
  const body = { all_matching: true, priority: 'high' }
  const { bulk_action_id: id } = (await team.call(`POST /v2/queues/${queueId}/cases/bulk-update-priority`, { body }))
    .body
  const input = { bulk_action_id: id, team_id: team.id }
  assert.equal(await takeStep(service.context, input), false)
  const stopped = await team.call(`POST /v2/bulk-actions/${id}/stop`)
  assert.equal(stopped.status, 200, stopped.text)
  const { status, total, updated_count: updated, completed_at } = stopped.body.bulk_action
  assert.deepEqual([status, total, completed_at !== null], ['stopped', 10_001, true])
  assert.ok(updated > 0 && updated < 10_001, `${updated} changed`)
  // whoever still has the job finds nothing to do
  assert.equal(await takeStep(service.context, input), true)
  await service.drain()
  const [{ changed } = { changed: 0 }] = await team.sql<{ changed: number }>`
    select count(*) as changed from cases where queue_id = ${queueId} and team_id = ${team.id} and priority = 2`
  assert.equal(changed, updated)
  const again = await team.call(`POST /v2/bulk-actions/${id}/stop`)
  assert.deepEqual([again.status, again.body.error], [409, 'conflict'])
  const second = await team.call(`POST /v2/queues/${queueId}/cases/bulk-update-priority`, { body })
  const { bulk_actions: listed, total: all } = (await team.call(`GET /v2/queues/${queueId}/bulk-actions`)).body
  assert.deepEqual(
    listed.map((one: { id: string; status: string }) => [one.id, one.status]),
    [
      [second.body.bulk_action_id, 'running'],
      [id, 'stopped'],
    ],
  )
  assert.equal(all, 2)
  await team.call(`DELETE /v2/queues/${queueId}`)
})

proves('bulk.background', 'an action ends with its queue', async () => {
  const team = await seedTeam(service)
  const queueId = await seedQueue(team)
  await seedCases(team, queueId, 10_001)
  const { body } = await team.call(`DELETE /v2/queues/${queueId}/cases`)
  assert.equal(body.status, 'running')
  await team.sql`delete from queues where id = ${queueId} and team_id = ${team.id}`
  await service.drain()
  assert.equal((await team.call(`GET /v2/bulk-actions/${body.bulk_action_id}`)).status, 404)
})

proves('bulk.failed', 'an action that cannot be carried out says so', async () => {
  const team = await seedTeam(service)
  const queueId = await seedQueue(team)
  await seedCases(team, queueId, 10_001)
  const { body } = await team.call(`DELETE /v2/queues/${queueId}/cases`)
  await team.sql`
    update bulk_actions set settings = jsonb_set(settings, '{filter,words}', '"no & query &"') where id = ${body.bulk_action_id}`
  await service.drain()
  const { bulk_action } = (await team.call(`GET /v2/bulk-actions/${body.bulk_action_id}`)).body
  assert.equal(bulk_action.status, 'failed')
  assert.match(bulk_action.error, /Send the action again/)
})

proves('bulk.failed', 'an action that is chosen to end deadlocks again and again has not failed', async () => {
  const team = await seedTeam(service)
  const queueId = await seedQueue(team)
  await seedCases(team, queueId, 10_001)
  const body = { all_matching: true, priority: 'high' }
  const begun = await team.call(`POST /v2/queues/${queueId}/cases/bulk-update-priority`, { body })
  const { bulk_action_id: id } = begun.body
  const status = async () => (await team.call(`GET /v2/bulk-actions/${id}`)).body.bulk_action.status
  const { pool } = service.context.db
  await pool.query(`
    create function end_deadlock() returns trigger language plpgsql as $$ begin raise deadlock_detected; end $$;
    create trigger end_deadlock before update on cases execute function end_deadlock()`)
  try {
    await assert.rejects(takeStep(service.context, { bulk_action_id: id, team_id: team.id }), { code: '40P01' })
  } finally {
    await pool.query('drop function end_deadlock cascade')
  }
  assert.equal(await status(), 'running')
  await service.drain()
  assert.equal(await status(), 'completed')
})

proves('bulk.swept', 'an action is forgotten thirty days after its end, and one that is under way is not', async () => {
  const team = await seedTeam(service)
  const queueId = await seedQueue(team)
  const make = async (status: string, completedAt: string | null) => {
    const id = newId()
    await team.sql`
      insert into bulk_actions (id, team_id, queue_id, kind, settings, status, until_created_at, created_at, completed_at)
      values (${id}, ${team.id}, ${queueId}, 'delete', '{}', ${status}, now(), now() - interval '60 days', now() - ${completedAt}::interval)`
    return id
  }
  const [old, failed, recent, running] = await Promise.all([
    make('completed', '31 days'),
    make('failed', '31 days'),
    make('completed', '29 days'),
    make('running', null),
  ])
  await sweepBulkActions.handler({
    input: {},
    context: service.context,
    sql: team.sql,
    signal: AbortSignal.timeout(10_000),
  })
  const left = await team.sql<{ id: string }>`select id from bulk_actions where queue_id = ${queueId}`
  assert.deepEqual(new Set(left.map(({ id }) => id)), new Set([recent, running]))
  for (const id of [old, failed]) assert.equal((await team.call(`GET /v2/bulk-actions/${id}`)).status, 404)
})
