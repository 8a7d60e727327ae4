// What a hostile tenant writes and the service evaluates, through HTTP: each attack ends in a clear answer, and the service goes on.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { costlySchemas, doublingChain, refusedSchemas } from './fuzz/hostileSchemas.ts'
import { drainRuns, readRun, seedAgent, startRun } from './kit/runs.ts'
import { seedTeam, type TestTeam } from './kit/seed.ts'
import { testApp } from './kit/testApp.ts'

const service = await testApp()
const { sql } = service.context.db

const block = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`
const echo = block('output', '{{ message }}')
const slowText = `${'a'.repeat(60)}!`

async function endOf(team: TestTeam, agentId: string, message: unknown) {
  const runId = await startRun(team, agentId, { message })
  await drainRuns(service)
  return readRun(team, runId)
}

/** The service is not only alive: it does its work. */
async function assertAtWork(): Promise<void> {
  const other = await seedTeam(service)
  const run = await endOf(other, await seedAgent(other, echo), 'still here')
  assert.deepEqual([run.status, run.output], ['completed', 'still here'])
}

const makeAgent = (team: TestTeam, data: Record<string, unknown>) =>
  team.call('POST /v2/teams/:teamId/agents', { body: { name: 'Hostile', build: { config: { version: 'v2', data } } } })

suite('an output schema', () => {
  // proves bounds.outputSchema
  test('whose pattern would hang an engine that backtracks fails the run, and the service goes on', async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, echo, { output_schema: { type: 'string', pattern: '^(a+)+$' } })
    const run = await endOf(team, agentId, slowText)
    assert.deepEqual([run.status, run.error.code], ['failed', 'output_invalid'])
    assert.match(run.error.message, /must match the pattern/)
    assert.equal((await endOf(team, agentId, 'a'.repeat(60))).status, 'completed')
    await assertAtWork()
  })

  // proves bounds.outputSchema
  test('whose parts double with every level fails the run as one that takes too long', async () => {
    const team = await seedTeam(service)
    for (const levels of [24, 60]) {
      const run = await endOf(team, await seedAgent(team, echo, { output_schema: doublingChain(levels) }), 'text')
      assert.deepEqual([run.status, run.error.code], ['failed', 'output_invalid'])
      assert.match(run.error.message, /takes too long to check/)
    }
    await assertAtWork()
  })

  // proves bounds.savedSchemas
  test('that cannot be used is refused with the place of each problem, wherever a config is taken', async () => {
    const team = await seedTeam(service)
    const output_schema = { properties: { a: { pattern: '(' }, b: { $ref: '#/no' }, c: { pattern: '(?=x)y' } } }
    const made = await makeAgent(team, { input: echo, output_schema })
    assert.equal(made.status, 400)
    const places = [/data\.output_schema\/properties\/a\/pattern/, /\/properties\/b\/\$ref/, /\/properties\/c\/pattern/]
    for (const place of places) assert.match(made.body.message, place)
    for (const { schema } of refusedSchemas) {
      const { status } = await makeAgent(team, { input: echo, output_schema: schema })
      assert.equal(status, 400, JSON.stringify(schema).slice(0, 200))
    }
    const agentId = await seedAgent(team, echo)
    const config = { version: 'v2', data: { input: echo, output_schema } }
    const revision = await team.call(`POST /v2/agents/${agentId}/revisions`, { body: { config } })
    assert.equal(revision.status, 400, revision.text)
    assert.match(revision.body.message, /output_schema\/properties\/a\/pattern/)
  })

  // proves bounds.outputSchema
  test('that an older build brought along cannot harm either: its runs fail and say why', async () => {
    const team = await seedTeam(service)
    const schemas = [{ pattern: '^(?=a)' }, { $ref: '#' }, { enum: Array.from({ length: 20_000 }, (_, n) => n) }]
    for (const schema of schemas) {
      const agentId = await seedAgent(team, echo)
      await sql`
        update builds set config = jsonb_set(config, '{data,output_schema}', ${JSON.stringify(schema)}::jsonb)
        where agent_id = ${agentId}`
      const run = await endOf(team, agentId, 'text')
      assert.deepEqual([run.status, run.error.code], ['failed', 'output_invalid'])
      assert.match(run.error.message, /the schema cannot be used/)
    }
  })
})

suite('a form', () => {
  // proves bounds.forms
  test('whose schema would hang an engine that backtracks answers at once, and can be cancelled', async () => {
    const team = await seedTeam(service)
    const attacks = costlySchemas.filter(({ value }) => typeof value === 'string' && value.length < 5000)
    assert.ok(attacks.length > 5)
    for (const { name, schema, value } of attacks) {
      const { $defs, ...it } = schema
      const form = JSON.stringify({ type: 'object', properties: { it }, ...($defs !== undefined && { $defs }) })
      const runId = await startRun(team, await seedAgent(team, block('ask id=it', `Fill it in\n${form}`)))
      await drainRuns(service)
      const { body } = await team.call(`GET /v2/runs/${runId}`)
      const path = `/v2/runs/${runId}/human-requests/${body.pending_human_request.id}`
      const answer = await team.call(`POST ${path}/respond`, { body: { values: { it: value } } })
      assert.ok([200, 400, 409].includes(answer.status), `${name}: ${answer.text}`)
      if ($defs !== undefined) assert.match(answer.body.message, /cannot be used \(it takes too long/, name)
      if (it['pattern'] === '^(a+)+$') assert.match(answer.body.message, /values\.it must match the pattern/)
      if (answer.status === 200) continue
      const cancelled = await team.call(`POST ${path}/cancel`)
      assert.equal(cancelled.status, 200, cancelled.text)
    }
    await assertAtWork()
  })

  // proves bounds.savedSchemas
  test('that cannot be used is refused when its procedure is saved', async () => {
    const team = await seedTeam(service)
    const form = '{"type": "object", "properties": {"a": {"pattern": "("}, "b": {"$ref": "#/no"}}}'
    const made = await makeAgent(team, { input: block('ask', `Fill it in\n${form}`) })
    assert.equal(made.status, 400)
    assert.match(made.body.message, /form schema cannot be used: \/properties\/a\/pattern/)
    assert.match(made.body.message, /\/properties\/b\/\$ref names nothing/)
  })
})
