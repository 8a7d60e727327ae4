// A 400 lists every problem of a request at once: what is missing, of the wrong type, out of range or inconsistent, in query and body.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seedQueue } from './kit/cases.ts'
import { drainRuns, seedAgent, startRun } from './kit/runs.ts'
import { seeders, seedTeam } from './kit/seed.ts'
import { testApp } from './kit/testApp.ts'
import { proves, provesTogether } from './kit/proves.ts'

const service = await testApp()
const team = await seedTeam(service)
const agentId = await seeders['agent']!(team, {})
const queueId = await seedQueue(team)
const sandboxId = await seeders['sandbox']!(team, {})

async function questioned(): Promise<string> {
  const questions = ['One?', 'Two?', 'Three?'].map((question) => ({
    question,
    options: [{ label: 'yes' }, { label: 'no' }],
  }))
  const block = `\`\`\`tool name=human_ask\n${JSON.stringify({ title: 'Some', questions })}\n\`\`\`\n`
  const runId = await startRun(team, await seedAgent(team, block, { plugins: ['human'] }))
  await drainRuns(service)
  const { body } = await team.call(`GET /v2/runs/${runId}`)
  return `POST /v2/runs/${runId}/human-requests/${body.pending_human_request.id}/respond`
}

const connections = 'POST /v2/teams/:teamId/connections'
const schedules = `POST /v2/agents/${agentId}/schedules`
const cases = `POST /v2/queues/${queueId}/cases`
/** A text with too many bytes, though not too many characters. */
const large = 'é'.repeat(200_000)

const refusals: [route: string, body: unknown, names: (string | RegExp)[]][] = [
  [
    'POST /v2/teams/:teamId/webhooks',
    { events: ['run.completed', 'nothing', 5], description: 7 },
    ['url is missing', 'events.1 must be one of', 'events.2 must be', 'description must be string or must be null'],
  ],
  [
    'POST /v2/teams/:teamId/runs',
    {
      title: 'x'.repeat(301),
      limits: { max_steps: 0, max_duration_s: 'long', max_tokens: 1.5 },
      metadata: [],
      callback_url: 5,
    },
    [
      'agent_id is missing',
      'title must not have',
      'limits.max_steps',
      'limits.max_duration_s',
      'limits.max_tokens',
      'metadata must be',
      'callback_url must be',
    ],
  ],
  [
    'POST /v2/teams/:teamId/members',
    { name: '', email: 'none', role: 'king' },
    ['name ', 'email ', 'role must be one of'],
  ],
  [
    cases,
    { cases: [{ data: 5 }, { title: 'x'.repeat(501), priority: 'top', labels: [{ key: 5 }] }] },
    [
      'cases.0.title is missing',
      'cases.0.data',
      'cases.1.title',
      'cases.1.priority',
      'cases.1.labels.0.value is missing',
      'cases.1.labels.0.key',
    ],
  ],
  [
    cases,
    {
      case: { title: 'a', data: large },
      cases: [{ title: 'b', data: large }, { title: 'c' }, { title: 'd', data: large }],
    },
    ['either case', 'case.data', 'cases.0.data', 'cases.2.data'],
  ],
  [
    connections,
    { name: ' x', type: 'native', api_key: '', headers: { a: 5 }, server_url: 5 },
    ['name ', 'type must be one of', 'api_key ', 'headers.a must be string', 'server_url must be string'],
  ],
  [
    connections,
    {
      name: 'x',
      type: 'api',
      transport: 'sse',
      server_url: 'http://10.0.0.1/',
      api_key_header: 'x-key',
      headers: { Host: 'a', TE: 'b' },
    },
    [
      'transport is for MCP servers',
      /10\.0\.0\.1|public/i,
      'api_key_header needs',
      'must not set Host',
      'must not set TE',
    ],
  ],
  [
    schedules,
    { frequency: 'weekly', cron: '* * *', timezone: 'Mars/Base' },
    ['time is missing', 'day is missing', 'cron does not go with', 'timezone is not known'],
  ],
  [
    `POST /v2/queues/${queueId}/cases/bulk-delete`,
    { case_ids: ['a'], all_matching: true, search: 'x' },
    ['either case_ids', 'filters and search go with'],
  ],
  [
    `POST /v2/queues/${queueId}/cases/search?limit=9`,
    { limit: 1000, offset: -1, sort_by: 'x', filters: { status: ['x'] } },
    ['limit must be', 'offset must be', 'sort_by must be', 'filters.status.0 must be'],
  ],
  [
    await questioned(),
    { answers: { 'One?': 'yes', 'Two?': 'perhaps' } },
    ['"Two?" takes one of', '"Three?" has no answer'],
  ],
  [
    'POST /v2/mcp?toolsets=a;b&readonly=maybe',
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    ['toolsets', 'readonly must be one of'],
  ],
]

provesTogether('errors.everyProblem', 'a 400 names every problem of', () => {
  for (const [route, body, names] of refusals) {
    test(`${route.replaceAll(/[0-9a-f-]{36}/g, '…')} ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const answer = await team.call(route, { body: body as object })
      assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_request'], answer.text)
      for (const name of names) {
        const isTold = typeof name === 'string' ? answer.body.message.includes(name) : name.test(answer.body.message)
        assert.ok(isTold, `${String(name)} in: ${answer.body.message}`)
      }
    })
  }

  test('a query', async () => {
    const query =
      'limit=x&offset=-1&status=odd&since=yesterday&has_issues=maybe&sort_by=size&source=a&source=b&search=%ff'
    const { status, body } = await team.call(`GET /v2/teams/:teamId/runs?${query}`)
    assert.equal(status, 400)
    for (const name of ['limit', 'offset', 'status', 'since', 'has_issues', 'sort_by', 'source', 'search']) {
      assert.match(body.message, new RegExp(`\\b${name} `), name)
    }
  })

  test('a query and a body together, and of texts that cannot be stored', async () => {
    const path = `POST /v2/sandboxes/${sandboxId}/exec`
    const { body } = await team.call(path, { body: { command: 'a\u0000', timeout_s: 'b\u0000', odd: ['\ud800'] } })
    for (const name of ['command', 'timeout_s', 'odd[0]'])
      assert.ok(body.message.includes(`${name} contains`), body.message)
    const { body: both } = await team.call('POST /v2/mcp?readonly=maybe&schemas=perhaps', { body: {} })
    assert.match(both.message, /readonly must be one of.*schemas must be one of/)
  })

  test('a body with very many, of which the first are reported and the rest counted', async () => {
    const many = Array.from({ length: 100 }, () => ({ title: 5 }))
    const { body } = await team.call(cases, { body: { cases: many } })
    assert.match(body.message, /cases\.0\.title must be string.*And \d+ more\.$/)
    assert.ok(body.message.length < 2200)
  })
})

proves('errors.everyProblem', 'every case that a list of ids names in vain is reported', async () => {
  const known = await seeders['case']!(team, { queue: queueId })
  const body = { case_ids: ['a', known, 'b'] }
  const answer = await team.call(`POST /v2/queues/${queueId}/cases/bulk-delete`, { body })
  assert.equal(answer.status, 404)
  assert.match(answer.body.message, /case_ids\.0, case_ids\.2\b/)
})
