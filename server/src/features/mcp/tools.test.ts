// The tools of the hosted MCP endpoint: which are offered, and that a call is the same as over HTTP.
import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { newId } from '../../base/ids.ts'
import { isLongForm } from '../../../test/kit/longForm.ts'
import { callTool, rpc } from '../../../test/kit/mcp.ts'
import { changedSoon } from '../../../test/kit/refusedSoon.ts'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { registryOf } from '../../kit/registry.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const team = await seedTeam(service)
const { sql } = service.context.db

interface Tool {
  name: string
  description: string
  inputSchema: { properties: Record<string, object>; required?: string[] }
  outputSchema?: object
  annotations: { title: string; readOnlyHint: boolean; destructiveHint?: boolean; idempotentHint?: boolean }
}

const toolsOf = async (query = '', key = team.key): Promise<Tool[]> =>
  (await rpc(team, 'tools/list', {}, { query, key })).body.result.tools
const namesOf = async (query: string, key?: string) => (await toolsOf(query, key)).map(({ name }) => name)

describe('the list of tools', () => {
  proves('mcp.toolListSize', 'is about 25 core ones in less than 24 KB of JSON', async (t) => {
    const { text, body } = await rpc(team, 'tools/list')
    t.diagnostic(`${body.result.tools.length} tools, ${text.length} bytes`)
    assert.ok(body.result.tools.length >= 20 && body.result.tools.length <= 30)
    assert.ok(Buffer.byteLength(text) <= 24_000, `${Buffer.byteLength(text)} bytes`)
  })

  proves(
    'mcp.toolPerOperation',
    'is every operation that may be a tool with toolsets=all, and never one that manages keys or clears a queue',
    async () => {
      const names = await namesOf('toolsets=all')
      const operations = registryOf(service.context)
        .operations.filter(({ tool }) => tool)
        .map(({ id }) => id)
      assert.deepEqual(names.toSorted(), [...operations, 'waitForRun'].toSorted())
      for (const id of ['createApiKey', 'deleteApiKey', 'clearQueueCases', 'callMcp'])
        assert.ok(!names.includes(id), id)
    },
  )

  proves(
    'mcp.toolsets',
    'is cut to the sets that the address names, and a set that does not exist is refused with those that do',
    async () => {
      const names = await namesOf('toolsets=memory,runs')
      assert.ok(names.includes('putAgentMemoryFile') && names.includes('deleteRun') && names.includes('waitForRun'))
      assert.ok(!names.includes('listQueues'))
      const refused = await rpc(team, 'tools/list', {}, { query: 'toolsets=runs,cheese' })
      assert.equal(refused.status, 400)
      assert.match(refused.body.message, /"cheese".*core, all,.*queues/)
      const outside = await rpc(team, 'tools/call', { name: 'listQueues' }, { query: 'toolsets=memory' })
      assert.equal(outside.body.error.code, -32602)
    },
  )

  proves(
    'mcp.readonly',
    'has nothing that changes anything with readonly=1, and a call of such a tool is refused',
    async () => {
      const tools = await toolsOf('toolsets=all&readonly=1')
      assert.ok(tools.length > 20 && tools.every(({ annotations }) => annotations.readOnlyHint))
      assert.ok(
        tools.some(({ name }) => name === 'searchCases'),
        'a search is a read, though it is a POST',
      )
      const changing = tools.filter(({ name }) => /^(create|update|delete|put|start|stop)/.test(name))
      assert.deepEqual(changing, [], 'whatever its scope is called')
      const refused = await rpc(team, 'tools/call', { name: 'createAgent', arguments: {} }, { query: 'readonly=1' })
      assert.match(refused.body.error.message, /^Unknown tool: createAgent/)
      assert.equal(await countAgents(), 0)
    },
  )

  proves('mcp.scopes', 'holds what the credential may do, and a call beyond that names the scope', async () => {
    const narrow = await seedTeam(service, { scopes: ['mcp:call', 'queues:read'] })
    assert.deepEqual(await namesOf('', narrow.key), ['listQueues', 'listCases', 'getCase'])
    const { isError, value } = await callTool(narrow, 'startRun', { agent_id: newId() })
    assert.ok(isError)
    assert.equal(value.error, 'insufficient_scope')
    assert.match(value.message, /runs:write/)
    const outside = await seedTeam(service, { scopes: ['runs:read'] })
    assert.equal((await rpc(outside, 'tools/list')).body.error, 'insufficient_scope')
  })

  proves(
    'mcp.arguments',
    'shows path, query and body fields side by side, with what a caller may leave out',
    async () => {
      const tools = new Map((await toolsOf('toolsets=all&schemas=1')).map((tool) => [tool.name, tool]))
      const startRun = tools.get('startRun')!
      assert.deepEqual(startRun.inputSchema.required, ['agent_id'])
      for (const name of ['team_id', 'message', 'limits', 'idempotency_key'])
        assert.ok(startRun.inputSchema.properties[name])
      assert.deepEqual(startRun.annotations, {
        title: 'Start a run',
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
      })
      const memory = tools.get('putAgentMemoryFile')!
      assert.deepEqual(memory.inputSchema.required, ['agent_id', 'path', 'content'])
      assert.deepEqual([memory.annotations.destructiveHint, memory.annotations.idempotentHint], [true, true])
      assert.ok(!('idempotency_key' in tools.get('getRun')!.inputSchema.properties))
      assert.deepEqual(Object.keys(tools.get('getRevision')!.inputSchema.properties), ['agent_id', 'build_id'])
      assert.ok(startRun.outputSchema && !(await toolsOf())[0]!.outputSchema, 'schemas of answers only when asked for')
    },
  )
})

describe('a tool call', () => {
  proves('mcp.sameCode', 'answers what HTTP answers, as text and as a value', async () => {
    const overHttp = await team.call('GET /v2/teams/:teamId')
    for (const given of [{}, { team_id: team.id }]) {
      const { body } = await rpc(team, 'tools/call', { name: 'getTeam', arguments: given }, { query: 'toolsets=all' })
      assert.deepEqual(body.result, {
        content: [{ type: 'text', text: overHttp.text }],
        structuredContent: overHttp.body,
      })
    }
  })

  proves('mcp.source', 'of startRun leaves a run whose source is mcp, its event and its audit row', async () => {
    const agent_id = await seeders['agent']!(team, {})
    const answer = await rpc(team, 'tools/call', { name: 'startRun', arguments: { agent_id, message: 'Check it' } })
    const { run } = answer.body.result.structuredContent
    assert.deepEqual([run.source, run.message, run.user_id], ['mcp', 'Check it', team.memberId])
    const rows = await sql<{ operation: string; target_id: string; credential_id: string }>`
      select operation, target_id, credential_id from audit_log where request_id = ${answer.headers['x-request-id']}`
    assert.deepEqual(rows, [{ operation: 'startRun', target_id: run.id, credential_id: team.keyId }])
  })

  proves(
    'mcp.errors',
    'that is refused is a result with the error of the API, whatever the arguments were',
    async () => {
      const missing = await callTool(team, 'getRun')
      assert.deepEqual(missing, {
        isError: true,
        value: { error: 'invalid_request', message: 'run_id is missing in the arguments.' },
      })
      const wrongType = await callTool(team, 'createAgent', { name: 7 })
      assert.match(wrongType.value.message, /^name /)
      const inQuery = await callTool(team, 'listRuns', { limit: { much: true } })
      assert.match(inQuery.value.message, /^limit must be text, a number, true or false/)
      const tooMany = await callTool(team, 'listRuns', { limit: 5000 })
      assert.match(tooMany.value.message, /^limit /)
      for (const run_id of [7, {}, ['a'], true, { toString: 1 }, '', '../..', newId()]) {
        assert.equal((await callTool(team, 'getRun', { run_id })).value.error, 'not_found')
      }
      const large = await callTool(team, 'createAgent', { name: 'x', instructions: 'y'.repeat(3 * 1024 * 1024) })
      assert.equal(large.value.error, 'payload_too_large')
      const key = await callTool(team, 'createAgent', { idempotency_key: 7 })
      assert.equal(key.value.error, 'invalid_idempotency_key')
    },
  )
})

proves(
  'mcp.hostileArguments',
  'no arguments at all and arguments of every wrong type never make a tool fail',
  async () => {
    const tools = await toolsOf('toolsets=all')
    assert.ok(tools.length > 50, `${tools.length} tools`)
    for (const [place, { name, inputSchema }] of tools.entries()) {
      const fields = Object.keys(inputSchema.properties).filter((field) => field !== 'team_id')
      // the short form tries two of the four on each tool, in turn
      const values = [undefined, 7, { toString: 7 }, '../../..'].filter((_, at) => isLongForm || (at + place) % 2 === 0)
      for (const value of values) {
        const given = Object.fromEntries(value === undefined ? [] : fields.map((field) => [field, value]))
        const { text, status } = await rpc(team, 'tools/call', { name, arguments: given }, { query: 'toolsets=all' })
        assert.equal(status, 200, text)
        assert.doesNotMatch(text, /internal_error|-32603/, `${name} ${JSON.stringify(value)}`)
      }
    }
  },
)

async function countAgents(): Promise<number> {
  const [made] = await sql<{ count: number }>`select count(*) as count from agents where team_id = ${team.id}`
  return made!.count
}

describe('idempotency', () => {
  proves(
    'mcp.idempotencyArgument',
    'a tool call with the same idempotency_key gets the first answer again, also over HTTP',
    async () => {
      const before = await countAgents()
      const given = { name: 'Keyed', idempotency_key: newId() }
      const first = await callTool(team, 'createAgent', given)
      assert.deepEqual(await callTool(team, 'createAgent', given), first)
      const overHttp = await team.call('POST /v2/teams/:teamId/agents', {
        body: { name: 'Keyed' },
        idempotencyKey: given.idempotency_key,
      })
      assert.deepEqual(overHttp.body, first.value)
      assert.equal(await countAgents(), before + 1)
      const other = await callTool(team, 'createAgent', { ...given, name: 'Another' })
      assert.equal(other.value.error, 'idempotency_key_reused')
    },
  )

  proves(
    'mcp.idempotencyMessage',
    'the Idempotency-Key of a message gives the whole answer again, even when only its effect was kept',
    async () => {
      const before = await countAgents()
      const idempotencyKey = newId()
      // some clients say it twice
      const params = { name: 'createAgent', arguments: { name: 'In a keyed message', idempotency_key: idempotencyKey } }
      const first = await rpc(team, 'tools/call', params, { idempotencyKey })
      const again = await rpc(team, 'tools/call', params, { idempotencyKey })
      assert.deepEqual([again.text, again.headers['idempotency-replayed']], [first.text, 'true'])
      // as a process leaves it that dies between the effect and the answer
      await sql`delete from idempotency_keys where team_id = ${team.id} and key = ${idempotencyKey}`
      const repeated = await rpc(team, 'tools/call', params, { idempotencyKey })
      assert.equal(repeated.text, first.text)
      assert.equal(await countAgents(), before + 1)
      const other = await rpc(team, 'tools/list', {}, { idempotencyKey })
      assert.equal(other.body.error, 'idempotency_key_reused')
    },
  )

  proves(
    'idempotency.ofRequest',
    'a keyed message that its caller had no right for runs when the caller has the right',
    async () => {
      const { body } = await team.call('POST /v2/teams/:teamId/members', { body: { name: 'Vera', role: 'admin' } })
      const key = await team.call('POST /v2/teams/:teamId/api-keys', { body: { user_id: body.member_id } })
      const params = { name: 'createAgent', arguments: { name: 'By a viewer at first' } }
      const ask = async (idempotencyKey: string) =>
        (await rpc(team, 'tools/call', params, { key: key.body.secret, idempotencyKey })).text
      const withRole = (role: string) =>
        team.call(`PATCH /v2/teams/:teamId/members/${body.member_id}`, { body: { role } })
      await withRole('viewer')
      await changedSoon(async () => /insufficient_scope/.test(await ask(newId())))
      assert.match(await ask('of a viewer'), /insufficient_scope/)
      await withRole('admin')
      await changedSoon(async () => !/insufficient_scope/.test(await ask('of a viewer')))
      assert.match(await ask('of a viewer'), /agent_id/)
    },
  )
})
