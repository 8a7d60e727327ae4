// What a config says to the engine, and everything that can be wrong in one.
import assert from 'node:assert/strict'
import { parseBuildConfig, problemsOf, type ServerFacts } from './buildConfig.ts'
import { proves } from '../../../test/kit/proves.ts'

const known: ServerFacts = {
  plugins: ['memory', 'human'],
  defaultModel: 'builtin:runbook',
  runbookProblems: (procedure) =>
    procedure.split('\n').flatMap((text, index) => (text.includes('bad') ? [{ line: index + 1, message: text }] : [])),
  expressionProblem: (expression) => (expression.includes('??') ? 'there is no ??' : undefined),
  isAllowed: (model) => model !== 'openai:forbidden',
  hasPrice: (model) => model === 'openai:priced',
}

const withData = (data: unknown) => ({ version: 'v2', data })
const problems = (data: unknown) => problemsOf(withData(data), known).map(({ path, message }) => `${path}: ${message}`)

proves(
  'builds.config',
  'a config is read with its defaults, and keys that mean nothing to the engine do no harm',
  () => {
    const empty = parseBuildConfig(withData({ options: { any: 1 }, mystery: [null] }))
    assert.deepEqual(empty, {
      procedure: '',
      models: [],
      plugins: null,
      connections: [],
      subAgents: [],
      given: { secrets: [], logins: [], skills: [], files: [] },
      limits: { max_steps: 200, max_duration_s: 3600, max_cost_usd: null, max_tokens: null },
      onLimit: 'fail',
      max_concurrent_runs: null,
      approvals: new Map(),
      calls: new Map(),
      workerPool: null,
      output_schema: null,
    })
    const full = parseBuildConfig(
      withData({
        input: '# Do it',
        models: { agent: { model: 'openai:priced' } },
        plugins: ['memory'],
        connections: ['c'],
        subAgents: ['a'],
        limits: {
          max_steps: 5,
          max_duration_s: 0.5,
          max_cost_usd: 0.1,
          max_tokens: 1000,
          max_concurrent_runs: 2,
          on_limit: 'ask',
        },
        calls: { http_request: 'alone' },
        worker_pool: 'heavy',
        approvals: { http_request: 'always', memory_write: 'never', sandbox_exec: { when: 'arguments.code == "x"' } },
        output_schema: { type: 'object' },
      }),
    )
    assert.deepEqual(full, {
      procedure: '# Do it',
      models: ['openai:priced'],
      plugins: ['memory'],
      connections: ['c'],
      subAgents: ['a'],
      given: { secrets: [], logins: [], skills: [], files: [] },
      limits: { max_steps: 5, max_duration_s: 0.5, max_cost_usd: '0.1', max_tokens: 1000 },
      onLimit: 'ask',
      max_concurrent_runs: 2,
      calls: new Map([['http_request', 'alone']]),
      workerPool: 'heavy',
      approvals: new Map<string, unknown>([
        ['http_request', 'always'],
        ['memory_write', 'never'],
        ['sandbox_exec', { when: 'arguments.code == "x"' }],
      ]),
      output_schema: { type: 'object' },
    })
  },
)

proves(
  'builds.config',
  'a procedure may be a list of messages, and a problem in one of them is reported by its own line',
  () => {
    const input = [
      { role: 'system', content: 'one\r\ntwo' },
      { role: 'user', content: 'three\nbad four' },
    ]
    assert.equal(parseBuildConfig(withData({ input })).procedure, 'one\r\ntwo\n\nthree\nbad four')
    assert.deepEqual(problems({ input }), ['data.input[1].content: line 2: bad four'])
  },
)

proves('builds.approvals', 'a policy that cannot be read asks a person instead of permitting', () => {
  assert.deepEqual([...parseBuildConfig(withData({ approvals: { pay: 'sometimes' } })).approvals], [['pay', 'always']])
})

const models = (model: unknown) => ({ models: { agent: { model } } })
const wantedModel =
  'must be builtin:runbook, or provider:model with one of the providers anthropic, openai, google, openai-compatible; ' +
  'names that begin with claude-, gpt- or gemini- need no provider'

const table: [data: unknown, expected: string[]][] = [
  [{}, []],
  [{ input: null, models: null, plugins: null, limits: null, approvals: null, output_schema: null }, []],
  [{ input: 'fine\nbad block' }, ['data.input: line 2: bad block']],
  ...[5, {}, Array(101).fill('x')].map((input): [unknown, string[]] => [
    { input },
    ['data.input: must be Markdown text or a list of at most 100 {"role", "content"} messages'],
  ]),
  [
    { input: [{ role: 'user', content: 'x' }, 'y', { role: 'tool', content: 'z' }] },
    [
      'data.input[1]: must be {"role": "system", "content": text}',
      'data.input[2].role: must be one of system, user, assistant',
    ],
  ],
  [{ input: 'é'.repeat(131_072) }, []],
  [{ input: `${'é'.repeat(131_072)}x` }, ['data.input: is larger than 256 KiB; move parts of it into other agents']],
  [models('anthropic:claude'), []],
  [models('openai-compatible:org/name:7b@q4'), []],
  [models('builtin:runbook'), []],
  ...['', 'claude', 'mistral:large', 'openai:', 'openai: x', ':x', 'builtin:other', 'OpenAI:x', 7, {}].map(
    (model): [unknown, string[]] => [models(model), [`data.models.agent.model: ${wantedModel}`]],
  ),
  [{ models: [] }, ['data.models: must be an object such as {"agent": {"model": "builtin:runbook"}}']],
  [
    { models: { agent: 'x' } },
    ['data.models.agent: must be an object such as {"model": "builtin:runbook"}, or a list of them'],
  ],
  [
    { plugins: ['memory', 'telepathy'] },
    ['data.plugins: "telepathy" is not a plugin of this server; it has memory, human'],
  ],
  [{ plugins: 'memory' }, ['data.plugins: must be a list of at most 100 names of plugins']],
  [{ plugins: [7, ''] }, [0, 1].map((at) => `data.plugins[${at}]: must be text: the list holds names of plugins`)],
  [{ subAgents: Array(101).fill('a') }, ['data.subAgents: must be a list of at most 100 ids of agents']],
  [{ connections: {} }, ['data.connections: must be a list of at most 100 ids of connections']],
  [{ limits: { on_limit: 'beg' } }, ['data.limits.on_limit: must be "fail" or "ask"']],
  [{ calls: ['alone'] }, ['data.calls: must be an object of tool names, such as {"http_request": "alone"}']],
  [
    { worker_pool: 'Heavy' },
    ['data.worker_pool: must be the name of a pool: 1 to 32 small letters, digits and -, beginning with a letter'],
  ],
  [{ calls: { http_request: 'never' } }, ['data.calls.http_request: must be "alone" or "together"']],
  [{ limits: 5 }, ['data.limits: must be an object such as {"max_steps": 200}']],
  ...[0, -1, 1.5, '5', 1_000_001, true].map((max_steps): [unknown, string[]] => [
    { limits: { max_steps } },
    ['data.limits.max_steps: must be a whole number from 1 to 1000000'],
  ]),
  [{ limits: { max_duration_s: 0 } }, ['data.limits.max_duration_s: must be above 0 and at most 2592000']],
  [{ limits: { max_tokens: 0.5 } }, ['data.limits.max_tokens: must be a whole number from 1 to 1000000000000']],
  [{ limits: { max_concurrent_runs: 0 } }, ['data.limits.max_concurrent_runs: must be a whole number from 1 to 10000']],
  [{ ...models('openai:priced'), limits: { max_cost_usd: 0.01 } }, []],
  [
    { limits: { max_cost_usd: 1 } },
    [
      'data.limits.max_cost_usd: builtin:runbook has no price, so its cost cannot be limited; ' +
        'leave the limit out, or add the price to the file that RUNYARD_MODEL_PRICES names',
    ],
  ],
  [{ approvals: 'always' }, ['data.approvals: must be an object of tool names, such as {"http_request": "always"}']],
  [
    { approvals: { a: 'maybe', b: { when: 5 }, c: { when: 'x ?? y' }, d: { when: 'x > 1' } } },
    [
      'data.approvals.a: must be "never", "always" or {"when": "<expression>"}',
      'data.approvals.b: must be "never", "always" or {"when": "<expression>"}',
      'data.approvals.c.when: there is no ??',
    ],
  ],
  [{ output_schema: [] }, ['data.output_schema: must be a JSON Schema (an object)']],
  [{ mystery: 'x'.repeat(524_288) }, ['config: is larger than 512 KiB of JSON; shorten it']],
]

proves('builds.problems', 'each mistake in a config is reported with its path', () => {
  for (const [data, expected] of table) assert.deepEqual(problems(data), expected, JSON.stringify(data).slice(0, 200))
  const noConfig = [{ path: 'config', message: 'must be {"version": "v2", "data": {…}}' }]
  for (const config of [null, [], 'v2', {}, { version: 'v1', data: {} }, withData([]), withData(null)]) {
    assert.deepEqual(problemsOf(config, known), noConfig)
    assert.equal(parseBuildConfig(config).procedure, '')
  }
})

proves('builds.problems', 'all mistakes are reported at once', () => {
  const data = { input: 'bad', ...models('x'), plugins: ['y'], limits: { max_steps: 0 }, approvals: { z: 1 } }
  assert.deepEqual(
    problemsOf(withData(data), known)
      .map(({ path }) => path)
      .toSorted(),
    ['data.approvals.z', 'data.input', 'data.limits.max_steps', 'data.models.agent.model', 'data.plugins'],
  )
})

const routes = (...names: unknown[]) => ({ models: { agent: names.map((model) => ({ model })) } })

proves(
  'builds.routes',
  'a list of models is read in its order, and what is wrong with one is reported with its place',
  () => {
    assert.deepEqual(parseBuildConfig(withData(routes('claude-x', 'openai:gpt-5'))).models, [
      'anthropic:claude-x',
      'openai:gpt-5',
    ])
    assert.deepEqual(parseBuildConfig(withData({ models: { agent: [] } })).models, [])
    assert.deepEqual(problems(routes('claude-x', 'openai:gpt-5')), [])
    assert.match(problems(routes('claude-x', 7)).join(), /^data\.models\.agent\[1\]\.model: must be/)
    assert.match(problems({ models: { agent: ['claude-x'] } }).join(), /^data\.models\.agent\[0\]: must be/)
    assert.match(problems(routes('claude-x', 'anthropic:claude-x')).join(), /names a model twice/)
    assert.match(problems(routes('claude-x', 'builtin:runbook')).join(), /beside other models/)
    assert.match(problems(routes('claude-x', 'openai:forbidden')).join(), /does not allow the model openai:forbidden/)
    assert.match(problems(routes(...'abcdef'.split('').map((name) => `openai:${name}`))).join(), /at most 5/)
    const limited = { ...routes('openai:priced', 'openai:free'), limits: { max_cost_usd: 1 } }
    assert.match(problems(limited).join(), /openai:free has no price/)
  },
)
