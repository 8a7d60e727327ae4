// What an operator sees of runs: one trace a run, however many hold it; counts at /metrics; one log line at its end.
import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { startFakeAnthropic } from '../../../test/fakes/anthropic.ts'
import { spansIn } from '../../../test/kit/otlp.ts'
import { startReceiver } from '../../../test/kit/receiver.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { rootSpanOf } from '../../base/telemetry.ts'
import { proves } from '../../../test/kit/proves.ts'

const fenced = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`
const asks = `${fenced('approve', 'Go on?')}\n${fenced('output', 'gone on')}`

describe('the trace of a run', () => {
  proves('telemetry.run', 'has its agent, each call of its model and each of its tools, and no contents', async () => {
    const collector = await startReceiver()
    const outside = await startReceiver()
    collector.answer(200, { 'content-type': 'application/json' }, '{}')
    outside.answer(200, { 'content-type': 'text/plain' }, 'the weather is secret')
    const provider = await startFakeAnthropic()
    const service = await testApp({
      config: {
        otlpEndpoint: collector.url,
        allowPrivateHosts: ['127.0.0.1'],
        anthropicKey: 'sk-test',
        anthropicUrl: provider.url,
      },
    })
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, 'Say how the weather is.', {
      models: { agent: { model: 'anthropic:claude-sonnet-4-5' } },
      plugins: ['http'],
    })
    provider.answer(
      {
        calls: [{ name: 'http_request', arguments: { url: `${outside.url}/weather` } }],
        usage: { input: 70, output: 9 },
      },
      { calls: [{ name: 'no_such_tool', arguments: { q: 'the weather is secret' } }] },
      { text: 'the weather is secret' },
    )
    const runId = await startRun(team, agentId, { message: 'the weather is secret' })
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).status, 'completed')
    await service.context.telemetry.shutdown()
    await provider.close()

    const { spans } = spansIn(collector.received)
    assert.deepEqual(
      spans.map(({ name }) => name),
      [
        'chat claude-sonnet-4-5',
        'execute_tool http_request',
        'chat claude-sonnet-4-5',
        'execute_tool unknown',
        'chat claude-sonnet-4-5',
        'invoke_agent Tested',
      ],
    )
    const root = rootSpanOf(runId)
    const agent = spans.at(-1)!
    assert.deepEqual([agent.traceId, agent.spanId, agent.parentSpanId], [root.traceId, root.spanId, undefined])
    for (const span of spans.slice(0, -1)) {
      assert.deepEqual([span.traceId, span.parentSpanId], [root.traceId, root.spanId], span.name)
    }
    const everywhere = {
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-sonnet-4-5',
      'gen_ai.agent.id': agentId,
      'gen_ai.agent.name': 'Tested',
      'gen_ai.conversation.id': runId,
    }
    const [chat, call, , refused] = spans
    assert.deepEqual(chat!.attributes, {
      ...everywhere,
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.input_tokens': 70,
      'gen_ai.usage.output_tokens': 9,
    })
    assert.deepEqual([chat!.isClient, call!.isClient], [true, false])
    assert.deepEqual(call!.attributes, {
      ...everywhere,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'http_request',
      'gen_ai.tool.call.id': `${runId}:2`,
    })
    assert.deepEqual([refused!.isError, refused!.attributes['error.type']], [true, 'tool_error'])
    assert.deepEqual(agent.attributes, {
      ...everywhere,
      'gen_ai.operation.name': 'invoke_agent',
      'runyard.run.status': 'completed',
    })
    assert.ok(!JSON.stringify(spans).includes('secret'))
  })

  proves('telemetry.oneTrace', 'stays one when the run waits and another process continues it', async () => {
    const collector = await startReceiver()
    collector.answer(200, { 'content-type': 'application/json' }, '{}')
    const service = await testApp({ config: { otlpEndpoint: collector.url } })
    const team = await seedTeam(service)
    const runId = await startRun(team, await seedAgent(team, asks))
    await drainRuns(service)
    const { body } = await team.call(`GET /v2/runs/${runId}`)
    const path = `POST /v2/runs/${runId}/human-requests/${body.pending_human_request.id}/respond`
    await team.call(path, { body: { approved: true } })

    const elsewhere = await testApp({
      address: service.context.db.address() as never,
      config: { otlpEndpoint: collector.url },
    })
    await drainRuns(elsewhere)
    assert.equal((await readRun(team, runId)).output, 'gone on')
    await service.context.telemetry.shutdown()
    await elsewhere.context.telemetry.shutdown()

    const { spans } = spansIn(collector.received)
    const root = rootSpanOf(runId)
    const stretches = spans.filter(({ name }) => name === 'invoke_agent Tested')
    assert.deepEqual(
      stretches.map(({ attributes, parentSpanId }) => [attributes['runyard.run.status'], parentSpanId]),
      [
        ['waiting', undefined],
        ['completed', root.spanId],
      ],
    )
    assert.equal(stretches[0]!.spanId, root.spanId)
    const approval = spans.find(({ name }) => name === 'execute_tool human_approve')!
    assert.equal(approval.parentSpanId, stretches[1]!.spanId)
    assert.deepEqual([...new Set(spans.map(({ traceId }) => traceId))], [root.traceId])
  })
})

describe('the end of a run', () => {
  proves(
    ['runs.logLine', 'metrics.runs'],
    'is one line in the log and one count at /metrics, with its steps by tool',
    async () => {
      const service = await testApp()
      const team = await seedTeam(service)
      const fine = await startRun(
        team,
        await seedAgent(team, fenced('memory path=a.md', 'x') + fenced('output', 'done')),
      )
      const failing = await startRun(team, await seedAgent(team, fenced('tool name=no_such', '{}')))
      const stopped = await startRun(team, await seedAgent(team, asks))
      await drainRuns(service)
      await team.call(`POST /v2/runs/${stopped}/stop`)

      const lines = service.logged
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ msg }) => msg === 'run ended')
      const lineOf = (runId: string) => {
        const [line, ...more] = lines.filter(({ run_id }) => run_id === runId)
        assert.deepEqual([line!['level'], line!['team_id'], more], ['info', team.id, []])
        return line!
      }
      assert.deepEqual([lineOf(fine)['status'], lineOf(fine)['steps']], ['completed', 1])
      assert.equal(typeof lineOf(fine)['duration_ms'], 'number')
      assert.deepEqual([lineOf(failing)['status'], lineOf(failing)['code']], ['failed', 'step_failed'])
      assert.equal(lineOf(stopped)['status'], 'stopped')

      const { text } = await service.call('GET /metrics')
      for (const line of [
        'runyard_runs_started_total{source="api"} 3',
        'runyard_run_start_delay_seconds_count 3',
        'runyard_runs_ended_total{status="completed"} 1',
        'runyard_runs_ended_total{status="failed"} 1',
        'runyard_runs_ended_total{status="stopped"} 1',
        'runyard_runs_held 0',
        'runyard_run_steps_total{tool="memory_write",outcome="done"} 1',
        'runyard_run_steps_total{tool="unknown",outcome="failed"} 1',
        'runyard_lane_flush_operations_count{lane="start"} 3',
      ]) {
        assert.ok(text.includes(`${line}\n`), line)
      }
      assert.match(text, /runyard_lane_flush_duration_seconds_count\{lane="apply"\} \d/)
    },
  )

  proves(
    'metrics.models',
    'leaves the time and the tokens of its model calls by provider, and those that failed apart',
    async () => {
      const provider = await startFakeAnthropic()
      const service = await testApp({ config: { anthropicKey: 'sk-test', anthropicUrl: provider.url } })
      const team = await seedTeam(service)
      const agentId = await seedAgent(team, 'Say hello.', {
        models: { agent: { model: 'anthropic:claude-sonnet-4-5' } },
      })
      provider.answer({ status: 400, error: { message: 'no' } }, { text: 'hello', usage: { input: 11, output: 4 } })
      await startRun(team, agentId)
      await drainRuns(service)
      await startRun(team, agentId)
      await drainRuns(service)
      await provider.close()
      const { text } = await service.call('GET /metrics')
      for (const line of [
        'runyard_model_call_duration_seconds_count{provider="anthropic",outcome="answered"} 1',
        'runyard_model_call_duration_seconds_count{provider="anthropic",outcome="refused"} 1',
        'runyard_model_tokens_total{provider="anthropic",direction="input"} 11',
        'runyard_model_tokens_total{provider="anthropic",direction="output"} 4',
      ]) {
        assert.ok(text.includes(`${line}\n`), line)
      }
    },
  )
})
