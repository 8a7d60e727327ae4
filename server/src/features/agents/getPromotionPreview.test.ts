// What a promotion would change and whether it would be refused, held against the promotion itself.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { seedAgent } from '../../../test/kit/runs.ts'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { typedClient } from '../../../test/kit/typedClient.ts'
import { getPromotionPreview } from './getPromotionPreview.ts'

const service = await testApp()
const team = await seedTeam(service)
const client = typedClient(service, team)

const procedure = (text: string): string => `# Answer\n\n\`\`\`output\n${text}\n\`\`\`\n`

async function draftOf(agentId: string, data: object): Promise<string> {
  const { body, status, text } = await team.call(`POST /v2/agents/${agentId}/revisions`, {
    body: { config: { version: 'v2', data } },
  })
  assert.equal(status, 201, text)
  return body.build_id
}

const preview = async (agentId: string, buildId: string) =>
  (await client.send(getPromotionPreview, { params: { agent_id: agentId, build_id: buildId } })).preview

const promote = (buildId: string) => team.call(`POST /v2/revisions/${buildId}/promote`, { body: {} })

/** The code of a refusal, which the preview and the promotion must agree on. */
async function agreedRefusal(agentId: string, buildId: string): Promise<string | null> {
  const { refusal } = await preview(agentId, buildId)
  const { status, body } = await promote(buildId)
  assert.deepEqual(refusal, status === 200 ? null : { code: body.error, message: body.message })
  return refusal?.code ?? null
}

proves(
  'promotions.preview',
  'what would change comes line by line and key by key, against the live build',
  async () => {
    const agentId = await seedAgent(team, procedure('One'))
    const { body: before } = await team.call(`GET /v2/agents/${agentId}/revisions`)
    const draft = await draftOf(agentId, { input: procedure('Two'), limits: { max_steps: 5 } })
    const { diff, live_build_id, gate, refusal } = await preview(agentId, draft)
    assert.match(diff.procedure, /-One\n\+Two/)
    assert.deepEqual(
      diff.config.map(({ path, kind }) => [path, kind]),
      [['/data/limits', 'added']],
    )
    assert.deepEqual([live_build_id, gate, refusal], [before.builds[0].id, null, null])
    // a rollback is previewed like any promotion
    assert.equal((await promote(draft)).status, 200)
    const back = await preview(agentId, before.builds[0].id)
    assert.match(back.diff.procedure, /-Two\n\+One/)
    assert.equal(back.live_build_id, draft)
  },
)

proves('promotions.preview', 'enabled schedules and the enabled trigger of the agent are named', async () => {
  const agentId = await seedAgent(team, procedure('One'))
  const draft = await draftOf(agentId, { input: procedure('Two') })
  const none = await preview(agentId, draft)
  assert.deepEqual([none.schedules, none.schedules_total, none.case_trigger], [[], 0, null])
  const schedule = await seeders['schedule']!(team, { agent: agentId })
  const queue = await seeders['queue']!(team, {})
  const { body } = await team.call(`POST /v2/agents/${agentId}/case-triggers`, {
    body: { case_queue_id: queue, enabled: true },
  })
  const { schedules, schedules_total, case_trigger } = await preview(agentId, draft)
  assert.deepEqual([schedules.map((one) => one.schedule_id), schedules_total], [[schedule], 1])
  assert.deepEqual([case_trigger?.trigger_id, case_trigger?.case_queue_id], [body.trigger_id, queue])
  await team.sql`update schedules set enabled = false, next_run_at = null where id = ${schedule} and team_id = ${team.id}`
  await team.sql`update case_triggers set enabled = false where agent_id = ${agentId} and team_id = ${team.id}`
  const off = await preview(agentId, draft)
  assert.deepEqual([off.schedules, off.schedules_total, off.case_trigger], [[], 0, null])
})

proves('promotions.preview', 'a preview has every refusal that the promotion then gives, word for word', async () => {
  const agentId = await seedAgent(team, procedure('One'))
  const { body } = await team.call(`GET /v2/agents/${agentId}/revisions`)
  assert.equal(await agreedRefusal(agentId, body.builds[0].id), 'already_live')

  const helper = await seedAgent(team, procedure('Help'))
  const lonely = await draftOf(agentId, { input: procedure('Two'), subAgents: [helper] })
  assert.equal((await team.call(`DELETE /v2/agents/${helper}`)).status, 200)
  assert.equal(await agreedRefusal(agentId, lonely), 'invalid_request')

  const written = await draftOf(agentId, { input: procedure('Three') })
  await seeders['builder_run']!(team, { agent: agentId, build: written })
  assert.equal(await agreedRefusal(agentId, written), 'builder_run_active')

  assert.equal(await agreedRefusal(agentId, await draftOf(agentId, { input: procedure('Four') })), null)
})

proves('promotions.preview', 'a preview changes nothing, and a build of another agent is not there', async () => {
  const agentId = await seedAgent(team, procedure('One'))
  const draft = await draftOf(agentId, { input: procedure('Two') })
  await preview(agentId, draft)
  const { body } = await team.call(`GET /v2/agents/${agentId}/revisions/${draft}`)
  assert.equal(body.build.status, 'draft')
  const other = await seedAgent(team, procedure('Other'))
  assert.equal((await team.call(`GET /v2/agents/${other}/revisions/${draft}/promotion-preview`)).status, 404)
})
