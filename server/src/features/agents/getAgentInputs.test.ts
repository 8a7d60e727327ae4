// What a procedure reads of its input, as a JSON Schema.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import { proves } from '../../../test/kit/proves.ts'
import { seedAgent } from '../../../test/kit/runs.ts'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { typedClient } from '../../../test/kit/typedClient.ts'
import { inputsOf } from '../../drivers/model/runbook/inputs.ts'
import { parseRunbook } from '../../drivers/model/runbook/parse.ts'
import { checkProcedure } from './checkProcedure.ts'
import { getAgentInputs } from './getAgentInputs.ts'

const service = await testApp()
const team = await seedTeam(service)
const client = typedClient(service, team)

const fence = '```'
const written = (info: string, text: string): string => `${fence}${info}\n${text}\n${fence}\n`

/** The properties of the schema for a procedure without problems. */
function read(...blocks: string[]) {
  const { blocks: parsed, problems } = parseRunbook(blocks.join('\n'))
  assert.deepEqual(problems, [])
  const { schema, ...rest } = inputsOf(parsed)
  return { properties: schema.properties, required: schema.required ?? [], ...rest }
}

proves('procedures.inputs', 'every field that a step reads is a property, with what its uses say it is', () => {
  const { properties, required } = read(
    written(
      'file path="invoices/{{ message.id }}.txt"',
      'For {{ message.payee.name }}, {{ message.payee.city | upper }}',
    ),
    written('bash if="message.urgent"', 'echo {{ message.word }}'),
    written(
      'output',
      '{"n": {{ message.n }}, "all": {{ message.amounts | sum }}, "big": {{ message.limit | number }}}',
    ),
  )
  assert.deepEqual(properties, {
    id: { type: 'string' },
    payee: {
      type: 'object',
      properties: { name: { type: 'string' }, city: { type: 'string' } },
      required: ['name', 'city'],
    },
    urgent: { type: 'boolean' },
    word: { type: 'string' },
    n: {},
    amounts: { type: 'array', items: { type: 'number' } },
    limit: { type: 'number' },
  })
  assert.deepEqual(required, ['id', 'payee', 'word', 'n', 'amounts', 'limit'])
})

proves('procedures.inputs', 'a default, a comparison and a key by number say more about a field', () => {
  const { properties, required } = read(
    written('wait if="message.kind == \'refund\' and message.left < 20"', '1s'),
    written('wait if="message.until != null"', '{{ message.until }}'),
    written(
      'file path=a.txt',
      'Hello {{ message.name | default("you") }}, {{ message.rows[0].day }} {{ message["two words"] }}',
    ),
  )
  assert.deepEqual(properties, {
    kind: { type: 'string' },
    left: { type: 'number' },
    until: {},
    name: { type: 'string', default: 'you' },
    rows: { type: 'array', items: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] } },
    'two words': { type: 'string' },
  })
  assert.deepEqual(required, ['until', 'rows', 'two words'])
})

proves('procedures.inputs', 'text is enough where no field is read', () => {
  assert.deepEqual(read(written('output', 'Got {{ message }}')).text_is_enough, true)
  assert.deepEqual(read(written('output', 'x')).text_is_enough, true)
  assert.deepEqual(read(written('output', '{{ message.x | default("") }}')).text_is_enough, false)
  assert.deepEqual(read(written('wait id=a', '1s'), written('output', '{{ steps.a.output.x }}')).text_is_enough, true)
})

proves('procedures.inputs', 'a procedure that reads very much is answered in part', () => {
  const many = Array.from({ length: 150 }, (_, at) => `{{ message.f${at} }}`).join(' ')
  const wide = read(written('output', many))
  assert.deepEqual([Object.keys(wide.properties ?? {}).length, wide.is_cut], [100, true])
  const { properties } = read(written('output', `x {{ message${'.a'.repeat(40)} }}`))
  assert.ok(JSON.stringify(properties).length < 500)
  const hostile = read(written('output', 'x {{ message.__proto__.polluted }} {{ message.constructor }}'))
  assert.deepEqual(Object.keys(hostile.properties ?? {}), ['__proto__', 'constructor'])
})

proves('procedures.inputs', 'a build that is asked for is read, and the live one where none is', async () => {
  const agent = await seedAgent(team, written('output', '{{ message.live }}'))
  const draft = await seeders['build']!(team, { agent })
  const config = { version: 'v2', data: { input: written('output', '{{ message.draft }}') } }
  assert.equal((await team.call(`PATCH /v2/revisions/${draft}`, { body: { config } })).status, 200)
  const ofLive = await client.send(getAgentInputs, { params: { agent_id: agent } })
  const ofDraft = await client.send(getAgentInputs, { params: { agent_id: agent }, query: { build_id: draft } })
  assert.deepEqual(Object.keys(ofLive.inputs.schema.properties ?? {}), ['live'])
  assert.deepEqual([Object.keys(ofDraft.inputs.schema.properties ?? {}), ofDraft.build_id], [['draft'], draft])
  const asked = (build: string) => team.call(`GET /v2/agents/${agent}/inputs?build_id=${build}`)
  const other = await seeders['build']!(team, { agent: await seedAgent(team, 'Other.') })
  const statuses = await Promise.all(['nonsense', newId(), other].map(async (build) => (await asked(build)).status))
  assert.deepEqual(statuses, [400, 404, 404])
})

proves('procedures.inputs', 'a procedure that is not saved yet says what it reads when it is checked', async () => {
  const input = written('output', '{{ message.unsaved }}')
  const { inputs } = await client.send(checkProcedure, { body: { input } })
  assert.deepEqual(inputs, {
    schema: { type: 'object', properties: { unsaved: {} }, required: ['unsaved'] },
    text_is_enough: false,
    is_cut: false,
  })
})
