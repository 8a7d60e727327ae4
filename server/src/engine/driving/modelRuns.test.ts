// Runs that a model drives: turns, parallel calls, trouble of its provider, costs, approvals, blocks, and a crash in the middle.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, suite } from 'node:test'
import { startFakeAnthropic } from '../../../test/fakes/anthropic.ts'
import { startReceiver } from '../../../test/kit/receiver.ts'
import { drainRuns, readEvents, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { claimRuns, reviveRuns } from '../admission/claim.ts'
import { engineOf } from '../engine.ts'
import { proves } from '../../../test/kit/proves.ts'

const provider = await startFakeAnthropic()
after(() => provider.close())
const service = await testApp({
  config: { allowPrivateHosts: ['127.0.0.1'], anthropicKey: 'sk-ant-canary-1234567890', anthropicUrl: provider.url },
})
const { sql } = service.context.db
const model = 'anthropic:claude-sonnet-4-5'
const fenced = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`

const seedModelAgent = (team: TestTeam, procedure: string, data: Record<string, unknown> = {}) =>
  seedAgent(team, procedure, { models: { agent: { model } }, plugins: ['memory', 'http', 'human'], ...data })

async function respond(team: TestTeam, runId: string, body: Record<string, unknown>): Promise<void> {
  const { body: read } = await team.call(`GET /v2/runs/${runId}`)
  const answer = await team.call(`POST /v2/runs/${runId}/human-requests/${read.pending_human_request.id}/respond`, {
    body,
  })
  assert.equal(answer.status, 200, answer.text)
}

suite('a run with a model', () => {
  proves(
    'runs.model',
    'takes turns with parallel calls until the model is done, and counts tokens and cost',
    async () => {
      const team = await seedTeam(service)
      provider.answer(
        {
          text: 'I look first.',
          calls: [
            { name: 'memory_write', arguments: { path: 'a.md', content: 'A' } },
            { name: 'memory_write', arguments: { path: 'b.md', content: 'B' } },
          ],
          usage: { input: 100, output: 20 },
        },
        { text: 'All done.', usage: { input: 200, output: 10 } },
      )
      const runId = await startRun(team, await seedModelAgent(team, 'Do it.'), { message: 'go' })
      await drainRuns(service)
      const run = await readRun(team, runId)
      assert.deepEqual([run.status, run.output], ['completed', 'All done.'])
      assert.deepEqual(run.usage, { steps: 4, input_tokens: 300, output_tokens: 30, cost_usd: 0.00135 })
      const { body } = await team.call(`GET /v2/runs/${runId}/messages`)
      assert.deepEqual(
        body.messages.map(({ type, role }: { type: string; role: string }) => `${role} ${type}`),
        [
          'user text',
          'assistant text',
          'assistant tool_call',
          'assistant tool_call',
          'tool tool_result',
          'tool tool_result',
          'assistant text',
        ],
      )
      await readEvents(service, runId)
    },
  )

  proves(
    'runs.badCalls',
    'gets a sentence back for a call that is unknown, not allowed or does not fit, and continues',
    async () => {
      const team = await seedTeam(service)
      provider.answer(
        {
          calls: [
            { name: 'nothing', arguments: {} },
            { name: 'agents_list', arguments: {} },
            { name: 'memory_write', arguments: { path: 7 } },
            { name: 'memory_write', arguments: '{"path": ' },
          ],
        },
        (request) => ({ text: JSON.stringify(request.body.messages.at(-1)) }),
      )
      const runId = await startRun(team, await seedModelAgent(team, 'Do it.'))
      await drainRuns(service)
      const { output } = await readRun(team, runId)
      for (const sentence of [/no tool named/, /may not use agents_list/, /do not fit its schema/])
        assert.match(output, sentence)
    },
  )

  proves(
    'runs.modelTrouble',
    'waits without a worker while its provider wants to be left alone, and continues with the same step',
    async () => {
      const team = await seedTeam(service)
      provider.answer(
        { status: 429, headers: { 'retry-after': '3600' }, error: { message: 'slow down' } },
        { text: 'here I am' },
      )
      const runId = await startRun(team, await seedModelAgent(team, 'Do it.'))
      await drainRuns(service)
      const run = await readRun(team, runId)
      assert.deepEqual(
        [run.status, run.waiting_on.kind, run.waiting_on.detail.reason],
        ['waiting', 'time', 'model_unavailable'],
      )
      await sql`update runs set due_at = now() - interval '1 second' where id = ${runId}`
      await drainRuns(service)
      assert.equal((await readRun(team, runId)).output, 'here I am')
      const steps = await sql`select kind, state, attempt from run_steps where run_id = ${runId}`
      assert.deepEqual(steps, [{ kind: 'model', state: 'done', attempt: 2 }])
    },
  )

  proves(
    'runs.modelRefused',
    'fails with the provider’s words when it refuses the request, without the key',
    async () => {
      const team = await seedTeam(service)
      provider.answer({ status: 400, error: { message: 'your prompt is too odd', type: 'invalid_request_error' } })
      const runId = await startRun(team, await seedModelAgent(team, 'Do it.'))
      await drainRuns(service)
      const { status, error } = await readRun(team, runId)
      assert.deepEqual([status, error.code, error.step], ['failed', 'model_refused_request', 1])
      assert.match(error.message, /your prompt is too odd/)
      assert.ok(!JSON.stringify(await readEvents(service, runId)).includes('canary'))
    },
  )

  proves('runs.outputSchemaModel', 'sends an output that does not fit its schema back to the model', async () => {
    const team = await seedTeam(service)
    const output_schema = {
      type: 'object',
      properties: { n: { type: 'number' } },
      required: ['n'],
      additionalProperties: false,
    }
    provider.answer({ text: '{"n": "many"}' }, { text: '{"n": 4}' })
    const runId = await startRun(team, await seedModelAgent(team, 'Count.', { output_schema }))
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.deepEqual([run.status, run.output], ['completed', { n: 4 }])
    assert.match(JSON.stringify(provider.requests.at(-1)!.body.messages), /does not fit the schema/)
  })

  proves(
    'runs.costLimit',
    'does not ask a model whose worst case is more than what is left of its cost limit',
    async () => {
      const team = await seedTeam(service)
      const before = provider.requests.length
      const agentId = await seedModelAgent(team, 'Do it.', { limits: { max_cost_usd: 0.01 } })
      const runId = await startRun(team, agentId)
      await drainRuns(service)
      const run = await readRun(team, runId)
      assert.deepEqual([run.status, run.error.code], ['failed', 'limit_reached'])
      assert.equal(provider.requests.length, before)
    },
  )

  proves('runs.unpriced', 'is not started with a cost limit that nobody could keep', async () => {
    const team = await seedTeam(service)
    const limits = { max_cost_usd: 1 }
    const start = async (data: Record<string, unknown>, body = {}) =>
      team.call('POST /v2/teams/:teamId/runs', {
        body: { agent_id: await seedModelAgent(team, 'Do it.', data), limits, ...body },
      })
    const list = [model, 'anthropic:claude-new'].map((name) => ({ model: name }))
    const refused = await start({ models: { agent: list } })
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_request'], refused.text)
    assert.match(
      refused.body.message,
      /^limits\.max_cost_usd: anthropic:claude-new has no price, so its cost cannot be/,
    )
    assert.deepEqual(await sql`select id from runs where team_id = ${team.id}`, [])
    const started = [
      await start({}),
      await start({ models: { agent: list } }, { limits: { max_steps: 1 } }),
      await start({ models: { agent: { model: 'builtin:runbook' } } }),
    ]
    for (const { status, body, text } of started) {
      assert.equal(status, 201, text)
      await team.call(`POST /v2/runs/${body.run_id}/stop`)
    }
  })

  proves('runs.unpriced', 'is started with a cost limit once the build that is live now can keep it', async () => {
    const team = await seedTeam(service)
    const agentId = await seedModelAgent(team, 'Do it.', { models: { agent: { model: 'anthropic:claude-new' } } })
    // from this start on, the process remembers the first build
    const first = await startRun(team, agentId)
    const config = { version: 'v2', data: { input: 'Do it.', models: { agent: { model } } } }
    const draft = await team.call(`POST /v2/agents/${agentId}/revisions`, { body: { config } })
    const promoted = await team.call(`POST /v2/revisions/${draft.body.build_id}/promote`)
    assert.equal(promoted.status, 200, promoted.text)
    const second = await startRun(team, agentId, { limits: { max_cost_usd: 1 } })
    assert.equal((await readRun(team, second)).build_id, draft.body.build_id)
    for (const id of [first, second]) await team.call(`POST /v2/runs/${id}/stop`)
  })

  proves('runs.unpriced', 'is not retried with its cost limit and a build that cannot keep it', async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, fenced('output', 'done'))
    const runId = await startRun(team, agentId, { limits: { max_cost_usd: 1 } })
    await drainRuns(service)
    const config = { version: 'v2', data: { input: 'Do it.', models: { agent: { model: 'anthropic:claude-new' } } } }
    const draft = await team.call(`POST /v2/agents/${agentId}/revisions`, { body: { config } })
    const retry = (body: object) => team.call(`POST /v2/runs/${runId}/retry`, { body })
    const refused = await retry({ build_id: draft.body.build_id })
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_request'], refused.text)
    assert.match(refused.body.message, /max_cost_usd of its run, and anthropic:claude-new has no price/)
    assert.deepEqual(await sql`select id from runs where team_id = ${team.id} and id <> ${runId}`, [])
    assert.equal((await retry({})).status, 201)
    await drainRuns(service)
  })

  proves(
    'runs.unpriced',
    'does not start another agent with what is left of a cost limit that it cannot keep',
    async () => {
      const team = await seedTeam(service)
      const child = await seedModelAgent(team, 'Do it.', { models: { agent: { model: 'anthropic:claude-new' } } })
      const call = fenced('tool name=agents_run id=it', `{"agent": "${child}"}`)
      const procedure = `${call}\n${fenced('output', '{{ steps.it.output.output }}')}`
      const parent = await seedAgent(team, procedure, { plugins: ['agents'], subAgents: [child] })
      const limited = await startRun(team, parent, { limits: { max_cost_usd: 1 } })
      await drainRuns(service)
      const { status, error } = await readRun(team, limited)
      assert.equal(status, 'failed')
      assert.match(error.message, /was not started\. The limit max_cost_usd.*anthropic:claude-new has no price/)
      assert.deepEqual(await sql`select id from runs where parent_run_id = ${limited}`, [])
      provider.answer({ text: 'done without a limit' })
      const free = await startRun(team, parent)
      await drainRuns(service)
      assert.equal((await readRun(team, free)).output, 'done without a limit')
    },
  )

  proves('runs.costLimit', 'does not ask again past its cost limit after answers that were of no use', async () => {
    const team = await seedTeam(service)
    const before = provider.requests.length
    provider.answer({ usage: { input: 20_000, output: 4000 } })
    const runId = await startRun(team, await seedModelAgent(team, 'Do it.', { limits: { max_cost_usd: 0.2 } }))
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.deepEqual([run.status, run.error.code, run.usage.cost_usd], ['failed', 'limit_reached', 0.12])
    assert.equal(provider.requests.length, before + 1)
    const left = await sql`
      select s.state, s.error, s.unsettled, s.reserved_usd + r.reserved_usd = 0 as is_free
      from run_steps s join runs r on r.id = s.run_id where s.run_id = ${runId}`
    const error = 'Anthropic answered with neither text nor a call (end_turn).'
    assert.deepEqual(left, [{ state: 'failed', error, unsettled: 0, is_free: true }])
  })

  proves(
    'runs.costLimit',
    'does not ask again past its cost limit when its request became longer before the next attempt',
    async () => {
      const team = await seedTeam(service)
      const before = provider.requests.length
      provider.answer({ status: 429, headers: { 'retry-after': '60' }, error: { message: 'slow down' } })
      const runId = await startRun(team, await seedModelAgent(team, 'Do it.', { limits: { max_cost_usd: 0.2 } }))
      await drainRuns(service)
      assert.equal((await readRun(team, runId)).status, 'waiting')
      const told = await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'long '.repeat(12_000) } })
      assert.equal(told.status, 201, told.text)
      await sql`update runs set due_at = now() - interval '1 second' where id = ${runId}`
      await drainRuns(service)
      const run = await readRun(team, runId)
      assert.deepEqual([run.status, run.error?.code], ['failed', 'limit_reached'])
      assert.equal(provider.requests.length, before + 1)
      assert.deepEqual(await sql`select state, unsettled from run_steps where run_id = ${runId}`, [
        { state: 'cut_off', unsettled: 0 },
      ])
    },
  )

  proves(
    'runs.reservation',
    'sets the worst case of a model call aside while it is made, and gives back what it did not cost',
    async () => {
      const team = await seedTeam(service)
      const seen: unknown[] = []
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      provider.answer({ text: ['one', ' two'], hold: held, usage: { input: 10, output: 2 } })
      const look = async () => {
        seen.push(...(await sql`select reserved_usd > 0.1 as reserved from runs where team_id = ${team.id}`))
        release()
      }
      const stop = engineOf(service.context).onText(() => void look())
      const runId = await startRun(team, await seedModelAgent(team, 'Do it.', { limits: { max_cost_usd: 5 } }))
      await drainRuns(service)
      stop()
      assert.deepEqual(seen[0], { reserved: true })
      const [settled] =
        await sql`select trim_scale(reserved_usd)::text as reserved, trim_scale(cost_usd)::text as cost from runs where id = ${runId}`
      assert.deepEqual(settled, { reserved: '0', cost: '0.00006' })
    },
  )

  proves('runs.runStep', 'runs a block of its procedure as it is written, by its id', async () => {
    const team = await seedTeam(service)
    const procedure = `Remember, then say so.\n\n${fenced('memory id=keep path=kept.md', 'exactly {{ message }}')}`
    provider.answer({ calls: [{ name: 'run_step', arguments: { id: 'keep' } }] }, { text: 'kept' })
    const runId = await startRun(team, await seedModelAgent(team, procedure), { message: 'this' })
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.equal(run.output, 'kept')
    const { body } = await team.call(`GET /v2/agents/${run.agent_id}/memory/files/kept.md`)
    assert.equal(body.content, 'exactly this')
  })

  proves('runs.approvalPolicy', 'needs a person’s word for the very call that its build’s policy names', async () => {
    const team = await seedTeam(service)
    const receiver = await startReceiver()
    const approvals = { http_request: { when: "arguments.method == 'POST'" } }
    const agentId = await seedModelAgent(team, 'Do it.', { approvals })
    const call = (method: string) => ({ name: 'http_request', arguments: { method, url: `${receiver.url}/${method}` } })
    provider.answer({ calls: [call('GET'), call('POST')] }, { calls: [call('POST')] }, { text: 'done' })
    const runId = await startRun(team, agentId)
    await drainRuns(service)
    assert.deepEqual(
      receiver.received.map(({ method }) => method),
      ['GET'],
    )
    const { body } = await team.call(`GET /v2/runs/${runId}`)
    const { action, type } = body.pending_human_request
    assert.deepEqual([type, action.tool, action.arguments.method], ['approval', 'http_request', 'POST'])
    await respond(team, runId, { approved: false, comment: 'not now' })
    await drainRuns(service)
    assert.match(JSON.stringify(provider.requests.at(-1)!.body.messages), /refused this call. They said: not now/)
    await respond(team, runId, { approved: true })
    await drainRuns(service)
    assert.deepEqual(
      receiver.received.map(({ method }) => method),
      ['GET', 'POST'],
    )
    assert.equal((await readRun(team, runId)).output, 'done')
  })

  proves(
    'runs.takeoverModel',
    'is asked again by another worker when its own died while the model answered',
    async () => {
      const team = await seedTeam(service)
      const runId = await startRun(team, await seedModelAgent(team, 'Do it.'), { message: 'go' })
      const worker = newId()
      await claimRuns(sql, worker, 100)
      await sql`
      insert into run_steps (run_id, seq, turn, kind, tool, state, started_at) values (${runId}, 1, 1, 'model', ${model}, 'intent', now())`
      await reviveRuns(sql, { id: worker, role: 'worker', is_news: true })
      provider.answer({ text: 'second try' })
      await drainRuns(service)
      assert.equal((await readRun(team, runId)).output, 'second try')
      const steps = await sql`select kind, state, attempt from run_steps where run_id = ${runId}`
      assert.deepEqual(steps, [{ kind: 'model', state: 'done', attempt: 2 }])
    },
  )

  proves('runs.messageInTurn', 'hears at its next turn what was said to it while the model answered', async () => {
    const team = await seedTeam(service)
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    provider.answer({ text: ['I am', ' done'], hold: held }, (request) => ({
      text: JSON.stringify(request.body.messages.at(-1)),
    }))
    const agentId = await seedModelAgent(team, 'Do it.')
    const speak = async (id: string) => {
      await team.call(`POST /v2/runs/${id}/messages`, { body: { message: 'one more thing' } })
      release()
    }
    const stop = engineOf(service.context).onText((id) => {
      stop()
      void speak(id)
    })
    const runId = await startRun(team, agentId, { message: 'go' })
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.equal(run.status, 'completed')
    assert.match(run.output, /one more thing/)
    const { body } = await team.call(`GET /v2/runs/${runId}/messages`)
    const texts = body.messages.map(({ text_content }: { text_content: string }) => text_content)
    assert.deepEqual(texts.slice(0, 3), ['go', 'one more thing', 'I am done'])
  })

  proves(
    'runs.notConfigured',
    'whose provider has no key fails at once and says which setting is missing',
    async () => {
      const team = await seedTeam(service)
      const runId = await startRun(
        team,
        await seedAgent(team, 'Do it.', { models: { agent: { model: 'openai:gpt-5' } } }),
      )
      await drainRuns(service)
      const { status, error } = await readRun(team, runId)
      assert.deepEqual([status, error.code], ['failed', 'model_not_configured'])
      assert.match(error.message, /OPENAI_API_KEY/)
    },
  )
})

const note = (path: string) => ({
  calls: [{ name: 'memory_write', arguments: { path, content: 'x' } }],
  usage: { input: 100, output: 20 },
})

async function requestOf(team: TestTeam, runId: string) {
  const { body } = await team.call(`GET /v2/runs/${runId}`)
  return { run: body.run, request: body.pending_human_request }
}

interface Site {
  url: string
  /** In order: `+/a` when it came, `-/a` when it was answered. */
  seen: string[]
}

/** Answers each call as soon as `isTime` says so of what it has seen. */
async function startSite(
  isTime: (seen: string[], path: string) => boolean,
  onCall = async (_path: string) => {},
): Promise<Site> {
  const seen: string[] = []
  const waiting: { path: string; answer: () => void }[] = []
  const settle = () => {
    for (const one of waiting.filter(({ path }) => isTime(seen, path))) {
      waiting.splice(waiting.indexOf(one), 1)
      seen.push(`-${one.path}`)
      one.answer()
    }
  }
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    seen.push(`+${path}`)
    waiting.push({ path, answer: () => response.end('ok') })
    void onCall(path).then(settle)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

const calls = (site: Site, paths: string[], method = 'GET') => ({
  calls: paths.map((path) => ({ name: 'http_request', arguments: { method, url: `${site.url}${path}` } })),
})

suite('a run at a limit of a build that asks', () => {
  const asking = { max_steps: 3, on_limit: 'ask' }
  proves(
    'runs.limitAsks',
    'waits for a person, whose request says what was reached and what more would cost',
    async () => {
      const team = await seedTeam(service)
      provider.answer(note('a.md'), note('b.md'), { text: 'done', usage: { input: 100, output: 20 } })
      const runId = await startRun(team, await seedModelAgent(team, 'Do it.', { limits: asking }))
      await drainRuns(service)
      const { run, request } = await requestOf(team, runId)
      assert.deepEqual([run.status, run.waiting_on.kind, request.type], ['waiting', 'human', 'approval'])
      assert.equal(request.title, 'Continue past max_steps?')
      assert.match(
        request.description,
        /has taken 4 steps.*So far it took 4 steps and 240 tokens, and cost 0\.0012 USD.*up to max_steps 7: about 0\.00090 USD more/,
      )
      assert.deepEqual(
        [request.action.arguments.limit, request.action.arguments.from, request.action.arguments.to],
        ['max_steps', 3, 7],
      )
      await respond(team, runId, { approved: true })
      await drainRuns(service)
      const ended = await readRun(team, runId)
      assert.deepEqual([ended.status, ended.output, ended.limits.max_steps], ['completed', 'done', 7])
      assert.match(
        JSON.stringify(provider.requests.at(-1)!.body.messages),
        /raised the limit max_steps of this run from 3 to 7/,
      )
      await readEvents(service, runId)
    },
  )

  proves('runs.limitRefused', 'fails as at any limit when a person refuses, or takes the request back', async () => {
    const team = await seedTeam(service)
    for (const refuse of [
      (runId: string) => respond(team, runId, { approved: false }),
      async (runId: string) => {
        const { request } = await requestOf(team, runId)
        await team.call(`POST /v2/runs/${runId}/human-requests/${request.id}/cancel`)
      },
    ]) {
      provider.answer(note('a.md'), note('b.md'))
      const runId = await startRun(team, await seedModelAgent(team, 'Do it.', { limits: asking }))
      await drainRuns(service)
      await refuse(runId)
      await drainRuns(service)
      const { status, error, limits } = await readRun(team, runId)
      assert.deepEqual([status, error.code, limits.max_steps], ['failed', 'limit_reached', 3])
      const open = await sql`select seq from run_steps where run_id = ${runId} and state in ('intent', 'waiting')`
      assert.deepEqual(open, [])
    }
  })

  proves('runs.limitAsks', 'asks for as much cost as its next call may need, and keeps to it', async () => {
    const team = await seedTeam(service)
    provider.answer({ text: 'done', usage: { input: 100, output: 20 } })
    const agentId = await seedModelAgent(team, 'Do it.', { limits: { max_cost_usd: 0.01, on_limit: 'ask' } })
    const runId = await startRun(team, agentId)
    await drainRuns(service)
    const { request } = await requestOf(team, runId)
    assert.match(request.description, /could cost more than is left.*at most 0\.\d+ USD more/)
    await respond(team, runId, { approved: true })
    await drainRuns(service)
    const { status, output, limits } = await readRun(team, runId)
    assert.deepEqual([status, output], ['completed', 'done'])
    assert.ok(Number(limits.max_cost_usd) > 0.1)
  })

  proves('runs.limitAsks', 'asks for more cost also between two attempts of a turn', async () => {
    const team = await seedTeam(service)
    provider.answer({ usage: { input: 20_000, output: 4000 } }, { text: 'done', usage: { input: 100, output: 20 } })
    const limits = { max_cost_usd: 0.2, on_limit: 'ask' }
    const runId = await startRun(team, await seedModelAgent(team, 'Do it.', { limits }))
    await drainRuns(service)
    const { request } = await requestOf(team, runId)
    assert.match(request.description, /could cost more than is left/)
    await respond(team, runId, { approved: true })
    await drainRuns(service)
    const { status, output, usage } = await readRun(team, runId)
    assert.deepEqual([status, output, usage.cost_usd], ['completed', 'done', 0.1206])
    const unsettled = await sql`select seq from run_steps where run_id = ${runId} and unsettled > 0`
    assert.deepEqual(unsettled, [])
  })

  proves('runs.limitAsks', 'asks when its time is over, and continues with more of it', async () => {
    const team = await seedTeam(service)
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    provider.answer({ text: ['too', ' late'], hold: held }, { text: 'in time' })
    const agentId = await seedModelAgent(team, 'Do it.', { limits: { max_duration_s: 1, on_limit: 'ask' } })
    const runId = await startRun(team, agentId)
    await drainRuns(service)
    release()
    const { request } = await requestOf(team, runId)
    assert.match(request.description, /active for 1 seconds/)
    await sql`update human_requests set action = jsonb_set(action, '{arguments,to}', '3600') where id = ${request.id}`
    await respond(team, runId, { approved: true })
    await drainRuns(service)
    const { status, output, limits } = await readRun(team, runId)
    assert.deepEqual([status, output, limits.max_duration_s], ['completed', 'in time', 3600])
  })

  proves(
    'runs.limitAsks',
    'asks also when its time is over in the middle of a call and beside a wait, which both continue after the answer',
    async () => {
      const team = await seedTeam(service)
      let isTime = false
      const site = await startSite(() => isTime)
      const wait = { name: 'schedule_wait', arguments: { until: new Date(Date.now() + 3_600_000).toISOString() } }
      provider.answer({ calls: [...calls(site, ['/slow']).calls, wait] }, { text: 'done' })
      const limits = { max_duration_s: 1, on_limit: 'ask' }
      const runId = await startRun(
        team,
        await seedModelAgent(team, 'Do it.', { limits, plugins: ['http', 'human', 'schedule'] }),
      )
      await drainRuns(service)
      const { request } = await requestOf(team, runId)
      assert.match(request.description, /active for 1 seconds/)
      const [waiting] = await sql`select status, due_at, failures from runs where id = ${runId}`
      assert.deepEqual(waiting, { status: 'waiting', due_at: null, failures: 0 })
      isTime = true
      await sql`update human_requests set action = jsonb_set(action, '{arguments,to}', '7200') where id = ${request.id}`
      await respond(team, runId, { approved: true })
      await drainRuns(service)
      assert.deepEqual(site.seen, ['+/slow', '+/slow', '-/slow', '-/slow'])
      await sql`update runs set due_at = now() - interval '1 second' where id = ${runId}`
      await sql`
        update run_steps set result = jsonb_set(result, '{waiting_on,due_at}', to_jsonb(now())) where run_id = ${runId} and tool = 'schedule_wait'`
      await drainRuns(service)
      assert.equal((await readRun(team, runId)).output, 'done')
    },
  )
})

suite('calls of one turn', () => {
  proves('runs.callsTogether', 'run at once, each with its own row', async () => {
    const team = await seedTeam(service)
    // none is answered before all three have come
    const site = await startSite((seen) => seen.filter((one) => one.startsWith('+')).length >= 3)
    provider.answer(calls(site, ['/a', '/b', '/c']), { text: 'done' })
    const runId = await startRun(team, await seedModelAgent(team, 'Do it.'))
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).output, 'done')
    const rows = await sql`select state, attempt from run_steps where run_id = ${runId} and kind = 'tool'`
    assert.deepEqual(
      rows,
      [1, 2, 3].map(() => ({ state: 'done', attempt: 1 })),
    )
  })

  proves(
    'runs.callsAlone',
    'of a tool that the build sets to alone run one after the other, in the model’s order',
    async () => {
      const team = await seedTeam(service)
      const site = await startSite(() => true)
      provider.answer(calls(site, ['/a', '/b', '/c']), { text: 'done' })
      const agentId = await seedModelAgent(team, 'Do it.', { calls: { http_request: 'alone' } })
      const runId = await startRun(team, agentId)
      await drainRuns(service)
      assert.equal((await readRun(team, runId)).output, 'done')
      assert.deepEqual(site.seen, ['+/a', '-/a', '+/b', '-/b', '+/c', '-/c'])
    },
  )

  proves(
    'runs.approvalPolicy',
    'of which one is approved while another is made are both made: no answer of a person is missed',
    async () => {
      const team = await seedTeam(service)
      const approve = async (path: string) => {
        const [asked] = await sql<{ id: string; run_id: string }>`
          select h.id, h.run_id from human_requests h join runs r on r.id = h.run_id
          where r.team_id = ${team.id} and h.action #>> '{arguments,url}' like ${`%${path}`}`
        const { run_id, id } = asked!
        const answer = await team.call(`POST /v2/runs/${run_id}/human-requests/${id}/respond`, {
          body: { approved: true },
        })
        assert.equal(answer.status, 200, answer.text)
      }
      // a person allows the first call in the moment in which the second one is answered
      const site = await startSite(
        () => true,
        async (path) => (path === '/b' ? approve('/a') : undefined),
      )
      provider.answer(calls(site, ['/a', '/b'], 'POST'), { text: 'done' })
      const approvals = { http_request: { when: "arguments.method == 'POST'" } }
      const runId = await startRun(team, await seedModelAgent(team, 'Do it.', { approvals }))
      await drainRuns(service)
      await approve('/b')
      await drainRuns(service)
      assert.deepEqual(site.seen, ['+/b', '-/b', '+/a', '-/a'])
      assert.equal((await readRun(team, runId)).output, 'done')
    },
  )

  proves(
    'runs.fenced',
    'that waited for the database are not made by a process which no longer holds the run',
    async () => {
      const team = await seedTeam(service)
      const site = await startSite(() => true)
      await team.call('POST /v2/teams/:teamId/secrets', { body: { name: 'crm', values: { TOKEN: 'tok-1234567890' } } })
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      provider.answer({ text: ['I', ' call'], hold: held, ...calls(site, ['/a'], 'PUT') }, { text: 'done' })
      const next = newId()
      const loseWhileHeldUp = (runId: string) =>
        service.context.db.transaction(async (its) => {
          // the last thing that a process reads before it makes a call
          await its`lock table secrets in access exclusive mode`
          release()
          let begun: { worker: string } | undefined
          while (!begun) {
            const rows = await its<{ worker: string }>`
              select r.worker from runs r join run_steps s on s.run_id = r.id
              where r.id = ${runId} and s.kind = 'tool' and s.state = 'intent'`
            begun = rows[0]
          }
          // nobody is taken for dead sooner
          await its`select pg_sleep(0.5)`
          await reviveRuns(its, { id: begun.worker, role: 'worker', is_news: true })
          await claimRuns(its, next, 100)
        })
      const lost = Promise.withResolvers<void>()
      const stop = engineOf(service.context).onText((id) => {
        stop()
        loseWhileHeldUp(id).then(lost.resolve, lost.reject)
      })
      const runId = await startRun(team, await seedModelAgent(team, 'Do it.', { secrets: ['crm'] }))
      await drainRuns(service)
      await lost.promise
      await drainRuns(service)
      assert.deepEqual(site.seen, [])
      await reviveRuns(sql, { id: next, role: 'worker', is_news: true })
      await drainRuns(service)
      assert.deepEqual(site.seen, ['+/a', '-/a'])
      assert.equal((await readRun(team, runId)).output, 'done')
    },
  )

  proves(
    'runs.callsAlone',
    'that had not begun when their process lost the run are made by the next one, without a question',
    async () => {
      const team = await seedTeam(service)
      const site = await startSite(
        () => true,
        async (path) => {
          if (path !== '/a') return
          const [run] = await sql<{
            worker: string
          }>`select worker from runs where team_id = ${team.id} and worker is not null`
          await reviveRuns(sql, { id: run!.worker, role: 'worker', is_news: true })
        },
      )
      provider.answer(calls(site, ['/a', '/b'], 'POST'), { text: 'done' })
      const agentId = await seedModelAgent(team, 'Do it.', { calls: { http_request: 'alone' } })
      const runId = await startRun(team, agentId)
      await drainRuns(service)
      assert.equal((await readRun(team, runId)).output, 'done')
      assert.deepEqual(site.seen, ['+/a', '-/a', '+/b', '-/b'])
      const asked = await sql`select id from human_requests where run_id = ${runId}`
      assert.deepEqual(asked, [])
    },
  )
})
