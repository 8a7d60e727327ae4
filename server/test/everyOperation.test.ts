// Walks every declared operation: what the kit promises of all of them is proved on each of them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '../src/base/ids.ts'
import { issueApiKey } from '../src/features/credentials/apiKey.ts'
import { exampleOf } from '../src/kit/openapi.ts'
import { isMutating, type Operation } from '../src/kit/operation.ts'
import { nounOf, parametersOf, restParameterOf } from '../src/kit/resources.ts'
import { requireErrorShape } from './kit/answers.ts'
import { confirmationMail, readyCaller } from './kit/mailSeeds.ts'
import { outside } from './kit/outside.ts'
import { seederFor, seeders, seedTeam, type TestTeam } from './kit/seed.ts'
import { testApp, type Answer, type CallOptions } from './kit/testApp.ts'
import { registryOf } from '../src/kit/registry.ts'
import { proves } from './kit/proves.ts'

const { config, mcpServerUrl } = await outside()
const service = await testApp({ config: { ...config, rateLimit: 1_000_000 } })
service.work('sandboxes')
const team = await seedTeam(service, { name: 'Ours' })
const stranger = await seedTeam(service, { name: 'Theirs' })
const agentId = await seeders['agent']!(team, {})

const expired = await issueApiKey(service.context.db.sql, {
  teamId: team.id,
  memberId: team.memberId,
  name: 'expired',
  scopes: ['*'],
  expiresAt: new Date(Date.now() - 1000),
})
const revoked = await team.call('POST /v2/teams/:teamId/api-keys', { body: {} })
await team.call(`DELETE /v2/api-keys/${revoked.body.key_id}`)
/** Teams whose credential has one scope. */
const narrow = {
  'runs:read': await seedTeam(service, { scopes: ['runs:read'] }),
  'queues:read': await seedTeam(service, { scopes: ['queues:read'] }),
}

type Ids = Record<string, string>

/** A record for every parameter of the path, made anew, so that a deletion in one test is nobody's loss. */
async function freshIds(operation: Operation, owner: TestTeam): Promise<Ids> {
  const ids: Ids = {}
  const above: Ids = {}
  for (const name of parametersOf(operation.path)) {
    const noun = nounOf(name)
    if (noun === 'team') ids[name] = owner.id
    else {
      const seeder = seederFor(operation.id, noun ?? name)
      assert.ok(seeder, `test/kit/seed.ts needs a line for ${noun ?? name}, which ${operation.id} has in its path`)
      ids[name] = above[noun ?? name] = await seeder(owner, above)
    }
  }
  return ids
}

const routeTo = (operation: Operation, ids: Ids): string =>
  `${operation.method} ${operation.path.replace(/:(\w+)\*?/g, (_, name: string) => encodeURIComponent(ids[name]!))}${queryFor(operation)}`

/** The file or folder that the example of the document names, which the seeds have. */
const queryFor = ({ query }: Operation): string =>
  query?.properties['path'] ? `?path=${String(exampleOf(query.properties['path']))}` : ''

/** The example of the OpenAPI document, made to fit this team and this moment. */
async function bodyFor(operation: Operation, ids: Ids, owner = team): Promise<object | undefined> {
  await readyCaller(operation.id, owner)
  if (!operation.body) return undefined
  const example = exampleOf(operation.body) as Record<string, unknown>
  if ('user_id' in example) example['user_id'] = team.memberId
  // what is restored must be an earlier version
  if (operation.id === 'restoreGuardrails') await seederFor(operation.id, 'team')!(owner, {})
  if ('member_id' in example) example['member_id'] = owner.memberId
  if ('agent_id' in example) example['agent_id'] = agentId
  if ('connection_id' in example) example['connection_id'] = await seeders['connection']!(owner, {})
  if ('case_queue_id' in example) example['case_queue_id'] = await seeders['queue']!(owner, {})
  if ('mcp_server_url' in example) example['mcp_server_url'] = mcpServerUrl
  if ('broker_connection_id' in example) example['broker_connection_id'] = newId()
  if (['createQueue', 'createConnection', 'createView', 'createAlertRule'].includes(operation.id))
    example['name'] = `Made ${newId()}`
  if (operation.id === 'createSecret') example['name'] = `made_${newId().replaceAll('-', '_')}`
  if (operation.id === 'createLogin') example['username'] = newId()
  if (operation.id === 'updateTeamFile') example['name'] = `${newId()}.csv`
  if (operation.id === 'createLabel') example['value'] = newId()
  if ('token' in example) example['token'] = await confirmationMail(owner)
  if ('label_ids' in example) example['label_ids'] = [await seeders['label']!(owner, { queue: ids['queue_id']! })]
  if ('held_by_user_id' in example) example['held_by_user_id'] = owner.memberId
  // sent by two teams, which have no member in common
  if ('assignee_user_id' in example) example['assignee_user_id'] = null
  if ('expires_at' in example) example['expires_at'] = new Date(Date.now() + 3_600_000).toISOString()
  if ('email' in example) example['email'] = `${newId()}@example.com`
  return example
}

async function send(operation: Operation, ids: Ids, options: CallOptions): Promise<Answer> {
  const body = await bodyFor(operation, ids, options.key === stranger.key ? stranger : team)
  return service.call(routeTo(operation, ids), { ...(body && { body }), ...options })
}

/** What the operation answers as an MCP tool: the text of its result. */
async function callTool(operation: Operation, ids: Ids): Promise<string> {
  const fromPath = Object.entries(ids).map(([name, id]) => [name.replace('Id', '_id'), id])
  const path = operation.query?.properties['path']
  const given = {
    ...(path && { path: exampleOf(path) }),
    ...(await bodyFor(operation, ids)),
    ...Object.fromEntries(fromPath),
  }
  const params = { name: operation.id, arguments: given }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const answer = await service.call('POST /v2/mcp?toolsets=all', { key: team.key, body })
  assert.ok(answer.body.result, answer.text)
  return answer.body.result.content[0].text
}

const withoutIds = ({ status, text, headers }: Answer) => ({
  status,
  text,
  headers: Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !['x-request-id', 'date', 'ratelimit-remaining', 'ratelimit-reset'].includes(name),
    ),
  ),
})

for (const operation of registryOf(service.context).operations) {
  describe(operation.id, () => {
    // what takes the rest of a path is a name that the caller chooses, a provider one of the server's own words: no record's id
    const recordParameter = parametersOf(operation.path).findLast(
      (name) => !['team', undefined].includes(nounOf(name)) && name !== restParameterOf(operation.path),
    )

    let untouched: Promise<Ids> | undefined
    /** Records for requests that are all refused: they are made once for all of them. */
    const untouchedIds = () => (untouched ??= freshIds(operation, team))

    test('answers as declared, with the rate-limit headers', async () => {
      const answer = await send(operation, await freshIds(operation, team), { key: team.key })
      assert.equal(answer.status, operation.status, answer.text)
      for (const name of ['limit', 'remaining', 'reset'])
        assert.match(answer.headers[`ratelimit-${name}`] ?? '', /^\d+$/)
    })

    test('refuses whoever brings no valid credential', async () => {
      const ids = await untouchedIds()
      const attempts: CallOptions[] = [
        {},
        { headers: { authorization: 'Basic abc' } },
        { key: `${team.key}x` },
        { key: expired.secret },
        { key: revoked.body.secret },
      ]
      for (const attempt of attempts) {
        const answer = await send(operation, ids, attempt)
        assert.equal(answer.status, 401, JSON.stringify(attempt))
        requireErrorShape(401, answer.body, operation.id)
        assert.match(answer.headers['www-authenticate'] ?? '', /^Bearer resource_metadata="http[^"]+"/)
      }
    })

    test('names the scope that a narrow credential lacks', async () => {
      const otherScope = operation.scope === 'runs:read' ? 'queues:read' : 'runs:read'
      const answer = await send(operation, await untouchedIds(), { key: narrow[otherScope].key })
      assert.equal(answer.status, 403)
      assert.equal(answer.body.error, 'insufficient_scope')
      assert.ok(answer.body.message.includes(operation.scope))
    })

    if (parametersOf(operation.path).some((name) => nounOf(name) === 'team')) {
      proves('mcp.tenancy', 'is a 403 on the path of another team, real or not', async () => {
        const ids = await untouchedIds()
        const answers: Answer[] = []
        for (const teamId of [stranger.id, newId(), 'no-team']) {
          answers.push(await send(operation, { ...ids, teamId }, { key: team.key }))
        }
        for (const answer of answers) assert.equal(answer.status, 403)
        assert.deepEqual(withoutIds(answers[0]!), withoutIds(answers[1]!))
        assert.deepEqual(withoutIds(answers[0]!), withoutIds(answers[2]!))
        if (operation.tool) assert.equal(await callTool(operation, { ...ids, teamId: stranger.id }), answers[0]!.text)
      })
    }

    if (recordParameter !== undefined) {
      test('is the same 404 for a record of another team, an unknown id and no id at all', async () => {
        const ids = await untouchedIds()
        const foreignIds = await freshIds(operation, stranger)
        const foreign = foreignIds[recordParameter]!
        const answers: Answer[] = []
        for (const id of [foreign, newId(), 'not-an-id', '%', 'a'.repeat(8000), '../..', 'x\u0000y']) {
          answers.push(await send(operation, { ...ids, [recordParameter]: id }, { key: team.key }))
        }
        for (const answer of answers) assert.deepEqual(withoutIds(answer), withoutIds(answers[0]!))
        assert.equal(answers[0]!.status, 404)
        for (const id of operation.tool ? [foreign, newId()] : []) {
          assert.equal(await callTool(operation, { ...ids, [recordParameter]: id }), answers[0]!.text)
        }
        const byItsOwner = await send(operation, foreignIds, { key: stranger.key })
        assert.equal(byItsOwner.status, operation.status)
      })
    }

    if (isMutating(operation)) {
      test('gives the first answer again to a repeat with the same Idempotency-Key, and acts once', async () => {
        const ids = await freshIds(operation, team)
        const options = {
          key: team.key,
          idempotencyKey: newId(),
          body: JSON.stringify((await bodyFor(operation, ids)) ?? {}),
        }
        const first = await service.call(routeTo(operation, ids), options)
        assert.equal(first.status, operation.status, first.text)
        const again = await service.call(routeTo(operation, ids), options)
        assert.equal(again.text, first.text)
        assert.equal(again.status, first.status)
        assert.equal(again.headers['idempotency-replayed'], 'true')
        const other = await service.call(routeTo(operation, ids), { ...options, body: '{"another": "request"}' })
        assert.equal(other.body.error, 'idempotency_key_reused')
        const [audited] = await service.context.db.sql<{ rows: number }>`
          select count(*) as rows from audit_log where request_id = ${first.headers['x-request-id']}`
        // what a message did is in the rows of the operations that it asked for
        assert.equal(audited!.rows, operation.protocol || operation.onlyReads ? 0 : 1)
      })

      // what takes bytes takes any
      if (operation.takesBytes) return
      test('refuses a body that is not a JSON object', async () => {
        const ids = await untouchedIds()
        for (const body of [
          '{"a":',
          '[]',
          '"text"',
          '7',
          'null',
          '{"a": "\\u0000"}',
          '{"a": 1e999}',
          '{"a": "\\ud800"}',
        ]) {
          const answer = await service.call(routeTo(operation, ids), { key: team.key, body })
          assert.equal(answer.status, 400, body)
        }
      })
    }
  })
}
