// API keys and OAuth clients as users meet them: made once, narrowed, expired, revoked.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { statementSlotsOf } from '../../kit/teamDatabase.ts'
import { newId } from '../../base/ids.ts'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { changedSoon, refusedSoon } from '../../../test/kit/refusedSoon.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp, type Answer, type CallOptions } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

const address = await testDatabase()
const service = await testApp({ address })
const team = await seedTeam(service)

const makeKey = (body: object): Promise<Answer> => team.call('POST /v2/teams/:teamId/api-keys', { body })
const makeClient = async (body: object = {}) => (await team.call('POST /v2/teams/:teamId/oauth-clients', { body })).body

function askForToken(form: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
  return service.call('POST /oauth/token', {
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
}

const keyRefusedSoon = (key: string): Promise<void> => refusedSoon(() => service.call('GET /v2/teams', { key }))

proves(
  'credentials.key',
  'a key has the documented shape, works, and its secret is stored only as a hash',
  async () => {
    const { body } = await makeKey({ name: 'deploy', scopes: ['team:read'] })
    assert.match(body.secret, /^ry_[0-9a-f]{12}_[A-Za-z0-9]{40}_[A-Za-z0-9]{6}$/)
    assert.equal((await service.call('GET /v2/teams', { key: body.secret })).status, 200)
    const { sql } = service.context.db
    const [row] = await sql<{ text: string }>`select k::text as text from api_keys k where id = ${body.key_id}`
    assert.ok(!row!.text.includes(body.secret.split('_')[2]))
    const listed = await team.call('GET /v2/teams/:teamId/api-keys')
    assert.ok(!listed.text.includes(body.secret))
  },
)

proves('credentials.checksum', 'a mistyped key is refused without asking the database', async () => {
  const wrong = `${team.key.slice(0, -1)}${team.key.endsWith('a') ? 'b' : 'a'}`
  assert.equal((await service.call('GET /v2/teams', { key: wrong })).status, 401)
})

proves('credentials.grant', 'a key can grant no scope that its maker lacks', async () => {
  const { body: narrow } = await makeKey({ scopes: ['keys:manage', 'team:read'] })
  const ask = (body: object) => service.call(`POST /v2/teams/${team.id}/api-keys`, { key: narrow.secret, body })
  for (const scopes of [['runs:read'], ['*'], ['team:read', 'runs:write']]) {
    const refused = await ask({ scopes })
    assert.equal(refused.body.error, 'insufficient_scope', JSON.stringify(scopes))
  }
  const inherited = await ask({})
  assert.deepEqual(inherited.body.api_key.scopes.toSorted(), ['keys:manage', 'team:read'])
})

proves('members.roles', 'a member’s role bounds their keys, also when it changes later', async () => {
  const member = await team.call('POST /v2/teams/:teamId/members', { body: { name: 'Vera', role: 'viewer' } })
  const user_id = member.body.member_id
  const tooMuch = await makeKey({ user_id, scopes: ['runs:write'] })
  assert.equal(tooMuch.status, 400)
  assert.match(tooMuch.body.message, /viewer/)
  const { body } = await makeKey({ user_id, scopes: ['*'] })
  const profile = await service.call('GET /v2/profile', { key: body.secret })
  assert.equal(profile.body.profile.id, user_id)
  assert.ok(!profile.body.profile.scopes.includes('runs:write'))
  const asViewer = await service.call(`POST /v2/teams/${team.id}/members`, { key: body.secret, body: { name: 'x' } })
  assert.equal(asViewer.body.error, 'insufficient_scope')
  await team.call(`PATCH /v2/teams/:teamId/members/${user_id}`, { body: { role: 'admin' } })
  await changedSoon(async () => {
    const later = await service.call('GET /v2/profile', { key: body.secret })
    return later.body.profile.scopes.includes('keys:manage')
  })
})

proves(
  'credentials.makersExpiry',
  'a credential that expires makes none that outlives it, neither a key nor a client nor that client’s token',
  async () => {
    const expires_at = new Date(Date.now() + 600_000).toISOString()
    const { body: maker } = await makeKey({ expires_at })
    const make = (noun: string, body: object) =>
      service.call(`POST /v2/teams/${team.id}/${noun}`, { key: maker.secret, body })
    assert.equal((await make('api-keys', {})).body.api_key.expires_at, expires_at)
    assert.equal((await make('api-keys', { expires_at: null })).body.api_key.expires_at, expires_at)
    const sooner = new Date(Date.now() + 300_000).toISOString()
    assert.equal((await make('api-keys', { expires_at: sooner })).body.api_key.expires_at, sooner)
    const later = await make('api-keys', { expires_at: new Date(Date.now() + 900_000).toISOString() })
    assert.equal(later.status, 400)
    assert.ok(later.body.message.includes(expires_at))

    const { body: client } = await make('oauth-clients', {})
    assert.equal(client.oauth_client.expires_at, expires_at)
    const { client_id, client_secret } = client
    const form = { grant_type: 'client_credentials', client_id, client_secret }
    const token = await askForToken(form)
    assert.ok(token.body.expires_in <= 600)
    const byToken = await service.call(`POST /v2/teams/${team.id}/api-keys`, { key: token.body.access_token, body: {} })
    assert.equal(byToken.body.api_key.expires_at, expires_at)
    await service.context.db
      .sql`update oauth_clients set expires_at = now() - interval '1 second' where id = ${client_id}`
    assert.equal((await askForToken(form)).body.error, 'invalid_client')
  },
)

proves(
  'credentials.forOthers',
  'a narrow credential makes keys for its own member only and raises no role',
  async () => {
    const member = await team.call('POST /v2/teams/:teamId/members', { body: { name: 'Olga', role: 'operator' } })
    const user_id = member.body.member_id
    const { body: narrow } = await makeKey({ scopes: ['keys:manage', 'team:read'] })
    const withNarrow = (route: string, body: object) => service.call(route, { key: narrow.secret, body })
    const keys = `POST /v2/teams/${team.id}/api-keys`
    assert.equal((await withNarrow(keys, { user_id, scopes: ['team:read'] })).body.error, 'insufficient_scope')
    assert.equal((await withNarrow(keys, { user_id: team.memberId })).status, 201)
    const raise = `PATCH /v2/teams/${team.id}/members/${user_id}`
    assert.equal((await withNarrow(raise, { role: 'admin' })).body.error, 'insufficient_scope')
    assert.equal((await withNarrow(raise, { role: 'viewer' })).status, 200)
    const made = await makeKey({ user_id, scopes: ['team:read'] })
    const { body } = await team.call('GET /v2/teams/:teamId/audit-log?operation=createApiKey&limit=1')
    const [entry] = body.entries
    assert.deepEqual([entry.target_id, entry.user_id, entry.for_user_id], [made.body.key_id, team.memberId, user_id])
  },
)

proves('visibility.body', 'a member of another team is as unknown as one that does not exist', async () => {
  const stranger = await seedTeam(service)
  const foreign = await makeKey({ user_id: stranger.memberId })
  const unknown = await makeKey({ user_id: newId() })
  const malformed = await makeKey({ user_id: 'nobody' })
  assert.equal(foreign.status, 404)
  assert.equal(foreign.text, unknown.text)
  assert.equal(foreign.text, malformed.text)
})

proves('credentials.revoked', 'a revoked key stops working within a second, although it was in use', async () => {
  const { body } = await makeKey({})
  assert.equal((await service.call('GET /v2/teams', { key: body.secret })).status, 200)
  await team.call(`DELETE /v2/api-keys/${body.key_id}`)
  await keyRefusedSoon(body.secret)
  assert.equal((await team.call(`DELETE /v2/api-keys/${body.key_id}`)).status, 404)
})

/** A request for a key whose body ends only when `end` is called; `isRead` resolves when the service waits for that. */
function slowlyAskForKey(key: string) {
  const ends = Promise.withResolvers<void>()
  const reading = Promise.withResolvers<void>()
  const payload = Readable.from(
    (async function* () {
      reading.resolve()
      yield Buffer.from('{"name":"next"')
      await ends.promise
      yield Buffer.from('}')
    })(),
  )
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = service.app.inject({ method: 'POST', url: `/v2/teams/${team.id}/api-keys`, headers, payload })
  return { isRead: reading.promise, end: ends.resolve, answer }
}

proves(
  'credentials.revoked',
  'a request whose body ends after its key was revoked is refused, and the key makes no other',
  async () => {
    const { body } = await makeKey({})
    const request = slowlyAskForKey(body.secret)
    await request.isRead
    await team.call(`DELETE /v2/api-keys/${body.key_id}`)
    await keyRefusedSoon(body.secret)
    request.end()
    const answer = await request.answer
    assert.deepEqual([answer.statusCode, answer.json().error], [401, 'unauthorized'])
    const listed = await team.call('GET /v2/teams/:teamId/api-keys?limit=200')
    assert.ok(!listed.text.includes('"next"'))
  },
)

proves('members.roles', 'a role that is lowered while a body arrives counts for its request', async () => {
  const member = await team.call('POST /v2/teams/:teamId/members', { body: { name: 'Lowered', role: 'admin' } })
  const { body } = await makeKey({ user_id: member.body.member_id })
  const request = slowlyAskForKey(body.secret)
  await request.isRead
  await team.call(`PATCH /v2/teams/:teamId/members/${member.body.member_id}`, { body: { role: 'viewer' } })
  await changedSoon(async () => {
    const profile = await service.call('GET /v2/profile', { key: body.secret })
    return !profile.body.profile.scopes.includes('keys:manage')
  })
  request.end()
  assert.equal((await request.answer).json().error, 'insufficient_scope')
})

/** Answers a request that waits for a connection, because its team has all that it may have, until `change` is done. */
async function answeredAfter(change: () => Promise<void>, route: string, options: CallOptions): Promise<Answer> {
  const slots = statementSlotsOf(service.context)
  const held = await Promise.all(Array.from({ length: slots.perTeam }, () => slots.take(team.id)))
  try {
    const answer = service.call(route, options)
    while (slots.waiting(team.id) === 0) await new Promise(setImmediate)
    await change()
    for (const release of held) release()
    return await answer
  } finally {
    for (const release of held) release()
  }
}

/** Refused before it needs a connection. */
const askAnotherTeam = (key: string): Promise<Answer> => service.call(`GET /v2/teams/${newId()}/api-keys`, { key })

proves(
  'credentials.revoked',
  'a key that is revoked while its request waits for a connection makes no other',
  async () => {
    const { body } = await makeKey({})
    const revoke = async () => {
      await team.sql`update api_keys set revoked_at = now() where id = ${body.key_id} and team_id = ${team.id}`
      await refusedSoon(() => askAnotherTeam(body.secret))
    }
    const make = { key: body.secret, body: { name: 'waited' } }
    const answer = await answeredAfter(revoke, `POST /v2/teams/${team.id}/api-keys`, make)
    assert.deepEqual([answer.status, answer.body.error], [401, 'unauthorized'])
    assert.deepEqual(await team.sql`select from api_keys where team_id = ${team.id} and name = 'waited'`, [])
  },
)

proves(
  'members.roles',
  'a role that is lowered while a request waits for a connection counts for its handler',
  async () => {
    const member = await team.call('POST /v2/teams/:teamId/members', { body: { name: 'Waiter', role: 'admin' } })
    const { body } = await makeKey({ user_id: member.body.member_id })
    const lower = async () => {
      await team.sql`update members set role = 'operator' where id = ${member.body.member_id} and team_id = ${team.id}`
      await changedSoon(async () => (await askAnotherTeam(body.secret)).body.error === 'insufficient_scope')
    }
    // its scope is one that the lower role has too; the handler asks for more
    const invite = { key: body.secret, body: { member_id: team.memberId } }
    const answer = await answeredAfter(lower, `POST /v2/teams/${team.id}/sign-in-links`, invite)
    assert.equal(answer.body.error, 'insufficient_scope')
  },
)

proves('members.removed', 'a removed member’s keys and clients stop working within a second', async () => {
  const member = await team.call('POST /v2/teams/:teamId/members', { body: { name: 'Leaver', role: 'admin' } })
  const { body } = await makeKey({ user_id: member.body.member_id })
  assert.equal((await service.call('GET /v2/teams', { key: body.secret })).status, 200)
  await team.call(`DELETE /v2/teams/:teamId/members/${member.body.member_id}`)
  await keyRefusedSoon(body.secret)
  const listed = await team.call('GET /v2/teams/:teamId/api-keys?limit=200')
  assert.ok(!listed.text.includes(body.key_id))
})

proves('credentials.expiry', 'an expiry lies in the future when set and ends the key when it passes', async () => {
  assert.equal((await makeKey({ expires_at: '2020-01-01T00:00:00Z' })).status, 400)
  assert.equal((await makeKey({ expires_at: 'tomorrow' })).status, 400)
  const { body } = await makeKey({ expires_at: '2030-01-01T02:00:00+02:00' })
  assert.equal(body.api_key.expires_at, '2030-01-01T00:00:00.000Z')
  await service.context.db.sql`update api_keys set expires_at = now() - interval '1 second' where id = ${body.key_id}`
  assert.equal((await service.call('GET /v2/teams', { key: body.secret })).status, 401)
})

proves('credentials.lastUsed', 'the last use of a key is shown', async () => {
  const { body } = await makeKey({ name: 'used' })
  await service.call('GET /v2/teams', { key: body.secret })
  // a stopping process writes what it has not written yet
  const second = await testApp({ address })
  await second.call('GET /v2/teams', { key: body.secret })
  await second.close()
  const listed = await team.call('GET /v2/teams/:teamId/api-keys?limit=200')
  const found = listed.body.api_keys.find(({ id }: { id: string }) => id === body.key_id)
  assert.ok(Date.now() - Date.parse(found.last_used_at) < 60_000)
})

proves('oauth.token', 'a client exchanges its secret for an hour, by header or by form', async () => {
  const client = await makeClient({ scopes: ['team:read', 'runs:read'] })
  const { client_id, client_secret } = client
  const byForm = await askForToken({ grant_type: 'client_credentials', client_id, client_secret })
  assert.equal(byForm.status, 200)
  assert.equal(byForm.headers['cache-control'], 'no-store')
  assert.equal(byForm.body.token_type, 'Bearer')
  assert.equal(byForm.body.expires_in, 3600)
  assert.equal(byForm.body.scope, 'team:read runs:read')
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
  const byHeader = await askForToken(
    { grant_type: 'client_credentials', scope: 'team:read' },
    { authorization: `Basic ${basic}` },
  )
  assert.equal(byHeader.body.scope, 'team:read')
  assert.equal((await service.call('GET /v2/teams', { key: byHeader.body.access_token })).status, 200)
})

proves('oauth.errors', 'the token endpoint answers with the errors of RFC 6749', async () => {
  const { client_id, client_secret } = await makeClient({ scopes: ['team:read'] })
  const good = { grant_type: 'client_credentials', client_id, client_secret }
  const cases: [Promise<Answer>, number, string][] = [
    [askForToken({ ...good, client_secret: 'wrong' }), 401, 'invalid_client'],
    [askForToken({ ...good, client_id: newId() }), 401, 'invalid_client'],
    [askForToken({ ...good, client_id: 'x' }), 401, 'invalid_client'],
    [askForToken({ ...good, grant_type: 'password' }), 400, 'unsupported_grant_type'],
    [askForToken({ ...good, scope: 'runs:write' }), 400, 'invalid_scope'],
    [askForToken({ ...good, scope: 'nonsense' }), 400, 'invalid_scope'],
    [askForToken(good, { authorization: 'Basic abc=' }), 400, 'invalid_request'],
    [askForToken(good, { 'content-type': 'application/json' }), 400, 'invalid_request'],
  ]
  for (const [asked, status, error] of cases) {
    const answer = await asked
    assert.equal(answer.status, status, error)
    assert.equal(answer.body.error, error)
  }
  const header = await askForToken({ grant_type: 'client_credentials' }, { authorization: 'Basic YTpi' })
  assert.match(header.headers['www-authenticate'] ?? '', /^Basic/)
})

proves('oauth.clientDeleted', 'tokens are dead within a second of their client', async () => {
  const { client_id, client_secret } = await makeClient()
  const { body } = await askForToken({ grant_type: 'client_credentials', client_id, client_secret })
  assert.equal((await service.call('GET /v2/teams', { key: body.access_token })).status, 200)
  await team.call(`DELETE /v2/oauth-clients/${client_id}`)
  await keyRefusedSoon(body.access_token)
})

proves('oauth.expiry', 'an access token ends after its hour and is swept away', async () => {
  const { client_id, client_secret } = await makeClient()
  const { body } = await askForToken({ grant_type: 'client_credentials', client_id, client_secret })
  await service.context.db
    .sql`update access_tokens set expires_at = now() - interval '1 second' where client_id = ${client_id}`
  assert.equal((await service.call('GET /v2/teams', { key: body.access_token })).status, 401)
  await service.context.db.sql`select graphile_worker.add_job('sweepAccessTokens')`
  await service.drain()
  assert.deepEqual(await service.context.db.sql`select 1 from access_tokens where client_id = ${client_id}`, [])
})

proves('oauth.metadata', 'the two metadata documents lead a client to the token endpoint', async () => {
  const refused = await service.call('GET /v2/teams')
  const metadataUrl = /resource_metadata="([^"]+)"/.exec(refused.headers['www-authenticate']!)![1]!
  const resource = await service.call(`GET ${new URL(metadataUrl).pathname}`)
  const server = await service.call('GET /.well-known/oauth-authorization-server')
  assert.deepEqual(resource.body.authorization_servers, [server.body.issuer])
  assert.equal(new URL(server.body.token_endpoint).pathname, '/oauth/token')
  assert.deepEqual(server.body.grant_types_supported, ['client_credentials'])
})
