// Case triggers as callers see them: one an agent, on any queue of the team, with the agents that share its cases.
import assert from 'node:assert/strict'
import { newId } from '../../../base/ids.ts'
import { seeders, seedTeam, type TestTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { dispatchQueue } from './dispatch.ts'
import { proves } from '../../../../test/kit/proves.ts'

const service = await testApp()
const { sql } = service.context.db

async function newQueue(team: TestTeam, name = `Queue ${newId()}`): Promise<string> {
  return (await team.call('POST /v2/teams/:teamId/queues', { body: { name } })).body.queue_id
}

const newAgent = (team: TestTeam): Promise<string> => seeders['agent']!(team, {})

const make = (team: TestTeam, agentId: string, body: object) =>
  team.call(`POST /v2/agents/${agentId}/case-triggers`, { body })

async function addCase(team: TestTeam, queueId: string): Promise<void> {
  await sql`insert into cases (id, team_id, queue_id, title, data) values (${newId()}, ${team.id}, ${queueId}, 'Refund', '')`
}

/** Which queues workers are told to look at while this is done, in the order of commits. */
async function toldDuring(work: () => Promise<unknown>): Promise<string[]> {
  const told: string[] = []
  const stop = service.context.listener.on('case_queues', (queueId) => told.push(queueId))
  await heard(newId())
  await work()
  const last = newId()
  await heard(last)
  stop()
  return told.slice(0, told.indexOf(last))
}

/** Called out until it is heard: the listening connection is made in the background. What was called before it is heard before it. */
async function heard(word: string): Promise<void> {
  const words = new Set<string>()
  const stop = service.context.listener.on('case_queues', (payload) => words.add(payload))
  while (!words.has(word)) await sql`select pg_notify('case_queues', ${word})`
  stop()
}

proves('caseTriggers.create', 'an agent has one case trigger, on a queue of its team', async () => {
  const team = await seedTeam(service)
  const agentId = await newAgent(team)
  const queueId = await newQueue(team, 'Refunds')
  assert.deepEqual((await team.call(`GET /v2/agents/${agentId}/case-triggers`)).body, { case_triggers: [] })
  const { status, body } = await make(team, agentId, { case_queue_id: queueId, enabled: false })
  assert.equal(status, 201)
  const { id, created_at, updated_at, ...rest } = body.case_trigger
  assert.equal(body.trigger_id, id)
  assert.equal(created_at, updated_at)
  assert.deepEqual(rest, {
    agent_id: agentId,
    case_queue_id: queueId,
    case_queue_name: 'Refunds',
    user_id: team.memberId,
    enabled: false,
    concurrency: null,
    has_conflict: false,
    conflicting_agents: [],
  })
  const second = await make(team, agentId, { case_queue_id: await newQueue(team), enabled: true })
  assert.deepEqual([second.status, second.body.error], [409, 'case_trigger_exists'])
  assert.deepEqual((await team.call(`GET /v2/agents/${agentId}/case-triggers`)).body.case_triggers, [body.case_trigger])
  assert.deepEqual((await team.call(`GET /v2/agents/${agentId}/case-triggers/${id}`)).body, body)
})

proves(
  'caseTriggers.refused',
  'a queue that is not ours is not found, and a trigger below another agent neither',
  async () => {
    const team = await seedTeam(service)
    const stranger = await seedTeam(service)
    const agentId = await newAgent(team)
    const theirs = await newQueue(stranger)
    for (const case_queue_id of [theirs, newId(), 'no id']) {
      const refused = await make(team, agentId, { case_queue_id, enabled: true })
      assert.equal(refused.status, 404)
      assert.match(refused.body.message, /case_queue_id/)
    }
    const queueId = await newQueue(team)
    const bad = [
      { enabled: true },
      { case_queue_id: queueId },
      { case_queue_id: queueId, enabled: true, concurrency: 0 },
    ]
    for (const body of bad) assert.equal((await make(team, agentId, body)).status, 400, JSON.stringify(body))
    const { trigger_id } = (await make(team, agentId, { case_queue_id: queueId, enabled: true })).body
    const other = await newAgent(team)
    assert.equal((await team.call(`GET /v2/agents/${other}/case-triggers/${trigger_id}`)).status, 404)
    const moved = await team.call(`PATCH /v2/agents/${agentId}/case-triggers/${trigger_id}`, {
      body: { case_queue_id: theirs },
    })
    assert.equal(moved.status, 404)
  },
)

proves('caseTriggers.update', 'a trigger is paused, moved and bounded, and what is not given stays', async () => {
  const team = await seedTeam(service)
  const agentId = await newAgent(team)
  const [first, second] = [await newQueue(team), await newQueue(team, 'Second')]
  const { trigger_id } = (await make(team, agentId, { case_queue_id: first, enabled: true, concurrency: 2 })).body
  const path = `/v2/agents/${agentId}/case-triggers/${trigger_id}`
  const change = async (body: object) => (await team.call(`PATCH ${path}`, { body })).body.case_trigger
  const moved = await change({ case_queue_id: second })
  assert.deepEqual([moved.case_queue_name, moved.enabled, moved.concurrency], ['Second', true, 2])
  await addCase(team, second)
  await change({ enabled: false })
  assert.equal(await dispatchQueue(service.context, second), 0)
  assert.equal((await change({ enabled: true, concurrency: null })).concurrency, null)
  assert.equal(await dispatchQueue(service.context, second), 1)
  assert.deepEqual((await team.call(`DELETE ${path}`)).body, { success: true })
  assert.equal((await team.call(`GET ${path}`)).status, 404)
  await addCase(team, second)
  assert.equal(await dispatchQueue(service.context, second), 0)
})

proves(
  'caseTriggers.conflicts',
  'agents with an enabled trigger on the same queue are listed, before and after',
  async () => {
    const team = await seedTeam(service)
    const queueId = await newQueue(team)
    const [one, two, three] = [await newAgent(team), await newAgent(team), await newAgent(team)]
    await make(team, one, { case_queue_id: queueId, enabled: true })
    await make(team, two, { case_queue_id: queueId, enabled: false })
    const preview = (agentId: string, query: string) =>
      team.call(`GET /v2/agents/${agentId}/case-triggers/conflict-preview${query}`)
    const { name } = (await team.call(`GET /v2/agents/${one}`)).body.agent
    const conflict = { has_conflict: true, conflicting_agents: [{ id: one, name }] }
    const none = { has_conflict: false, conflicting_agents: [] }
    assert.deepEqual((await preview(three, `?case_queue_id=${queueId}`)).body, conflict)
    assert.deepEqual((await preview(one, `?case_queue_id=${queueId}`)).body, none)
    assert.deepEqual((await preview(two, '')).body, conflict)
    assert.deepEqual((await preview(three, '')).body, none)
    for (const id of [newId(), 'none']) assert.deepEqual((await preview(three, `?case_queue_id=${id}`)).body, none)
    const { case_trigger } = (await make(team, three, { case_queue_id: queueId, enabled: true })).body
    assert.deepEqual(case_trigger.conflicting_agents, conflict.conflicting_agents)
    const [ofFirst] = (await team.call(`GET /v2/agents/${one}/case-triggers`)).body.case_triggers
    assert.deepEqual([ofFirst.has_conflict, ofFirst.conflicting_agents.length], [true, 1])
  },
)

proves(
  'caseTriggers.told',
  'workers are notified of a queue whose trigger is enabled, moved to it or given more room',
  async () => {
    const team = await seedTeam(service)
    const agentId = await newAgent(team)
    const [first, second] = [await newQueue(team), await newQueue(team)]
    const told = await toldDuring(async () => {
      const { trigger_id } = (await make(team, agentId, { case_queue_id: first, enabled: false })).body
      const change = (body: object) => team.call(`PATCH /v2/agents/${agentId}/case-triggers/${trigger_id}`, { body })
      await change({ concurrency: 3 })
      await change({ enabled: true })
      await change({ case_queue_id: second })
      await team.call(`PATCH /v2/queues/${second}`, { body: { concurrency: 5 } })
    })
    const ours = new Set([first, second])
    assert.deepEqual(
      told.filter((queueId) => ours.has(queueId)),
      [first, second, second],
    )
  },
)

proves('caseTriggers.agentDeleted', 'a deleted agent has no trigger any more', async () => {
  const team = await seedTeam(service)
  const agentId = await newAgent(team)
  const queueId = await newQueue(team)
  await make(team, agentId, { case_queue_id: queueId, enabled: true })
  await team.call(`DELETE /v2/agents/${agentId}`)
  assert.deepEqual(await sql`select id from case_triggers where queue_id = ${queueId}`, [])
})
