// Secrets as people and runs see them: kept sealed, given to commands and calls, and found nowhere in clear.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { newId } from '../../base/ids.ts'
import { startFakeAnthropic } from '../../../test/fakes/anthropic.ts'
import { assertClean, dumpTables } from '../../../test/kit/canaries.ts'
import { proves } from '../../../test/kit/proves.ts'
import { startReceiver } from '../../../test/kit/receiver.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { openVariables } from './variables.ts'

const provider = await startFakeAnthropic()
after(() => provider.close())
const receiver = await startReceiver()
const service = await testApp({
  config: {
    allowPrivateHosts: ['127.0.0.1'],
    anthropicKey: 'sk-ant-1234567890',
    anthropicUrl: provider.url,
    sandbox: 'just_bash',
  },
})
const team = await seedTeam(service)
const block = (words: string, body = '') => `\`\`\`${words}\n${body}\n\`\`\`\n\n`
const unique = () => `set_${newId().slice(-8)}`

async function makeSecret(values: Record<string, string>, more: object = {}, by: TestTeam = team) {
  const name = unique()
  const { status, body, text } = await by.call('POST /v2/teams/:teamId/secrets', { body: { name, values, ...more } })
  assert.equal(status, 201, text)
  return { id: body.secret_id as string, name }
}

const valuesOf = async (id: string) => {
  const [row] = await team.sql<{ sealed: Buffer }>`select sealed from secrets where id = ${id}`
  return openVariables(service.context.keyring, id, row!.sealed)
}

/** Runs the procedure to its end and returns the run. */
async function ran(procedure: string, data: Record<string, unknown>, body: Record<string, unknown> = {}) {
  const id = await startRun(team, await seedAgent(team, procedure, data), body)
  await drainRuns(service)
  return readRun(team, id)
}

const save = (input: string, secrets: string[]) =>
  team.call('POST /v2/teams/:teamId/agents', {
    body: { name: 'Tested', build: { config: { version: 'v2', data: { input, secrets } } } },
  })

/** A key of another member of the team. */
async function keyOf(role: string): Promise<{ key: string; id: string }> {
  const { body } = await team.call('POST /v2/teams/:teamId/members', { body: { name: role, role } })
  const made = await team.call('POST /v2/teams/:teamId/api-keys', {
    body: { name: 'k', scopes: ['*'], user_id: body.member_id },
  })
  return { key: made.body.secret, id: body.member_id }
}

proves('secrets.kept', 'values are sealed and never answered, their names are', async () => {
  const value = 'kept-canary-0a1b2c'
  const { id, name } = await makeSecret({ TOKEN: value, B_KEY: 'other-value' })
  assert.deepEqual(await valuesOf(id), { TOKEN: value, B_KEY: 'other-value' })
  const one = await team.call(`GET /v2/secrets/${id}`)
  const list = await team.call(`GET /v2/teams/:teamId/secrets?search=${name}`)
  assert.deepEqual(one.body.secret.env_var_keys, ['B_KEY', 'TOKEN'])
  assert.deepEqual([list.body.total, list.body.secrets[0].id], [1, id])
  for (const { text } of [one, list]) assertClean([value], 'an answer', text)
  const twice = await team.call('POST /v2/teams/:teamId/secrets', { body: { name, values: { A: 'value-a' } } })
  assert.equal(twice.body.error, 'duplicate_name')
})

proves('secrets.change', 'a change sets, renames and removes variables', async () => {
  const { id } = await makeSecret({ A: 'first one', B: 'second', C: 'third one' })
  const body = { renamed_keys: { A: 'Z' }, values: { B: null, D: 'fourth' }, shared: false }
  const { body: changed } = await team.call(`PATCH /v2/secrets/${id}`, { body })
  assert.deepEqual([changed.secret.env_var_keys, changed.secret.shared], [['C', 'D', 'Z'], false])
  assert.deepEqual(await valuesOf(id), { Z: 'first one', C: 'third one', D: 'fourth' })
  const other = await makeSecret({ A: 'value-a' })
  const taken = await team.call(`PATCH /v2/secrets/${id}`, { body: { name: other.name } })
  assert.equal(taken.body.error, 'duplicate_name')
})

proves('secrets.refused', 'what could not be a variable is refused with the reason', async () => {
  const { id } = await makeSecret({ A: 'value-a' })
  const refusals: [string, object, RegExp][] = [
    ['POST /v2/teams/:teamId/secrets', { name: 'a b', values: { A: 'value-a' } }, /name/],
    ['POST /v2/teams/:teamId/secrets', { name: 'x', values: { '1A': 'value-a' } }, /not the name of a variable/],
    ['POST /v2/teams/:teamId/secrets', { name: 'x', values: { PATH: 'value-a' } }, /must not set PATH/],
    ['POST /v2/teams/:teamId/secrets', { name: 'x', values: { LD_PRELOAD: 'value-a' } }, /must not set LD_PRELOAD/],
    ['POST /v2/teams/:teamId/secrets', { name: 'x', values: {} }, /values/],
    ['POST /v2/teams/:teamId/secrets', { name: 'x', values: { A: '12345' } }, /values\.A must have at least 6/],
    [`PATCH /v2/secrets/${id}`, { values: { B: 'short' } }, /values\.B must have at least 6 .* would not be cut out/],
    [`PATCH /v2/secrets/${id}`, { values: { A: null } }, /at least one/],
    [`PATCH /v2/secrets/${id}`, { renamed_keys: { B: 'C' } }, /does not have/],
  ]
  for (const [route, body, reason] of refusals) {
    const answer = await team.call(route, { body })
    assert.equal(answer.status, 400, JSON.stringify(body))
    assert.match(answer.body.message, reason)
  }
})

proves(
  'secrets.roles',
  'operators write secrets, viewers only read their names, others change no private one',
  async () => {
    const operator = await keyOf('operator')
    const viewer = await keyOf('viewer')
    const { id } = await makeSecret({ A: 'value-of-a' }, { shared: false })
    const made = { body: { name: unique(), values: { A: 'value-a' } } }
    assert.equal((await team.call('POST /v2/teams/:teamId/secrets', { ...made, key: operator.key })).status, 201)
    const refused = await team.call('POST /v2/teams/:teamId/secrets', { ...made, key: viewer.key })
    assert.deepEqual([refused.status, refused.body.error], [403, 'insufficient_scope'])
    assert.equal((await team.call(`GET /v2/secrets/${id}`, { key: viewer.key })).status, 200)
    const foreign = await team.call(`PATCH /v2/secrets/${id}`, { body: { shared: true }, key: operator.key })
    assert.deepEqual([foreign.status, foreign.body.error], [403, 'forbidden'])
  },
)

proves('secrets.inBuilds', 'a build that names what is not there is refused when it is saved', async () => {
  const { name } = await makeSecret({ TOKEN: 'a-token-value' })
  const call = (key: string, set = name) =>
    block('http', `GET ${receiver.url}/a\nAuthorization: Bearer {{ secrets.${set}.${key} }}`)
  assert.equal((await save(call('TOKEN'), [name])).status, 201)
  const refusals: [string, string[], RegExp][] = [
    [call('TOKEN'), ['nothing_of_this_name'], /data\.secrets: the team has no secret/],
    [call('TOKEN'), [], /line 1: add .* to data\.secrets/],
    [call('OTHER'), [name], /has no variable OTHER/],
    [block('bash', `echo {{ secrets.${name}.TOKEN }}`), [name], /Commands find it in their environment/],
    [block('http', `GET ${receiver.url}/{{ secrets.${name}.TOKEN }}`), [name], /A secret stands in the headers/],
    [block('output', `{{ secrets.${name}.TOKEN }}`), [name], /A secret stands in the headers/],
    [block('http', `GET ${receiver.url}/\nA: {{ secrets.${name}.TOKEN | upper }}`), [name], /alone between its braces/],
    [block(`http if="secrets.${name}.TOKEN == 'x'"`, `GET ${receiver.url}/`), [name], /A secret stands in the headers/],
  ]
  for (const [input, secrets, reason] of refusals) {
    const { status, body } = await save(input, secrets)
    assert.equal(status, 400, input)
    assert.match(body.message, reason)
  }
})

proves(
  'secrets.inCalls',
  'commands have the variables, calls carry the values, and the ledger only their marks',
  async () => {
    const token = 'in-calls-"quoted"-77aa'
    const { id, name } = await makeSecret({ TOKEN: token })
    const procedure = [
      block(
        'http',
        `POST ${receiver.url}/json\nX-Key: {{ secrets.${name}.TOKEN }}\n\n{"a": "x {{ secrets.${name}.TOKEN }}"}`,
      ),
      block(
        'http',
        `POST ${receiver.url}/form\nContent-Type: application/x-www-form-urlencoded\n\na={{ secrets.${name}.TOKEN }}`,
      ),
      block('bash id=sh', 'printf %s "$TOKEN" | wc -c; echo "$TOKEN"; mkdir -p out; echo "<$TOKEN>" > out/left.txt'),
      block('bash id=again', 'cat out/left.txt'),
      block('python id=py', 'import os\nprint(len(os.environ["TOKEN"]))'),
      block(
        'output',
        '{"sh": {{ steps.sh.output.stdout }}, "again": {{ steps.again.output.stdout }}, "py": {{ steps.py.output.stdout }}}',
      ),
    ].join('')
    const run = await ran(procedure, { secrets: [id] })
    assert.equal(run.status, 'completed', JSON.stringify(run.error))
    const [json, form] = receiver.received.slice(-2)
    assert.equal(json!.headers['x-key'], token)
    assert.deepEqual(JSON.parse(json!.body.toString()), { a: `x ${token}` })
    assert.equal(new URLSearchParams(form!.body.toString()).get('a'), token)
    assert.deepEqual(run.output, { sh: `${token.length}\n[cut]\n`, again: '<[cut]>\n', py: `${token.length}\n` })
    const steps = await team.sql<{
      text: string
    }>`select arguments::text as text from run_steps where run_id = ${run.id}`
    assert.ok(steps[0]!.text.includes(`{{ secrets.${name}.TOKEN }}`))
  },
)

proves('secrets.notForged', 'no value and no model chooses the secret of a call', async () => {
  const { name } = await makeSecret({ TOKEN: 'not-forged-31415' })
  const mark = `{{ secrets.${name}.TOKEN }}`
  const before = receiver.received.length
  const halves = block('http', `POST ${receiver.url}/\nX-Own: ${mark}\nX-Two: {{ message.a }}{{ message.b }}`)
  const message = { a: '{{ secr', b: `ets.${name}.TOKEN }}` }
  const forged = await ran(halves, { secrets: [name] }, { message })
  assert.match(forged.error.message, /only the procedure itself may say/)
  provider.answer(
    { calls: [{ name: 'http_request', arguments: { url: receiver.url, headers: { 'X-Own': mark } } }] },
    { text: 'done' },
  )
  const models = { agent: { model: 'anthropic:claude-sonnet-4-5' } }
  const modelled = await ran('Do it.', { secrets: [name], plugins: ['http'], models }, { message: 'go' })
  const { body } = await team.call(`GET /v2/runs/${modelled.id}/messages`)
  assert.ok(JSON.stringify(body).includes('Only the blocks of a procedure may name secrets'))
  assert.equal(receiver.received.length, before)
})

proves(
  ['secrets.private', 'secrets.audit'],
  'a private secret is for its maker’s runs alone, and each use is in the audit log',
  async () => {
    const { id } = await makeSecret({ TOKEN: 'private-271828' }, { shared: false })
    const agent = await seedAgent(team, block('bash', 'echo "${#TOKEN}"'), { secrets: [id] })
    const other = await keyOf('operator')
    const own = await startRun(team, agent)
    const foreign = await team.call('POST /v2/teams/:teamId/runs', { body: { agent_id: agent }, key: other.key })
    await drainRuns(service)
    assert.equal((await readRun(team, own)).status, 'completed')
    assert.match((await readRun(team, foreign.body.run_id)).error.message, /for runs that its own maker starts/)
    const { body } = await team.call('GET /v2/teams/:teamId/audit-log?operation=useSecret')
    const entries = body.entries.filter((entry: { target_id: string }) => entry.target_id === id)
    assert.deepEqual(
      entries.map((entry: Record<string, string>) => [
        entry['credential_type'],
        entry['credential_id'],
        entry['user_id'],
      ]),
      [['run', own, team.memberId]],
    )
    assert.notEqual((await team.call(`GET /v2/secrets/${id}`)).body.secret.last_used_at, null)
  },
)

proves('secrets.deleted', 'deletion answers who used it, and their commands say what is missing', async () => {
  const { id, name } = await makeSecret({ TOKEN: 'deleted-161803' })
  const agent = await seedAgent(team, block('bash', 'true'), { secrets: [name] })
  const { body } = await team.call(`GET /v2/secrets/${id}/dependents`)
  const gone = await team.call(`DELETE /v2/secrets/${id}`)
  assert.deepEqual(gone.body, { success: true, ...body })
  assert.deepEqual([body.agents_total, body.agents.map((one: { id: string }) => one.id)], [1, [agent]])
  const run = await startRun(team, agent)
  await drainRuns(service)
  assert.match((await readRun(team, run)).error.message, /does not exist any more/)
})

proves(
  'secrets.canary',
  'no secret is found in answers, messages, events, logs, requests of a model or the database',
  async () => {
    const canaries = ['canary-secret-9f8e7d', 'canary-"other"-6c5b4a']
    const { id, name } = await makeSecret({ TOKEN: canaries[0]!, OTHER: canaries[1]! })
    receiver.answer(200, { 'content-type': 'application/json' }, JSON.stringify({ said: canaries }))
    const leak =
      'env; echo "$OTHER" | base64; printf "%s" "$TOKEN" > file.txt; mkdir "$TOKEN"; touch "$TOKEN/x"; ls; cat file.txt >&2'
    const procedure = [
      block('http', `POST ${receiver.url}/\nX-Key: {{ secrets.${name}.TOKEN }}\n\n{{ secrets.${name}.OTHER }}`),
      block('bash', leak),
      block('tool name=sandbox_read_file', '{"path": "file.txt"}'),
      block('bash on_error=continue', 'echo "$TOKEN"; exit 1'),
    ].join('')
    const plain = await ran(procedure, { secrets: [id] })
    assert.equal(plain.status, 'completed', JSON.stringify(plain.error))
    provider.answer(
      {
        text: 'I see.',
        calls: [
          { name: 'sandbox_exec', arguments: { code: leak } },
          { name: 'http_request', arguments: { url: `${receiver.url}/`, method: 'POST' } },
        ],
      },
      { calls: [{ name: 'sandbox_read_file', arguments: { path: 'file.txt' } }] },
      { text: `It is ${canaries[0]}.` },
    )
    const data = {
      secrets: [id],
      plugins: ['http', 'sandbox'],
      models: { agent: { model: 'anthropic:claude-sonnet-4-5' } },
    }
    const modelled = await ran('Do it.', data, { message: 'go' })
    assert.equal(modelled.status, 'completed', JSON.stringify(modelled.error))
    assert.deepEqual(modelled.output, 'It is [cut].')
    const reads = ['', '/messages', '/why', '/events'].flatMap((path) =>
      [plain, modelled].map((run) => team.call(`GET /v2/runs/${run.id}${path}`)),
    )
    for (const { status, text } of await Promise.all(reads)) {
      assert.equal(status, 200, text)
      assertClean(canaries, 'an answer', text)
    }
    assert.ok(provider.requests.length >= 3 && service.logged.length > 0)
    for (const request of provider.requests) assertClean(canaries, 'a model', JSON.stringify(request.body))
    assertClean(canaries, 'the log', service.logged.join('\n'))
    const tables = await dumpTables(service.context)
    assert.ok(tables.get('public.run_messages')!.includes('[cut]'))
    for (const [table, text] of tables) assertClean(canaries, table, text)
  },
)
