// What a comparison of two builds shows, and which builds can be compared.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()

const withData = (data: object) => ({ version: 'v2', data })

async function newAgent(team: TestTeam, body: object = { instructions: 'Wait.' }) {
  const made = await team.call('POST /v2/teams/:teamId/agents', { body })
  return made.body as { agent_id: string; build_id: string }
}

proves(
  'builds.diff',
  'a build is compared with the live one, with its parent when it is live, or with any other of its agent',
  async () => {
    const team = await seedTeam(service)
    const { agent_id, build_id } = await newAgent(team, {
      build: { config: withData({ input: 'One.\nTwo.\n', limits: { max_steps: 5 }, plugins: ['memory'] }) },
    })
    const data = { input: 'One.\nThree.\n', limits: { max_steps: 9 }, 'a/b': true }
    const { body: draft } = await team.call(`POST /v2/agents/${agent_id}/revisions`, {
      body: { config: withData(data) },
    })
    const diff = (id: string, query = '') => team.call(`GET /v2/agents/${agent_id}/revisions/${id}/diff${query}`)
    const { body } = await diff(draft.build_id)
    assert.deepEqual([body.build_id, body.against_build_id], [draft.build_id, build_id])
    assert.equal(body.diff.procedure, '--- revision 1\n+++ revision 2\n@@ -1,2 +1,2 @@\n One.\n-Two.\n+Three.\n')
    assert.deepEqual(
      body.diff.config.toSorted((one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1)),
      [
        { path: '/data/a~1b', kind: 'added', before: null, after: true },
        { path: '/data/limits/max_steps', kind: 'changed', before: 5, after: 9 },
        { path: '/data/plugins', kind: 'removed', before: ['memory'], after: null },
      ],
    )
    const first = await diff(build_id)
    assert.equal(first.body.against_build_id, null)
    assert.equal(first.body.diff.procedure, '--- nothing\n+++ revision 1\n@@ -0,0 +1,2 @@\n+One.\n+Two.\n')
    await team.call(`POST /v2/revisions/${draft.build_id}/promote`)
    assert.equal((await diff(draft.build_id)).body.against_build_id, build_id)
    const same = await diff(build_id, `?against=${build_id}`)
    assert.deepEqual(same.body.diff, { procedure: '', config: [] })
  },
)

proves('builds.diffOwn', 'a build of another agent is nothing to compare with', async () => {
  const team = await seedTeam(service)
  const { agent_id, build_id } = await newAgent(team)
  const other = await newAgent(team)
  for (const against of [other.build_id, newId(), 'no-id']) {
    const answer = await team.call(`GET /v2/agents/${agent_id}/revisions/${build_id}/diff?against=${against}`)
    assert.equal(answer.status, 404, against)
  }
  for (const route of [`revisions/${other.build_id}/diff`, `revisions/${other.build_id}`]) {
    assert.equal((await team.call(`GET /v2/agents/${agent_id}/${route}`)).status, 404, route)
  }
  // nor is the build that it was copied from, when that is another agent's
  const { body: copy } = await team.call('POST /v2/teams/:teamId/agents', { body: { source_build_id: build_id } })
  const alone = await team.call(`GET /v2/agents/${copy.agent_id}/revisions/${copy.build_id}/diff`)
  assert.equal(alone.body.against_build_id, null)
})
