// One case: its timeline, what may be changed of it, its end, the runs that worked on it and what they said last.
import assert from 'node:assert/strict'
import { drainRuns, readRun, seedAgent, startRun } from '../../../../test/kit/runs.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { newId } from '../../../base/ids.ts'
import { dispatchQueue } from '../dispatch/dispatch.ts'
import { moveCases } from './moveCases.ts'
import { proves } from '../../../../test/kit/proves.ts'

const service = await testApp()
const team = await seedTeam(service)

async function newQueue(): Promise<string> {
  const id = newId()
  await team.sql`insert into queues (id, team_id, name) values (${id}, ${team.id}, ${`Queue ${id}`})`
  return id
}

async function newCase(queueId: string, fields: Record<string, unknown> = {}): Promise<string> {
  const body = { case: { title: 'Invoice 4711', ...fields } }
  return (await team.call(`POST /v2/queues/${queueId}/cases`, { body })).body.added_cases[0].id
}

/** A case with a run that waits for a person. */
async function caseWithRun(): Promise<{ caseId: string; runId: string }> {
  const queueId = await newQueue()
  const caseId = await newCase(queueId)
  const agentId = await seedAgent(team, '```approve\nPay it?\n```\n')
  await team.sql`
    insert into case_triggers (id, team_id, agent_id, queue_id, enabled) values (${newId()}, ${team.id}, ${agentId}, ${queueId}, true)`
  assert.equal(await dispatchQueue(service.context, queueId), 1)
  const { runs } = (await team.call(`GET /v2/cases/${caseId}/runs`)).body
  assert.equal(runs.length, 1)
  return { caseId, runId: runs[0].id }
}

const timelineOf = async (caseId: string) => (await team.call(`GET /v2/cases/${caseId}`)).body.events

proves(
  'cases.timeline',
  'the timeline tells who did what, when and why, oldest first, and of a long one the last 500',
  async () => {
    const caseId = await newCase(await newQueue())
    const by = { user_id: team.memberId }
    const postponed_to = new Date(Date.now() + 60_000)
    await moveCases(team.sql, [{ case_id: caseId, team_id: team.id, by, type: 'claimed' }])
    await moveCases(team.sql, [
      { case_id: caseId, team_id: team.id, by, type: 'postponed', reason: 'No stock.', postponed_to },
    ])
    const events = await timelineOf(caseId)
    assert.deepEqual(
      events.map(({ type, user_id, run_id, reason }: Record<string, unknown>) => ({ type, user_id, run_id, reason })),
      [
        { type: 'created', user_id: team.memberId, run_id: null, reason: null },
        { type: 'claimed', user_id: team.memberId, run_id: null, reason: null },
        { type: 'postponed', user_id: team.memberId, run_id: null, reason: 'No stock.' },
      ],
    )
    assert.ok(events[0].created_at <= events[2].created_at)
    await team.sql`
    insert into case_events (id, team_id, case_id, type, reason, created_at)
    select new_id(), ${team.id}, ${caseId}, 'updated', n::text, now() + n * interval '1 second' from generate_series(1, 600) n`
    const last = await timelineOf(caseId)
    assert.deepEqual([last.length, last[0].reason, last[499].reason], [500, '101', '600'])
  },
)

proves(
  'cases.update',
  'title, data and priority can be changed in any state, and the timeline says which were',
  async () => {
    const caseId = await newCase(await newQueue(), { data: 'green' })
    await moveCases(team.sql, [
      { case_id: caseId, team_id: team.id, by: { user_id: team.memberId }, type: 'completed', result: 1 },
    ])
    const changed = await team.call(`PATCH /v2/cases/${caseId}`, {
      body: { title: 'Invoice 4712', priority: 'high', data: 'green' },
    })
    assert.equal(changed.status, 200, changed.text)
    const { title, priority, data, display_status, result } = changed.body.case
    assert.deepEqual([title, priority, data, display_status, result], ['Invoice 4712', 'high', 'green', 'completed', 1])
    // what is so already leaves no trace, and a state is not taken from a body
    const same = await team.call(`PATCH /v2/cases/${caseId}`, {
      body: { title: 'Invoice 4712', display_status: 'pending' },
    })
    assert.deepEqual(same.body, changed.body)
    const events = await timelineOf(caseId)
    assert.deepEqual(
      events.map(({ type, reason }: { type: string; reason: string | null }) => [type, reason]),
      [
        ['created', null],
        ['completed', null],
        ['updated', 'Changed title, priority.'],
      ],
    )
    for (const body of [{ title: '' }, { data: {} }, { data: 'ü'.repeat(128 * 1024 + 1) }, { priority: 'low' }]) {
      assert.equal((await team.call(`PATCH /v2/cases/${caseId}`, { body })).status, 400)
    }
  },
)

proves(
  'cases.delete',
  'a deleted case is gone with its labels, words and timeline, and the counts know it',
  async () => {
    const queueId = await newQueue()
    const caseId = await newCase(queueId, { labels: [{ key: 'region', value: 'north' }] })
    const deleted = await team.call(`DELETE /v2/cases/${caseId}`)
    assert.deepEqual([deleted.status, deleted.body], [200, { success: true, stopped_run_ids: [] }])
    assert.equal((await team.call(`GET /v2/cases/${caseId}`)).status, 404)
    assert.equal((await team.call(`DELETE /v2/cases/${caseId}`)).status, 404)
    const [left] = await team.sql`
    select (select count(*) from case_labels where case_id = ${caseId}) as links,
      (select count(*) from case_search where case_id = ${caseId}) as words,
      (select count(*) from case_events where case_id = ${caseId}) as events,
      (select sum(cases)::int from case_counts where queue_id = ${queueId}) as cases,
      (select sum(n.cases)::int from label_counts n join labels l on l.id = n.label_id where l.queue_id = ${queueId}) as labelled`
    assert.deepEqual(left, { links: 0, words: 0, events: 0, cases: 0, labelled: 0 })
  },
)

proves('cases.deleteStopsRun', 'the run of a deleted case is stopped and stays readable', async () => {
  const { caseId, runId } = await caseWithRun()
  await drainRuns(service)
  const deleted = await team.call(`DELETE /v2/cases/${caseId}`)
  assert.deepEqual(deleted.body, { success: true, stopped_run_ids: [runId] })
  const run = await readRun(team, runId)
  assert.deepEqual([run.status, run.case_id, run.case_title], ['stopped', caseId, 'Invoice 4711'])
  assert.equal((await team.call(`GET /v2/cases/${caseId}`)).status, 404)
})

proves('cases.runs', 'the runs of a case are listed as runs are, the newest first', async () => {
  const { caseId, runId } = await caseWithRun()
  const again = await startRun(team, (await readRun(team, runId)).agent_id)
  await team.sql`update runs set case_id = ${caseId}, created_at = now() + interval '1 second' where id = ${again} and team_id = ${team.id}`
  const { status, body } = await team.call(`GET /v2/cases/${caseId}/runs`)
  assert.equal(status, 200)
  assert.deepEqual(body.runs, [await readRun(team, again), await readRun(team, runId)])
  assert.deepEqual((await team.call(`GET /v2/cases/${await newCase(await newQueue())}/runs`)).body, { runs: [] })
})

proves(
  'cases.recentMessages',
  'the last messages of a run of the case are given, the newest last, and of no other run',
  async () => {
    const { caseId, runId } = await caseWithRun()
    await team.sql`
    insert into run_messages (run_id, seq, id, turn, type, role, text_content, "timestamp")
    select ${runId}, n, new_id(), 0, 'text', 'assistant', 'said ' || n, now() from generate_series(100, 130) n`
    const recent = (query: string, ofCase = caseId) =>
      team.call(`GET /v2/cases/${ofCase}/runs/${runId}/recent-messages${query}`)
    const texts = (await recent('?limit=3')).body.messages.map((one: { text_content: string }) => one.text_content)
    assert.deepEqual(texts, ['said 128', 'said 129', 'said 130'])
    assert.equal((await recent('')).body.messages.length, 10)
    for (const query of ['?limit=0', '?limit=11']) assert.equal((await recent(query)).status, 400)
    assert.equal((await recent('', await newCase(await newQueue()))).status, 404)
    const foreign = await startRun(team, (await readRun(team, runId)).agent_id)
    assert.equal((await team.call(`GET /v2/cases/${caseId}/runs/${foreign}/recent-messages`)).status, 404)
  },
)

const random = (many: number): number => Math.floor(Math.random() * many)

proves(
  'cases.labelCounts',
  'the counts of a label stay exact while cases move, get and lose it, change and go, all at once',
  async () => {
    const queueId = await newQueue()
    const labels = [{ key: 'region', value: 'north' }]
    const cases = Array.from({ length: 40 }, (_, n) => ({ title: `Order ${n}`, ...(n % 2 === 0 && { labels }) }))
    const made = (await team.call(`POST /v2/queues/${queueId}/cases`, { body: { cases } })).body.added_cases
    const [label] = await team.sql<{ id: string }>`select id from labels where queue_id = ${queueId}`
    const changes: ((id: string) => Promise<unknown>)[] = [
      (id) => team.sql`update cases set display_status = 'completed', updated_at = now() where id = ${id}`,
      (id) => team.sql`update cases set display_status = 'pending', priority = ${random(3)} where id = ${id}`,
      (id) => team.sql`
      with locked as materialized (select id, created_at from cases where id = ${id} for no key update)
      insert into case_labels (case_id, label_id, created_at) select id, ${label!.id}, created_at from locked on conflict do nothing`,
      (id) => team.sql`
      with locked as materialized (select id from cases where id = ${id} for no key update)
      delete from case_labels where case_id = any(array(select id from locked))`,
      (id) => (random(20) === 0 ? team.sql`delete from cases where id = ${id}` : Promise.resolve()),
    ]
    const writer = async () => {
      for (let n = 0; n < 40; n++) await changes[random(changes.length)]!(made[random(8) * 5].id)
    }
    await Promise.all(Array.from({ length: 12 }, writer))
    const counted = await team.sql`
    select display_status, priority, sum(cases)::int as cases from label_counts where label_id = ${label!.id}
    group by 1, 2 having sum(cases) <> 0 order by 1, 2`
    const there = await team.sql`
    select c.display_status, c.priority, count(*)::int as cases from case_labels l join cases c on c.id = l.case_id
    where l.label_id = ${label!.id} group by 1, 2 order by 1, 2`
    assert.deepEqual(counted, there)
    const orphans =
      await team.sql`select from case_labels l where not exists (select from cases c where c.id = l.case_id)`
    assert.equal(orphans.length, 0)
  },
)
