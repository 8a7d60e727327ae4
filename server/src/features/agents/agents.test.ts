// Agents as users meet them: made with a build that can run at once, changed, listed, deleted.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import { feature } from '../../kit/feature.ts'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { procedureTemplate } from './builds/procedureTemplate.ts'
import { proves } from '../../../test/kit/proves.ts'

/** What the deletion hook was told, in the transaction of the deletion. */
const told: { agentId: string; isDeleted: boolean }[] = []
const witness = feature({
  name: 'witness',
  hooks: {
    async agentDeleted({ sql, teamId, agentId }) {
      const [row] = await sql<{ deleted: boolean }>`
        select deleted_at is not null as deleted from agents where id = ${agentId} and team_id = ${teamId}`
      told.push({ agentId, isDeleted: row!.deleted })
      if (agentId === refusedId) throw new Error('the witness objects')
    },
  },
})
let refusedId: string | undefined

const service = await testApp({ features: [witness] })

const withData = (data: object) => ({ version: 'v2', data })

proves('agents.create', 'an agent is made with a first build that is live, and nothing has to be given', async () => {
  const team = await seedTeam(service)
  const { body } = await team.call('POST /v2/teams/:teamId/agents')
  const { agent, build } = body
  assert.deepEqual(
    [agent.name, agent.description, agent.memory_enabled, agent.runs_count, agent.last_run_at],
    ['Untitled agent', null, true, 0, null],
  )
  assert.deepEqual([body.agent_id, body.build_id], [agent.id, build.id])
  assert.equal(agent.live_build_id, build.id)
  assert.deepEqual([agent.created_by, build.created_by], [team.memberId, team.memberId])
  assert.deepEqual(
    [build.status, build.revision_number, build.parent_build_id, build.name],
    ['live', 1, null, 'Untitled agent'],
  )
  assert.notEqual(build.published_at, null)
  assert.deepEqual(build.config, withData({ input: procedureTemplate }))
  assert.equal((await team.call('GET /v2/teams/:teamId')).body.team.agents_count, 1)
  assert.deepEqual((await team.call(`GET /v2/agents/${agent.id}`)).body, { agent, agent_id: agent.id })
})

proves(
  'agents.create',
  'instructions and model become a config, and a whole config is kept as it is, unknown keys included',
  async () => {
    const team = await seedTeam(service)
    const short = await team.call('POST /v2/teams/:teamId/agents', {
      body: { instructions: 'Be kind.', model: 'openai:gpt', description: 'Kind.', memory_enabled: false },
    })
    assert.deepEqual(
      short.body.build.config,
      withData({ input: 'Be kind.', models: { agent: { model: 'openai:gpt' } } }),
    )
    assert.deepEqual([short.body.agent.description, short.body.agent.memory_enabled], ['Kind.', false])
    const config = {
      ...withData({ input: 'Do.', mystery: { __proto__x: [null, 1.5, 'ü'] }, options: {} }),
      extra: true,
    }
    const long = await team.call('POST /v2/teams/:teamId/agents', { body: { name: 'A', build: { name: 'B', config } } })
    assert.deepEqual(long.body.build.config, config)
    assert.equal(long.body.build.name, 'B')
  },
)

proves('agents.create', 'whatever is given without a procedure gets the template', async () => {
  const team = await seedTeam(service)
  const bodies = [
    { model: 'builtin:runbook' },
    { instructions: ' \n' },
    { build: { config: withData({ limits: { max_steps: 5 } }) } },
    { build: { config: withData({ input: null }) } },
    { build: { config: withData({ input: [] }) } },
  ]
  for (const body of bodies) {
    const made = await team.call('POST /v2/teams/:teamId/agents', { body })
    assert.equal(made.body.build.config.data.input, procedureTemplate, JSON.stringify(body))
  }
  const kept = await team.call('POST /v2/teams/:teamId/agents', { body: bodies[2] })
  assert.deepEqual(kept.body.build.config.data.limits, { max_steps: 5 })
})

proves('agents.source', 'an agent can be made as a copy of a build of the team, and of no other', async () => {
  const team = await seedTeam(service)
  const stranger = await seedTeam(service)
  const { body: first } = await team.call('POST /v2/teams/:teamId/agents', { body: { instructions: 'Count.' } })
  const copy = await team.call('POST /v2/teams/:teamId/agents', { body: { source_build_id: first.build_id } })
  assert.deepEqual(copy.body.build.config, first.build.config)
  assert.equal(copy.body.build.parent_build_id, first.build_id)
  const deleted = await team.call('POST /v2/teams/:teamId/agents')
  await team.call(`DELETE /v2/agents/${deleted.body.agent_id}`)
  const foreign = await seeders['build']!(stranger, {})
  for (const source_build_id of [foreign, deleted.body.build_id, newId(), 'no-id', '']) {
    const answer = await team.call('POST /v2/teams/:teamId/agents', { body: { source_build_id } })
    assert.equal(answer.status, 404, source_build_id)
  }
})

proves('agents.oneSource', 'what an agent does is said in one way at a time', async () => {
  const team = await seedTeam(service)
  const build = { config: withData({}) }
  for (const body of [
    { instructions: 'x', build },
    { model: 'builtin:runbook', source_build_id: newId() },
    { build, source_build_id: newId() },
  ]) {
    const answer = await team.call('POST /v2/teams/:teamId/agents', { body })
    assert.equal(answer.status, 400)
    assert.match(answer.body.message, /only one of: instructions with model, build, source_build_id/)
  }
})

proves(
  'agents.list',
  'agents are listed newest first, in pages, with their latest build and, when asked for, their schedules',
  async () => {
    const team = await seedTeam(service)
    const ids: string[] = []
    for (let made = 0; made < 3; made++) ids.unshift(await seeders['agent']!(team, {}))
    const draft = await seeders['build']!(team, { agent: ids[1]! })
    const { body } = await team.call('GET /v2/teams/:teamId/agents?limit=2&offset=0')
    assert.deepEqual(
      body.agents.map(({ id }: { id: string }) => id),
      ids.slice(0, 2),
    )
    assert.deepEqual([body.total, body.limit, body.offset], [3, 2, 0])
    assert.equal(body.agents[0].latest_build.id, body.agents[0].live_build_id)
    assert.deepEqual([body.agents[1].latest_build.id, body.agents[1].latest_build.status], [draft, 'draft'])
    assert.ok(!('schedules' in body.agents[0]))
    const withSchedules = await team.call('GET /v2/teams/:teamId/agents?include_schedules=true')
    assert.deepEqual(withSchedules.body.agents[2].schedules, [])
  },
)

proves('agents.search', 'agents are found by words in name and description, in the pages of the list', async () => {
  const team = await seedTeam(service)
  const make = async (body: object) => (await team.call('POST /v2/teams/:teamId/agents', { body })).body.agent_id
  const refunds = await make({ name: 'Refund desk', description: 'Decides about damaged orders.' })
  const orders = await make({ name: 'ORDER intake' })
  await make({ name: 'Night report' })
  const found = async (search: string, rest = '') => {
    const query = `search=${encodeURIComponent(search)}${rest}`
    const { body } = await team.call(`GET /v2/teams/:teamId/agent-search?${query}`)
    return [body.total, body.agents.map(({ id }: { id: string }) => id)]
  }
  assert.deepEqual(await found('order'), [2, [orders, refunds]])
  assert.deepEqual(await found('order', '&limit=1&offset=1'), [2, [refunds]])
  assert.deepEqual(await found('desk  DAMAGED'), [1, [refunds]])
  assert.deepEqual(await found('%'), [0, []])
  const { body } = await team.call('GET /v2/teams/:teamId/agent-search?search=night')
  assert.equal(body.agents[0].latest_build.id, body.agents[0].live_build_id)
})

proves('agents.update', 'name, description and memory are changed one by one', async () => {
  const team = await seedTeam(service)
  const id = await seeders['agent']!(team, {})
  await team.call(`PATCH /v2/agents/${id}`, { body: { description: 'Counts.', memory_enabled: false } })
  const { body } = await team.call(`PATCH /v2/agents/${id}`, { body: { name: 'Counter' } })
  assert.deepEqual([body.agent.name, body.agent.description, body.agent.memory_enabled], ['Counter', 'Counts.', false])
  const cleared = await team.call(`PATCH /v2/agents/${id}`, { body: { description: null } })
  assert.equal(cleared.body.agent.description, null)
})

proves(
  'agents.delete',
  'a deleted agent and its builds are gone for everyone, and the hooks of other features run in the same transaction',
  async () => {
    const team = await seedTeam(service)
    const id = await seeders['agent']!(team, {})
    const draft = await seeders['build']!(team, { agent: id })
    assert.deepEqual((await team.call(`DELETE /v2/agents/${id}`)).body, { success: true })
    assert.deepEqual(
      told.filter(({ agentId }) => agentId === id),
      [{ agentId: id, isDeleted: true }],
    )
    for (const route of [
      `GET /v2/agents/${id}`,
      `PATCH /v2/agents/${id}`,
      `DELETE /v2/agents/${id}`,
      `GET /v2/agents/${id}/revisions`,
      `POST /v2/agents/${id}/revisions`,
      `GET /v2/agents/${id}/revisions/${draft}`,
      `GET /v2/agents/${id}/revisions/${draft}/diff`,
      `PATCH /v2/revisions/${draft}`,
      `POST /v2/revisions/${draft}/promote`,
    ]) {
      assert.equal((await team.call(route)).status, 404, route)
    }
    assert.equal((await team.call('GET /v2/teams/:teamId/agents')).body.total, 0)
    assert.equal((await team.call('GET /v2/teams/:teamId')).body.team.agents_count, 0)
    const kept = await service.context.db.sql<{ name: string }>`select name from agents where id = ${id}`
    assert.equal(kept.length, 1)
  },
)

proves('agents.delete', 'a deletion that somebody objects to has not happened', async () => {
  const team = await seedTeam(service)
  refusedId = await seeders['agent']!(team, {})
  assert.equal((await team.call(`DELETE /v2/agents/${refusedId}`)).status, 500)
  assert.equal((await team.call(`GET /v2/agents/${refusedId}`)).status, 200)
})
