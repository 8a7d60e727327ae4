// One run with everything around it.
import assert from 'node:assert/strict'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { insertRun } from '../../../test/kit/seedRuns.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const team = await seedTeam(service)
const { body: made } = await team.call('POST /v2/teams/:teamId/agents', { body: { name: 'Triage' } })
const ofAgent = { team_id: team.id, agent_id: made.agent_id as string, build_id: made.build_id as string }

proves('runs.detail', 'it comes with agent, build, totals, human requests, sub-runs and callback', async () => {
  const id = await insertRun(team.sql, {
    ...ofAgent,
    status: 'waiting',
    waiting_on: { kind: 'human', since: new Date(), detail: {} },
    message_seq: 7,
    callback_url: 'https://example.com/hook',
  })
  const subId = await insertRun(team.sql, { ...ofAgent, status: 'running', title: 'Below', parent_run_id: id })
  await insertRun(team.sql, { ...ofAgent, status: 'running', title: 'Elsewhere' })
  const requestIds = [newId(), newId()]
  await team.sql`
    insert into human_requests (id, team_id, run_id, step, type, title, status, created_at) values
      (${requestIds[0]}, ${team.id}, ${id}, 1, 'question', 'First?', 'responded', now() - interval '1 hour'),
      (${requestIds[1]}, ${team.id}, ${id}, 2, 'approval', 'Second?', 'pending', now())`
  const sandboxId = newId()
  await team.sql`insert into sandboxes (id, team_id, run_id) values (${sandboxId}, ${team.id}, ${id})`
  await team.sql`insert into blobs (id, sha256, size_bytes) values (${newId()}, decode(repeat('ab', 32), 'hex'), 1)`
  await team.sql`
    insert into workspace_files (id, team_id, sandbox_id, path, sha256, size_bytes, from_step, until_step)
    select gen_random_uuid(), ${team.id}, ${sandboxId}, '/workspace/' || n, decode(repeat('ab', 32), 'hex'), 1, 1, case when n = 1 then 2 end
    from generate_series(1, 3) n`
  const { body } = await team.call(`GET /v2/agent/${made.agent_id}/runs/${id}`)
  const { body: plain } = await team.call(`GET /v2/runs/${id}`)
  assert.deepEqual(body.run, plain.run)
  assert.deepEqual([body.run_id, body.status], [id, 'waiting'])
  assert.deepEqual(
    [body.agent.id, body.agent.name, body.build.id, body.build.status],
    [made.agent_id, 'Triage', made.build_id, 'live'],
  )
  assert.deepEqual([body.messages_total, body.files_total, body.screenshots_total], [7, 2, 0])
  assert.deepEqual(
    body.human_requests.map((request: { id: string }) => request.id),
    requestIds,
  )
  assert.equal(body.pending_human_request.id, requestIds[1])
  const [sub] = body.sub_runs
  assert.deepEqual([body.sub_runs.length, sub.id, sub.status, sub.title], [1, subId, 'running', 'Below'])
  assert.deepEqual(sub.agent, { id: made.agent_id, name: 'Triage' })
  assert.equal(body.callback.url, 'https://example.com/hook')
  assert.ok(body.callback.events.includes('run.completed'))
})

proves(
  'runs.detailParent',
  'below another agent it is a 404, also below one that was deleted, and by itself it stays readable',
  async () => {
    const other = await seeders['agent']!(team, {})
    const gone = await seeders['agent']!(team, {})
    const id = await insertRun(team.sql, { ...ofAgent, agent_id: gone, status: 'completed', completed_at: new Date() })
    assert.equal((await team.call(`GET /v2/agent/${gone}/runs/${id}`)).status, 200)
    assert.equal((await team.call(`GET /v2/agent/${other}/runs/${id}`)).status, 404)
    await team.call(`DELETE /v2/agents/${gone}`)
    for (const path of ['', '/workflow-execution-report']) {
      assert.equal((await team.call(`GET /v2/agent/${gone}/runs/${id}${path}`)).status, 404)
    }
    assert.equal((await team.call(`GET /v2/runs/${id}`)).body.run.agent_id, gone)
  },
)
