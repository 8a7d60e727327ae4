// A team's own keys of providers, the models that it allows, its default, and what runs make of them.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startFakeAnthropic } from '../../../test/fakes/anthropic.ts'
import { startFakeOpenaiCompatible } from '../../../test/fakes/openaiCompatible.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

const anthropic = await startFakeAnthropic()
const local = await startFakeOpenaiCompatible()
after(async () => {
  await anthropic.close()
  await local.close()
})
const goodList = anthropic.listsModels
const serverKey = 'sk-ant-of-the-server-0001'
const service = await testApp({
  config: { allowPrivateHosts: ['127.0.0.1'], anthropicKey: serverKey, anthropicUrl: anthropic.url },
})
const { sql } = service.context.db
const model = 'anthropic:claude-sonnet-4-5'

const save = (team: TestTeam, body: object) => team.call('POST /v2/teams/:teamId/model-keys', { body })
const settle = (team: TestTeam, body: object) => team.call('PATCH /v2/teams/:teamId/model-settings', { body })

async function runOf(team: TestTeam, models: object | undefined): Promise<Awaited<ReturnType<typeof readRun>>> {
  const agent = await seedAgent(team, 'Do it.', { ...(models && { models }), plugins: [] })
  const runId = await startRun(team, agent)
  await drainRuns(service)
  return readRun(team, runId)
}

proves(
  'models.keys',
  'a key is tested before it is saved, shown by its end alone, and used before the server’s',
  async () => {
    const team = await seedTeam(service)
    anthropic.listsModels = { status: 401, error: { message: 'invalid x-api-key', type: 'authentication_error' } }
    const refused = await save(team, { provider: 'anthropic', key: 'sk-ant-bad-0000000001' })
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_request'])
    assert.match(refused.body.message, /not saved.*invalid x-api-key.*Check the team’s own key/)
    anthropic.listsModels = { status: 529, error: { message: 'Overloaded' } }
    assert.equal((await save(team, { provider: 'anthropic', key: 'sk-ant-bad-0000000001' })).status, 409)
    anthropic.listsModels = goodList
    const saved = await save(team, { provider: 'anthropic', key: 'sk-ant-of-the-team-4711' })
    assert.equal(saved.status, 201, saved.text)
    const { hint, problem, base_url } = saved.body.model_key
    assert.deepEqual({ hint, problem, base_url }, { hint: '…4711', problem: null, base_url: null })
    assert.equal(anthropic.requests.at(-1)!.headers['x-api-key'], 'sk-ant-of-the-team-4711')

    anthropic.answer({ text: 'done' })
    assert.equal((await runOf(team, { agent: { model } })).output, 'done')
    assert.equal(anthropic.requests.at(-1)!.headers['x-api-key'], 'sk-ant-of-the-team-4711')

    const route = `/v2/teams/:teamId/model-keys/${saved.body.model_key_id}`
    assert.equal((await team.call(`PATCH ${route}`, { body: { key: 'sk-ant-of-the-team-4713' } })).status, 200)
    anthropic.listsModels = { status: 403, error: { message: 'revoked', type: 'permission_error' } }
    const tested = await team.call(`POST ${route}/test`)
    assert.deepEqual([tested.body.success, /revoked/.test(tested.body.error)], [false, true])
    anthropic.listsModels = goodList
    const { body } = await team.call('GET /v2/teams/:teamId/model-keys')
    assert.deepEqual([body.model_keys.length, /revoked/.test(body.model_keys[0].problem)], [1, true])
    assert.equal((await team.call(`DELETE ${route}`)).status, 200)
    const { body: after_ } = await team.call('GET /v2/teams/:teamId/model-settings')
    assert.equal(after_.model_settings.providers.find((one: Provided) => one.provider === 'anthropic').key, 'server')
  },
)

proves('models.ownServer', 'a team’s own OpenAI-compatible server is asked through the guard', async () => {
  const team = await seedTeam(service)
  const inside = await save(team, {
    provider: 'openai-compatible',
    key: 'k-12345678',
    base_url: 'http://169.254.169.254/v1',
  })
  assert.deepEqual([inside.status, inside.body.error], [400, 'url_not_allowed'])
  const wrong = await save(team, { provider: 'openai', key: 'k-12345678', base_url: local.url })
  assert.equal(wrong.status, 400)
  const nowhere = await save(team, { provider: 'openai-compatible', key: 'k-12345678' })
  assert.match(nowhere.body.message, /base_url/)
  const saved = await save(team, { provider: 'openai-compatible', key: 'k-12345678', base_url: local.url })
  assert.equal(saved.status, 201, saved.text)
  const moved = await team.call(`PATCH /v2/teams/:teamId/model-keys/${saved.body.model_key_id}`, {
    body: { base_url: 'https://elsewhere.example/v1' },
  })
  assert.match(moved.body.message, /Send the key too/)
  local.answer({ text: ['do', 'ne'] })
  assert.equal((await runOf(team, { agent: { model: 'openai-compatible:local' } })).output, 'done')
  assert.equal(local.requests.at(-1)!.headers.authorization, 'Bearer k-12345678')
})

proves(
  'models.allowed',
  'a build cannot name what the team does not allow, and a run of one that was saved before fails',
  async () => {
    const team = await seedTeam(service)
    const agent = await seedAgent(team, 'Do it.', { models: { agent: { model } } })
    const bad = await settle(team, { allowed_models: ['openai:*'], default_model: model })
    assert.match(bad.body.message, /not among the allowed/)
    assert.equal((await settle(team, { allowed_models: ['openai:gpt-5*', 'builtin:x'] })).status, 400)
    assert.equal((await settle(team, { allowed_models: ['openai:gpt-5*'] })).status, 200)
    const named = await team.call('POST /v2/teams/:teamId/agents', { body: { model } })
    assert.deepEqual([named.status, /does not allow/.test(named.body.message)], [400, true])
    assert.equal((await team.call('POST /v2/teams/:teamId/agents', { body: { model: 'gpt-5.2' } })).status, 201)
    assert.equal((await team.call('POST /v2/teams/:teamId/agents', { body: {} })).status, 201)
    const runId = await startRun(team, agent)
    await drainRuns(service)
    const { status, error } = await readRun(team, runId)
    assert.deepEqual([status, error.code], ['failed', 'model_not_allowed'])
  },
)

proves('models.default', 'agents that name no model use the team’s default', async () => {
  const team = await seedTeam(service)
  assert.equal((await settle(team, { default_model: model })).body.model_settings.default_model, model)
  anthropic.answer({ text: 'by default' })
  assert.equal((await runOf(team, undefined)).output, 'by default')
  assert.equal(anthropic.requests.at(-1)!.headers['x-api-key'], serverKey)
  const other = await seedTeam(service)
  const { body } = await other.call('GET /v2/teams/:teamId/model-settings')
  assert.deepEqual([body.model_settings.default_model, body.model_settings.server_default], [null, 'builtin:runbook'])
})

proves(
  'models.canary',
  'the key of a team is found nowhere but sealed: not in rows, events, messages, logs or answers',
  async () => {
    const team = await seedTeam(service)
    const canary = 'sk-ant-canary-77d1f0aa93'
    const answers = [await save(team, { provider: 'anthropic', key: canary })]
    anthropic.answer({ status: 400, error: { message: `bad ${canary}` } }, (request) => ({
      text: `You said ${String(request.headers['x-api-key'])}`,
    }))
    for (let n = 0; n < 2; n++) {
      const { id } = await runOf(team, { agent: { model } })
      for (const path of [`/v2/runs/${id}`, `/v2/runs/${id}/messages`, `/v2/runs/${id}/why`]) {
        answers.push(await team.call(`GET ${path}`))
      }
    }
    answers.push(
      await team.call('GET /v2/teams/:teamId/model-keys'),
      await team.call('GET /v2/teams/:teamId/audit-log'),
    )
    for (const { status, text } of answers) {
      assert.ok(status < 300, text)
      assert.ok(!text.includes(canary), text)
    }
    assert.ok(!service.logged.join('\n').includes(canary))
    const tables = await sql<{
      name: string
    }>`select format('%I', tablename) as name from pg_tables where schemaname = 'public'`
    for (const { name } of tables) {
      const { rows } = await service.context.db.pool.query<{ row: string }>(`select t::text as row from ${name} t`)
      const text = rows.map(({ row }) => row).join('\n')
      assert.ok(!text.includes(canary) && !text.includes(Buffer.from(canary).toString('hex')), name)
    }
  },
)

interface Provided {
  provider: string
}
