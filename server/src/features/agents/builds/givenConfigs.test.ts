// Procedures and models as callers send them: every promised spelling is read, and anything else is refused with every problem.
import assert from 'node:assert/strict'
import { drainRuns, startRun } from '../../../../test/kit/runs.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { proves } from '../../../../test/kit/proves.ts'

const service = await testApp()

const withData = (data: object) => ({ version: 'v2', data })

proves(
  'agents.procedureParts',
  'a procedure of typed text parts is read, wherever a config is taken, and runs',
  async () => {
    const team = await seedTeam(service)
    const input = [
      { role: 'system', content: [{ type: 'input_text', text: 'Count what comes.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Then tell.' },
          { type: 'output_text', text: '```output\nDone: {{ message }}\n```' },
        ],
      },
    ]
    const config = withData({ input })
    const made = await team.call('POST /v2/teams/:teamId/agents', { body: { build: { config } } })
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(made.body.build.config, config, 'kept as it was sent')
    const changed = await team.call(`POST /v2/agents/${made.body.agent_id}/revisions`, { body: { config } })
    assert.equal(changed.status, 201, changed.text)
    const other = withData({ input: 'Count twice.' })
    const draft = await team.call(`POST /v2/agents/${made.body.agent_id}/revisions`, { body: { config: other } })
    const { body } = await team.call(`GET /v2/agents/${made.body.agent_id}/revisions/${draft.body.build_id}/diff`)
    assert.match(JSON.stringify(body.diff), /-Count what comes\./)
    const runId = await startRun(team, made.body.agent_id, { message: '3' })
    await drainRuns(service)
    assert.equal((await team.call(`GET /v2/runs/${runId}`)).body.run.output, 'Done: 3')
  },
)

proves(
  'agents.procedureRefused',
  'a procedure that cannot be read is a 400 that names every place, wherever a config is taken, and is never replaced',
  async () => {
    const team = await seedTeam(service)
    const { body: known } = await team.call('POST /v2/teams/:teamId/agents', { body: { instructions: 'Count.' } })
    const draft = await team.call(`POST /v2/agents/${known.agent_id}/revisions`)
    const input = [
      { role: 'tool', content: 'Do it' },
      { role: 'system', content: 5 },
      { role: 'user', content: [{ type: 'input_image', image_url: 'x' }, { type: 'text', text: 7 }, 'bare'] },
      'bare',
    ]
    const places = [
      'data.input[0].role',
      'data.input[1].content',
      'data.input[2].content[0]',
      'data.input[2].content[1]',
      'data.input[2].content[2]',
      'data.input[3]',
    ]
    const unreadable = [input, ...input.map((one) => [one]), [{ role: 'system' }], 5, { role: 'system', content: 'x' }]
    for (const one of unreadable) {
      const config = withData({ input: one })
      const mcp = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'createAgent', arguments: { build: { config } } },
      }
      const answers = [
        await team.call('POST /v2/teams/:teamId/agents', { body: { build: { config } } }),
        await team.call(`POST /v2/agents/${known.agent_id}/revisions`, { body: { config } }),
        await team.call(`PATCH /v2/revisions/${draft.body.build_id}`, { body: { config } }),
      ]
      for (const { status, body } of answers) {
        assert.deepEqual([status, body.error], [400, 'invalid_request'], JSON.stringify(one))
        assert.match(body.message, /data\.input/)
        if (one === input)
          for (const place of places) assert.ok(body.message.includes(`${place}: `), `${place} in ${body.message}`)
      }
      const asked = await team.call('POST /v2/mcp', {
        body: mcp,
        headers: { accept: 'application/json, text/event-stream' },
      })
      assert.match(asked.text, /"isError":true/)
      assert.match(asked.text, /data\.input/)
    }
    // a build that an older version accepted can be copied to be fixed, but not adopted as it is
    await team.sql`
    update builds set config = ${JSON.stringify(withData({ input }))}::jsonb where id = ${draft.body.build_id} and team_id = ${team.id}`
    const source = { source_build_id: draft.body.build_id }
    assert.match(
      (await team.call('POST /v2/teams/:teamId/agents', { body: source })).body.message,
      /data\.input\[0\]\.role/,
    )
    const promoted = await team.call(`POST /v2/revisions/${draft.body.build_id}/promote`)
    assert.match(promoted.body.message, /data\.input\[0\]\.role/)
    const { body: all } = await team.call('GET /v2/teams/:teamId/agents')
    assert.equal(all.total, 1)
  },
)

proves(
  'agents.plainModels',
  'a plain model name needs no provider, and is otherwise treated as the full name',
  async () => {
    const team = await seedTeam(service)
    for (const model of ['claude-sonnet-5', 'gpt-5.2', 'o3-mini', 'gemini-3-pro']) {
      const { status, body } = await team.call('POST /v2/teams/:teamId/agents', { body: { model } })
      assert.equal(status, 201, model)
      assert.equal(body.build.config.data.models.agent.model, model, 'kept as it was sent')
      const started = await team.call('POST /v2/teams/:teamId/runs', { body: { agent_id: body.agent_id } })
      await drainRuns(service)
      const { run } = (await team.call(`GET /v2/runs/${started.body.run_id}`)).body
      assert.deepEqual([run.status, run.error.code], ['failed', 'model_not_configured'])
      assert.ok(run.error.message.includes(`:${model} needs the setting `), run.error.message)
    }
    for (const model of ['sonnet', 'mistral-large', 'claude', 'openai', 'gpt 5']) {
      const { status, body } = await team.call('POST /v2/teams/:teamId/agents', { body: { model } })
      assert.equal(status, 400, model)
      assert.match(body.message, /model: must be/)
    }
  },
)
