// Queues as callers see them: made, changed, listed with exact counts, and deleted with all that is in them.
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import type { Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import type { Caller } from '../../kit/credential.ts'
import { drainRuns, readRun, seedAgent } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { foldCounts } from './lists/caseCounts.ts'
import { caseResource } from './cases/case.ts'
import { dispatchQueue } from './dispatch/dispatch.ts'
import { eraseQueue } from './eraseQueue.job.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { sql } = service.context.db

async function newQueue(team: TestTeam, body: object = {}): Promise<string> {
  const answer = await team.call('POST /v2/teams/:teamId/queues', { body: { name: `Queue ${newId()}`, ...body } })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.queue_id
}

async function addCases(
  team: TestTeam,
  queueId: string,
  count: number,
  byRunId: string | null = null,
): Promise<string[]> {
  const ids = Array.from({ length: count }, newId)
  await sql`
    insert into cases (id, team_id, queue_id, title, data, created_by_run_id)
    select id, ${team.id}, ${queueId}, 'Refund ' || n, '{}', ${byRunId}::uuid from unnest(${ids}::uuid[]) with ordinality as w (id, n)`
  return ids
}

/** An agent whose runs wait for a person, and so hold their case. */
async function agentThatAsks(team: TestTeam, queueId: string): Promise<string> {
  const agentId = await seedAgent(team, '```ask\nIs this right?\n- Yes\n```', {})
  const body = { case_queue_id: queueId, enabled: true }
  assert.equal((await team.call(`POST /v2/agents/${agentId}/case-triggers`, { body })).status, 201)
  return agentId
}

const activeRuns = (queueId: string) => sql<{ id: string }>`
  select id from runs where case_queue_id = ${queueId} and status in ('pending', 'running', 'waiting') order by id`

proves('queues.create', 'a queue is made with a name of its own, empty, and its name is taken then', async () => {
  const team = await seedTeam(service)
  const { status, body } = await team.call('POST /v2/teams/:teamId/queues', { body: { name: 'Refunds' } })
  assert.equal(status, 201)
  const { id, created_at, updated_at, ...rest } = body.queue
  assert.equal(body.queue_id, id)
  assert.equal(created_at, updated_at)
  assert.deepEqual(rest, {
    team_id: team.id,
    name: 'Refunds',
    description: null,
    concurrency: null,
    counts: { pending: 0, in_progress: 0, needs_input: 0, postponed: 0, completed: 0, failed: 0 },
  })
  const again = await team.call('POST /v2/teams/:teamId/queues', { body: { name: 'Refunds' } })
  assert.equal(again.status, 409)
  assert.equal(again.body.error, 'duplicate_name')
  const other = await seedTeam(service)
  assert.equal((await other.call('POST /v2/teams/:teamId/queues', { body: { name: 'Refunds' } })).status, 201)
  for (const concurrency of [0, -1, 1.5, '3']) {
    const refused = await team.call('POST /v2/teams/:teamId/queues', { body: { name: 'More', concurrency } })
    assert.equal(refused.status, 400, String(concurrency))
    assert.match(refused.body.message, /concurrency/)
  }
})

proves('queues.update', 'only the given fields of a queue change, and a taken name is refused', async () => {
  const team = await seedTeam(service)
  await newQueue(team, { name: 'Taken' })
  const queueId = await newQueue(team, { name: 'Mine', description: 'Of mail', concurrency: 4 })
  const change = async (body: object) => (await team.call(`PATCH /v2/queues/${queueId}`, { body })).body
  assert.equal((await change({ name: 'Ours' })).queue.description, 'Of mail')
  assert.equal((await change({ concurrency: null, description: null })).queue.concurrency, null)
  const { queue } = await change({})
  assert.deepEqual([queue.name, queue.description, queue.concurrency], ['Ours', null, null])
  assert.equal((await change({ name: 'Taken' })).error, 'duplicate_name')
  assert.equal((await change({ name: 'Ours' })).queue.name, 'Ours')
})

proves(
  'queues.list',
  'queues are listed oldest first, in pages, with exact counts before and after a fold',
  async () => {
    const team = await seedTeam(service)
    const ids = [await newQueue(team), await newQueue(team), await newQueue(team)]
    const cases = await addCases(team, ids[1]!, 5)
    await sql`
    update cases set display_status = 'in_progress', claimed_at = now(), claimed_by_user_id = ${team.memberId}
    where id = any(${cases.slice(0, 2)}::uuid[]) and team_id = ${team.id}`
    await sql`update cases set display_status = 'failed' where id = ${cases[4]} and team_id = ${team.id}`
    for (const fold of [false, true]) {
      if (fold) await foldCounts(service.context.db.sql)
      const { body } = await team.call('GET /v2/teams/:teamId/queues?limit=2&offset=1')
      assert.deepEqual(
        body.queues.map(({ id }: { id: string }) => id),
        ids.slice(1),
      )
      assert.deepEqual([body.total, body.limit, body.offset], [3, 2, 1])
      const counts = { pending: 2, in_progress: 2, needs_input: 0, postponed: 0, completed: 0, failed: 1 }
      assert.deepEqual(body.queues[0].counts, counts)
      assert.deepEqual((await team.call(`GET /v2/queues/${ids[1]}`)).body.queue.counts, counts)
    }
    assert.equal((await team.call('GET /v2/teams/:teamId/queues')).body.limit, 100)
    assert.equal((await team.call('GET /v2/teams/:teamId/queues?limit=251')).status, 400)
  },
)

proves('queues.foldedWhenRead', 'a reader who finds counts in very many pieces has them folded', async () => {
  const team = await seedTeam(service)
  const queueId = await newQueue(team)
  await sql`insert into case_counts select ${queueId}, 'pending', 0, case when n % 2 = 0 then 1 else -1 end from generate_series(1, 6000) n`
  await addCases(team, queueId, 3)
  assert.equal((await team.call(`GET /v2/queues/${queueId}`)).body.queue.counts.pending, 3)
  await service.drain()
  assert.deepEqual(await sql`select display_status, cases from case_counts where queue_id = ${queueId}`, [
    { display_status: 'pending', cases: 3 },
  ])
})

proves(
  'queues.delete',
  'a deleted queue is gone at once with its cases, its active runs are stopped, and a job erases what is left',
  async () => {
    const team = await seedTeam(service)
    const queueId = await newQueue(team, { name: 'Short-lived' })
    const agentId = await agentThatAsks(team, queueId)
    const cases = await addCases(team, queueId, 1200)
    const labelled = await team.call(`POST /v2/queues/${queueId}/cases/${cases[0]}/labels`, {
      body: { labels: [{ key: 'region', value: 'eu' }] },
    })
    assert.equal(labelled.status, 200, labelled.text)
    const given = await dispatchQueue(service.context, queueId)
    assert.ok(given > 0)
    await drainRuns(service)
    const active = (await activeRuns(queueId)).map(({ id }) => id)
    assert.equal(active.length, given)

    const { status, body } = await team.call(`DELETE /v2/queues/${queueId}`)
    assert.equal(status, 200)
    assert.equal(body.deleted_case_count, 1200)
    assert.deepEqual(body.stopped_run_ids.toSorted(), active)
    assert.equal((await readRun(team, active[0]!)).status, 'stopped')
    assert.equal((await team.call(`GET /v2/queues/${queueId}`)).status, 404)
    assert.equal((await team.call(`GET /v2/queues/${queueId}/cases/${cases[0]}/labels`)).status, 404)
    assert.deepEqual(await caseResource.find(sql, cases[0]!, team.id, { member_id: team.memberId } as Caller), [])
    assert.deepEqual(await sql`select id from case_triggers where agent_id = ${agentId}`, [])
    await newQueue(team, { name: 'Short-lived' })

    await service.drain()
    await foldCounts(service.context.db.sql)
    const [left] = await sql`
    select (select count(*) from cases where queue_id = ${queueId}) as cases,
      (select count(*) from labels where queue_id = ${queueId}) as labels,
      (select count(*) from case_labels where case_id = any(${cases}::uuid[])) as links,
      (select count(*) from case_events where case_id = any(${cases}::uuid[])) as events,
      (select count(*) from case_counts where queue_id = ${queueId}) as counts`
    assert.deepEqual(left, { cases: 0, labels: 0, links: 0, events: 0, counts: 0 })
  },
)

proves(
  'queues.deleteWhileGivenOut',
  'a queue that is deleted while its cases are given out leaves no run that works for it',
  async () => {
    const team = await seedTeam(service)
    for (let round = 0; round < 10; round++) {
      const queueId = await newQueue(team)
      await agentThatAsks(team, queueId)
      await addCases(team, queueId, 3)
      const before = await dispatchQueue(service.context, queueId)
      await addCases(team, queueId, 3)
      const [deleted, meanwhile] = await Promise.all([
        team.call(`DELETE /v2/queues/${queueId}`),
        dispatchQueue(service.context, queueId),
      ])
      assert.equal(deleted.status, 200, deleted.text)
      assert.equal(deleted.body.stopped_run_ids.length, before + meanwhile)
      assert.deepEqual(await activeRuns(queueId), [])
    }
  },
)

proves(
  'queues.deleteWhileFilled',
  'cases that are added while their queue is deleted are deleted with it and counted, or refused',
  async () => {
    const team = await seedTeam(service)
    for (let round = 0; round < 5; round++) {
      const queueId = await newQueue(team)
      const cases = [{ title: 'One', labels: [{ key: '', value: 'new' }] }, { title: 'Two' }]
      const adding = Array.from({ length: 6 }, () => team.call(`POST /v2/queues/${queueId}/cases`, { body: { cases } }))
      const deleted = await team.call(`DELETE /v2/queues/${queueId}`)
      const answers = await Promise.all(adding)
      const added = answers.filter(({ status }) => status === 201)
      assert.equal(deleted.body.deleted_case_count, added.length * 2)
      assert.ok(answers.every(({ status }) => status === 201 || status === 404))
      await service.drain()
      assert.deepEqual(await sql`select id from cases where queue_id = ${queueId}`, [])
      assert.deepEqual(await sql`select id from labels where queue_id = ${queueId}`, [])
    }
  },
)

proves('queues.deleteBeside', 'a deleted queue is erased whole also while others delete some of it', async () => {
  const team = await seedTeam(service)
  const queueId = await newQueue(team)
  const signal = new AbortController().signal
  const call = { input: { team_id: team.id, queue_id: queueId }, context: service.context, sql, signal }
  /** Deletes what is erased first, and commits when the job waits for that. */
  async function eraseBeside(deleteFirst: (other: Sql) => Promise<unknown>): Promise<void> {
    let erased = Promise.resolve()
    await service.context.db.transaction(async (other) => {
      const [me] = await other<{ pid: number }>`select pg_backend_pid() as pid`
      await deleteFirst(other)
      erased = eraseQueue.handler(call)
      const waiting = () => sql`select from pg_stat_activity where ${me!.pid}::int = any(pg_blocking_pids(pid))`
      while ((await waiting()).length === 0) await turn()
    })
    await erased
  }
  await addCases(team, queueId, 1001)
  await eraseBeside(
    (other) => other`
      delete from cases where id = any(array(
        select id from cases where queue_id = ${queueId} and team_id = ${team.id} order by created_at, id limit 1000))`,
  )
  assert.deepEqual(await sql`select id from cases where queue_id = ${queueId}`, [])
  await sql`
    insert into labels (id, team_id, queue_id, key, value, color_hue)
    select new_id(), ${team.id}, ${queueId}, 'number', n::text, 0 from generate_series(1, 5001) n`
  await eraseBeside(
    (other) => other`
      delete from labels where id = any(array(
        select id from labels where queue_id = ${queueId} and team_id = ${team.id} limit 5000))`,
  )
  assert.deepEqual(await sql`select id from labels where queue_id = ${queueId}`, [])
})

proves('queues.agents', 'a queue tells who fills it, who works it, and what is odd about that', async () => {
  const team = await seedTeam(service)
  const queueId = await newQueue(team, { name: 'Big refunds' })
  const agents = async () => (await team.call(`GET /v2/queues/${queueId}/agents`)).body
  assert.deepEqual(await agents(), { queue_name: 'Big refunds', producers: [], consumers: [], problems: [] })

  const byBlock = await seedAgent(team, '```case create queue="Big refunds" title="One"\nSee the mail.\n```')
  await seedAgent(team, 'Not a block: queue="Big refunds".\n\n```case create queue=Refunds title="One"\nSee.\n```')
  const consumer = await agentThatAsks(team, queueId)
  const started = await team.call('POST /v2/teams/:teamId/runs', { body: { agent_id: consumer } })
  await addCases(team, queueId, 2, started.body.run_id)
  const { producers, consumers, problems } = await agents()
  const told = new Map(producers.map((one: { id: string }) => [one.id, one]))
  assert.deepEqual(told.get(byBlock), { id: byBlock, name: 'Tested', cases_made: 0, in_procedure: true })
  assert.deepEqual(told.get(consumer), { id: consumer, name: 'Tested', cases_made: 2, in_procedure: false })
  assert.equal(producers.length, 2)
  assert.deepEqual(
    consumers.map(({ id, enabled }: { id: string; enabled: boolean }) => [id, enabled]),
    [[consumer, true]],
  )
  assert.deepEqual(problems, ['producer_consumer_mix'])

  await agentThatAsks(team, queueId)
  assert.deepEqual((await agents()).problems, ['multiple_triggers', 'producer_consumer_mix'])
})
