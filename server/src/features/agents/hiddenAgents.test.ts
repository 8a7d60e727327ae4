// Hidden agents: other features run work by them, and no caller meets them.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import { hiddenAgentsOf } from '../../kit/registry.ts'
import { configOf, seedArtifact, seedHiddenAgent, startArtifactRun } from '../../../test/kit/artifactRuns.ts'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, seedAgent } from '../../../test/kit/runs.ts'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'

const service = await testApp()
const { db } = service.context
const hidden = hiddenAgentsOf(service.context)

const outputs = (value: object) => `\`\`\`output\n${JSON.stringify(value)}\n\`\`\``
const make = (team: TestTeam) => seedHiddenAgent(service, team, [configOf(outputs({ made: 1 })), configOf('Wait.')])

proves('agents.hidden', 'no operation finds a hidden agent or its builds, and no count contains it', async () => {
  const team = await seedTeam(service)
  const shown = await seedAgent(team, outputs({}))
  const { agentId, buildIds } = await make(team)
  const { body: list } = await team.call('GET /v2/teams/:teamId/agents')
  assert.deepEqual([list.total, list.agents.map(({ id }: { id: string }) => id)], [1, [shown]])
  assert.equal((await team.call('GET /v2/teams/:teamId')).body.team.agents_count, 1)
  const used = await team.call('GET /v2/teams/:teamId/billing/entitlements')
  const agents = used.body.entitlements.find(({ key }: { key: string }) => key === 'agents')
  assert.equal(agents.used, 1, used.text)

  const queue = await seeders.queue!(team, {})
  const asked: [route: string, body?: object][] = [
    ['GET /v2/agents/{agent}'],
    ['PATCH /v2/agents/{agent}', { name: 'Mine' }],
    ['DELETE /v2/agents/{agent}'],
    ['GET /v2/agents/{agent}/revisions'],
    ['POST /v2/agents/{agent}/revisions', {}],
    ['POST /v2/agents/{agent}/schedules', { frequency: 'daily', time: '09:00' }],
    ['POST /v2/agents/{agent}/case-triggers', { case_queue_id: queue }],
    ['GET /v2/agents/{agent}/memory/files'],
    ['GET /v2/agents/{agent}/revisions/{build}'],
    ['PATCH /v2/revisions/{build}', { config: configOf('Mine') }],
    ['POST /v2/revisions/{build}/promote', {}],
    ['POST /v2/teams/:teamId/runs', { agent_id: '{agent}' }],
    ['POST /v2/teams/:teamId/runs', { agent_id: '{agent}', build_id: '{build}' }],
    ['POST /v2/teams/:teamId/agents', { source_build_id: '{build}' }],
    [`POST /v2/queues/${queue}/cases/bulk-reprocess`, { all_matching: true, agent_id: '{agent}' }],
  ]
  const said = async ([route, body]: (typeof asked)[number], ids: { agent: string; build: string }) => {
    const named = (text: string) => text.replaceAll('{agent}', ids.agent).replaceAll('{build}', ids.build)
    const answer = await team.call(
      named(route),
      body === undefined ? {} : { body: JSON.parse(named(JSON.stringify(body))) },
    )
    return { status: answer.status, error: answer.body.error }
  }
  for (const each of asked) {
    const unknown = await said(each, { agent: newId(), build: newId() })
    assert.equal(unknown.status, 404, each[0])
    assert.deepEqual(await said(each, { agent: agentId, build: buildIds[0]! }), unknown, each[0])
  }
  const config = { version: 'v2', data: { input: outputs({}), plugins: ['agents'], subAgents: [agentId] } }
  const named = await team.call('POST /v2/teams/:teamId/agents', { body: { build: { config } } })
  assert.equal(named.status, 400, named.text)
})

proves('agents.hidden', 'its drafts run, get other configs and names, and end with it', async () => {
  const team = await seedTeam(service)
  const { agentId, buildIds } = await seedArtifact(service, team, { config: configOf(outputs({ made: 1 })) })
  const [buildId] = buildIds as [string]
  const first = await startArtifactRun(service, team, { agentId, buildIds })
  await db.transaction((sql) =>
    hidden.configure({ sql, teamId: team.id, buildId, config: configOf(outputs({ made: 2 })), by: team.memberId }),
  )
  const second = await startArtifactRun(service, team, { agentId, buildIds })
  await drainRuns(service)
  const made = await db.sql<{ output: unknown }>`
    select output from runs where id = any(${[first, second]}::uuid[]) order by run_number`
  assert.deepEqual(
    made.map(({ output }) => output),
    [{ made: 1 }, { made: 2 }],
  )
  await db.transaction((sql) => hidden.rename({ sql, teamId: team.id, agentId, name: 'Sales' }))
  const { body } = await team.call(`GET /v2/runs/${first}`)
  assert.deepEqual([body.run.agent_name, body.run.source], ['Sales', 'artifact'])

  const remove = () =>
    db.transaction((sql) => hidden.remove({ sql, context: service.context, teamId: team.id, agentId }))
  await remove()
  await remove()
  const [gone] = await db.sql<{ is_gone: boolean }>`
    select deleted_at is not null as is_gone from agents where id = ${agentId}`
  assert.equal(gone?.is_gone, true)
})

proves('agents.hidden', 'only drafts of hidden agents of the team are changed this way', async () => {
  const [team, other] = [await seedTeam(service), await seedTeam(service)]
  const { buildIds } = await make(other)
  const agentId = await seedAgent(team, outputs({}))
  const [live] = await db.sql<{ id: string }>`select id from builds where agent_id = ${agentId}`
  const configure = (buildId: string) =>
    db.transaction((sql) =>
      hidden.configure({ sql, teamId: team.id, buildId, config: configOf('x'), by: team.memberId }),
    )
  await assert.rejects(configure(live!.id), /is not a draft of a hidden agent/)
  await assert.rejects(configure(buildIds[0]!))
  await assert.rejects(db.transaction((sql) => hidden.rename({ sql, teamId: team.id, agentId, name: 'Renamed' })))
})

proves('agents.hidden', 'a run of an artifact also acts on behalf of whoever wrote its config', async () => {
  const team = await seedTeam(service)
  const { agentId, buildIds } = await make(team)
  const [buildId] = buildIds as [string]
  const writer = await seeders.member!(team, {})
  await db.transaction((sql) =>
    hidden.configure({ sql, teamId: team.id, buildId, config: configOf(outputs({})), by: writer }),
  )
  const id = await startArtifactRun(service, team, { agentId, buildIds })
  const [run] = await db.sql<{ acts_for: string[] }>`select acts_for from runs where id = ${id}`
  assert.deepEqual(run?.acts_for, [team.memberId, writer])
})
