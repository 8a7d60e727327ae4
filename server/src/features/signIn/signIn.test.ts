// Sessions as people meet them: ways in, the rules for requests of pages, their end; over real HTTP, with two processes on one database.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import { hashToken } from '../../base/secrets.ts'
import { effectiveScopes } from '../../kit/scopes.ts'
import { begin, untilBlocked } from '../../../test/kit/heldTransaction.ts'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { proves } from '../../../test/kit/proves.ts'
import { refusedSoon } from '../../../test/kit/refusedSoon.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'

const address = await testDatabase()
const service = await testApp({ address })
const second = await testApp({ address })
const base = await service.listen()
const otherBase = await second.listen()
const team = await seedTeam(service)
const { sql } = service.context.db

const json = { 'content-type': 'application/json' }
const pageOf = (origin: string) => ({ ...json, 'x-runyard-client': 'test', origin })
const own = pageOf(base)

const signIn = (body: object, at = base, headers: Record<string, string> = pageOf(at)): Promise<Response> =>
  fetch(`${at}/auth/sign-in`, { method: 'POST', headers, body: JSON.stringify(body) })

const cookieOf = (answer: Response): string => /^([^;]*)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? ''

async function signedIn(body: object = { api_key: team.key }): Promise<string> {
  const answer = await signIn(body)
  assert.equal(answer.status, 204, await answer.text())
  return cookieOf(answer)
}

const get = (cookie: string, path: string, headers: Record<string, string> = {}, at = base): Promise<Response> =>
  fetch(`${at}${path}`, { headers: { cookie, ...headers } })

const idOf = async (cookie: string): Promise<string> => {
  const [, token = ''] = /=(.*)/.exec(cookie) ?? []
  const [row] = await sql<{ id: string }>`select id from sessions where secret_hash = ${hashToken(token)}`
  assert.ok(row)
  return row.id
}

const linkFor = async (body: object = {}, key = team.key) => {
  const answer = await service.call(`POST /v2/teams/${team.id}/sign-in-links`, { key, body })
  assert.equal(answer.status, 201, answer.text)
  const [, token = ''] = /#sign-in=(.*)$/.exec(answer.body.url) ?? []
  return { token, ...answer.body }
}

const makeMember = async (role: string): Promise<string> =>
  (await team.call('POST /v2/teams/:teamId/members', { body: { name: `A ${role}`, role } })).body.member_id

const overSoon = (cookie: string, at: string): Promise<void> => refusedSoon(() => get(cookie, '/v2/profile', {}, at))

proves('signIn.cookie', 'a key signs in by a cookie that is httpOnly and strict and acts as the member', async () => {
  const answer = await signIn({ api_key: team.key })
  assert.equal(answer.status, 204)
  const [set = ''] = answer.headers.getSetCookie()
  assert.match(set, /^runyard_session=ryc_[A-Za-z0-9]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/)
  const cookie = cookieOf(answer)
  const profile = (await (await get(cookie, '/v2/profile')).json()) as { profile: { id: string; scopes: string[] } }
  assert.equal(profile.profile.id, team.memberId)
  assert.ok(profile.profile.scopes.includes('keys:manage'))
  const secure = await testApp({ address, config: { publicUrl: 'https://yard.example.com' } })
  const headers = { ...own, host: 'yard.example.com', origin: 'https://yard.example.com' }
  const over = await secure.call('POST /auth/sign-in', { body: { api_key: team.key }, headers })
  const downgraded = { ...headers, origin: 'http://yard.example.com' }
  const refused = await secure.call('POST /auth/sign-in', { body: { api_key: team.key }, headers: downgraded })
  assert.equal(refused.status, 403)
  const atHome = { ...headers, host: '127.0.0.1:4700', origin: 'http://127.0.0.1:4700' }
  assert.equal((await secure.call('POST /auth/sign-in', { body: { api_key: team.key }, headers: atHome })).status, 204)
  assert.match(String(over.headers['set-cookie']), /^__Host-runyard_session=ryc_.*; Path=\/; .*; Secure$/)
})

proves(
  'signIn.csrf',
  'each combination of headers that another page could send is refused with a sentence',
  async () => {
    const cookie = await signedIn()
    const client = { 'x-runyard-client': 'test' }
    const table: [string, Record<string, string>, number][] = [
      ['GET', {}, 200],
      ['GET', { origin: base }, 200],
      ['GET', { 'sec-fetch-site': 'same-origin' }, 200],
      ['GET', { 'sec-fetch-site': 'none' }, 200],
      ['GET', { 'sec-fetch-site': 'same-site' }, 403],
      ['GET', { 'sec-fetch-site': 'cross-site' }, 403],
      ['GET', { origin: 'https://evil.example.com' }, 403],
      ['GET', { origin: 'http://127.0.0.1:9' }, 403],
      ['GET', { origin: 'null' }, 403],
      ['GET', { host: 'evil.example.com' }, 403],
      ['POST', {}, 403],
      ['POST', client, 403],
      ['POST', { ...client, 'sec-fetch-site': 'same-origin' }, 403],
      ['POST', { ...client, origin: 'null' }, 403],
      ['POST', { ...client, origin: '' }, 403],
      ['POST', { ...client, origin: 'http://127.0.0.1:9' }, 403],
      ['POST', { origin: base, 'sec-fetch-site': 'same-origin' }, 403],
      ['POST', { ...client, origin: 'https://evil.example.com' }, 403],
      ['POST', { ...client, origin: base, 'sec-fetch-site': 'same-site' }, 403],
      ['POST', { ...client, origin: base, host: 'evil.example.com' }, 403],
      ['POST', { ...client, origin: base }, 201],
      ['POST', { ...client, origin: base, 'sec-fetch-site': 'same-origin' }, 201],
    ]
    for (const [method, headers, status] of table) {
      const body = method === 'POST' ? { body: { name: 'Made' } } : {}
      const route = `${method} /v2/teams/${team.id}/members`
      const hosted = { host: new URL(base).host, cookie, ...headers }
      const answer = await service.call(route, { ...body, headers: hosted })
      assert.equal(answer.status, status, `${method} ${JSON.stringify(headers)}: ${answer.text}`)
      if (status === 403) assert.match(answer.body.message, /^[A-Z].*\.$/)
      const toStream = method === 'GET' && status === 403
      const stream = `GET /v2/teams/${team.id}/events`
      if (toStream) assert.equal((await service.call(stream, { headers: hosted })).status, 403)
      const asKey = await service.call(route, { ...body, key: team.key, headers })
      assert.ok(asKey.status < 300, 'a key is not subject to these rules')
    }
    const { origin: _, ...withoutOrigin } = own
    for (const headers of [json, withoutOrigin, { ...json, origin: base }, pageOf('https://evil.example.com')]) {
      assert.equal((await signIn({ api_key: team.key }, base, headers)).status, 403)
    }
  },
)

proves(
  'signIn.cookieOnly',
  'a session works only in its cookie, a key only as a bearer token, and MCP takes no cookie',
  async () => {
    const cookie = await signedIn()
    const token = cookie.slice(cookie.indexOf('=') + 1)
    assert.equal((await service.call('GET /v2/profile', { key: token })).status, 401)
    assert.equal((await get(`runyard_session=${team.key}`, '/v2/profile')).status, 401)
    assert.equal((await get(`${cookie}; ${cookie}x`, '/v2/profile')).status, 401)
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const mcp = await fetch(`${base}/v2/mcp`, {
      method: 'POST',
      headers: { ...own, cookie, accept: 'application/json, text/event-stream' },
      body: JSON.stringify(message),
    })
    assert.equal(mcp.status, 401)
    const wrongKey = await service.call('GET /v2/profile', { key: 'nothing', headers: { cookie } })
    assert.equal(wrongKey.status, 401, 'Authorization goes first')
  },
)

proves('signIn.once', 'of 100 concurrent tries with one link over two processes, one signs in', async () => {
  const { token, expires_at } = await linkFor()
  assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - 600_000) < 20_000)
  const tries = Array.from({ length: 100 }, (_, n) => signIn({ token }, n % 2 ? base : otherBase))
  const statuses = (await Promise.all(tries)).map(({ status }) => status)
  assert.deepEqual(
    [204, 401].map((status) => statuses.filter((one) => one === status).length),
    [1, 99],
  )
  const late = await linkFor()
  await sql`update sign_in_links set expires_at = now() where id = ${late.sign_in_link_id}`
  assert.equal((await signIn({ token: late.token })).status, 401)
})

proves('signIn.noMore', 'signing in with a key gives its scopes and ends with the key', async () => {
  const make = { body: { scopes: ['team:read'], expires_at: new Date(Date.now() + 3_600_000).toISOString() } }
  const { body: narrow } = await team.call('POST /v2/teams/:teamId/api-keys', make)
  const { token } = await linkFor({}, narrow.secret)
  const cookies = [await signedIn({ api_key: narrow.secret }), await signedIn({ token })]
  for (const cookie of cookies) {
    const { profile } = (await (await get(cookie, '/v2/profile')).json()) as { profile: { scopes: string[] } }
    assert.deepEqual(profile.scopes, ['team:read'])
  }
  const unused = await linkFor({}, narrow.secret)
  await team.call(`DELETE /v2/api-keys/${narrow.key_id}`)
  for (const cookie of cookies) await overSoon(cookie, base)
  assert.equal((await signIn({ token: unused.token })).status, 401)
})

proves(
  'signIn.invite',
  'an invitation signs in another member for three days and cannot lead to more than its maker has',
  async () => {
    const viewer = await makeMember('viewer')
    const { token, expires_at } = await linkFor({ member_id: viewer })
    assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - 3 * 86_400_000) < 20_000)
    const cookie = await signedIn({ token })
    const asViewer = (path: string, method = 'GET', body?: object) =>
      service.call(`${method} ${path}`, {
        headers: { cookie, ...own, host: new URL(base).host },
        ...(body && { body }),
      })
    assert.equal((await asViewer('/v2/profile')).body.profile.id, viewer)
    const [only, ...more] = (await asViewer(`/v2/teams/${team.id}/sessions`)).body.sessions
    assert.deepEqual([only.came_by, only.is_current, only.user_id, more], ['invitation', true, viewer, []])
    const links = `/v2/teams/${team.id}/sign-in-links`
    assert.equal((await asViewer(links, 'POST', { member_id: team.memberId })).body.error, 'insufficient_scope')
    assert.equal((await asViewer(links, 'POST', {})).status, 201)
    const admins = await signedIn()
    assert.equal((await asViewer(`/v2/sessions/${await idOf(admins)}`, 'DELETE')).status, 404)
    const make = { body: { scopes: ['keys:manage', 'team:read'] } }
    const { body: narrow } = await team.call('POST /v2/teams/:teamId/api-keys', make)
    const refused = await service.call(`POST ${links}`, { key: narrow.secret, body: { member_id: viewer } })
    assert.equal(refused.body.error, 'insufficient_scope')
    const stranger = await seedTeam(service)
    const foreign = await team.call(`POST ${links}`, { body: { member_id: stranger.memberId } })
    assert.deepEqual(
      [foreign.status, foreign.text],
      [404, (await team.call(`POST ${links}`, { body: { member_id: newId() } })).text],
    )
  },
)

proves(
  'signIn.invite',
  'an invitation waits for a change of the role, and is refused if its maker lacks the new one',
  async () => {
    const viewer = await makeMember('viewer')
    const scopes = ['keys:manage', ...effectiveScopes(['*'], 'viewer')]
    const { body: narrow } = await team.call('POST /v2/teams/:teamId/api-keys', { body: { scopes } })
    const invite = () =>
      service.call(`POST /v2/teams/${team.id}/sign-in-links`, { key: narrow.secret, body: { member_id: viewer } })
    assert.equal((await invite()).status, 201)
    const { its, commit } = await begin(service.context.db.address())
    await its`update members set role = 'admin' where id = ${viewer}`
    const inviting = invite()
    await untilBlocked(sql, its, inviting)
    await commit()
    assert.equal((await inviting).body.error, 'insufficient_scope')
  },
)

proves(
  'signIn.over',
  'a revoked session and one of a removed member are dead in every process within a second',
  async () => {
    const cookie = await signedIn()
    assert.equal((await get(cookie, '/v2/profile', {}, otherBase)).status, 200)
    assert.equal((await team.call(`DELETE /v2/sessions/${await idOf(cookie)}`)).status, 200)
    for (const at of [base, otherBase]) await overSoon(cookie, at)
    const gone = await get(cookie, '/v2/profile')
    assert.match(((await gone.json()) as { message: string }).message, /Sign in again/)

    const member = await makeMember('operator')
    const { token } = await linkFor({ member_id: member })
    const left = await linkFor({ member_id: member })
    const theirs = await signedIn({ token })
    assert.equal((await get(theirs, '/v2/profile', {}, otherBase)).status, 200)
    await team.call(`DELETE /v2/teams/:teamId/members/${member}`)
    for (const at of [base, otherBase]) await overSoon(theirs, at)
    assert.equal((await signIn({ token: left.token })).status, 401)

    const out = await signedIn()
    const answer = await fetch(`${base}/auth/sign-out`, { method: 'POST', headers: { ...own, cookie: out } })
    assert.equal(answer.status, 204)
    assert.match(answer.headers.getSetCookie()[0] ?? '', /^runyard_session=; .*Max-Age=0/)
    await overSoon(out, otherBase)
  },
)

proves(
  'signIn.source',
  'a run that was started with a session came from the console, one by key from the API',
  async () => {
    const cookie = await signedIn()
    const { agent_id } = (await team.call('POST /v2/teams/:teamId/agents', { body: { name: 'Started' } })).body
    const fromPage = await fetch(`${base}/v2/teams/${team.id}/runs`, {
      method: 'POST',
      headers: { ...own, cookie },
      body: JSON.stringify({ agent_id }),
    })
    assert.equal(fromPage.status, 201)
    assert.equal(((await fromPage.json()) as { run: { source: string } }).run.source, 'console')
    assert.equal((await team.call('POST /v2/teams/:teamId/runs', { body: { agent_id } })).body.run.source, 'api')
  },
)

proves('signIn.over', 'a live stream that a session opened ends with the session', async () => {
  const cookie = await signedIn()
  const stream = await get(cookie, `/v2/teams/${team.id}/events`)
  assert.equal(stream.status, 200)
  const read = stream.text()
  await team.call(`DELETE /v2/sessions/${await idOf(cookie)}`)
  await read
})

proves(
  'signIn.sliding',
  'a session ends 12 hours after its last use, and 7 days after it began, by the database’s clock',
  async () => {
    const cookie = await signedIn()
    const id = await idOf(cookie)
    const hours = async (): Promise<number> => {
      const { body } = await team.call('GET /v2/teams/:teamId/sessions')
      const row = body.sessions.find((one: { id: string }) => one.id === id)
      return row ? Math.round((Date.parse(row.expires_at) - Date.now()) / 3_600_000) : 0
    }
    assert.equal(await hours(), 12)
    await sql`update sessions set created_at = created_at - interval '11 hours', until = until - interval '11 hours' where id = ${id}`
    assert.equal(await hours(), 1)
    // The last uses are written when the process stops, as on its timer. No other process gets this cookie before its session is over:
    // its timer would write a use at any moment.
    const third = await testApp({ address })
    const at = await third.listen()
    assert.equal((await get(cookie, '/v2/profile', {}, at)).status, 200)
    await third.close()
    assert.equal(await hours(), 12)
    await sql`update sessions set until = now() + interval '2 hours' where id = ${id}`
    assert.equal(await hours(), 2)
    await sql`update sessions set created_at = now() - interval '2 days' where id = ${id}`
    await sql`update credential_uses set last_used_at = now() - interval '13 hours' where credential_id = ${id}`
    assert.equal((await get(cookie, '/v2/profile')).status, 401)
    await sql`select graphile_worker.add_job('sweepSignIns')`
    await service.drain()
    assert.deepEqual(await sql`select id from sessions where id = ${id}`, [])
  },
)

proves('signIn.audit', 'the audit log names signing in and out, and nothing stores or logs a token', async () => {
  const { token, sign_in_link_id } = await linkFor()
  const cookie = await signedIn({ token })
  const id = await idOf(cookie)
  await fetch(`${base}/auth/sign-out`, { method: 'POST', headers: { ...own, cookie } })
  const { body } = await team.call('GET /v2/teams/:teamId/audit-log?limit=3')
  const rows = body.entries.map((one: Record<string, string>) => [
    one['operation'],
    one['credential_type'],
    one['target_id'],
  ])
  assert.deepEqual(rows, [
    ['signOut', 'session', id],
    ['signIn', 'session', id],
    ['createSignInLink', 'api_key', sign_in_link_id],
  ])
  const secret = cookie.slice(cookie.indexOf('_', 12) + 1)
  for (const canary of [token.slice(4), secret]) {
    assert.ok(![...service.logged, ...second.logged].some((line) => line.includes(canary)), 'a token is in the log')
    const [found] = await sql<{ n: number }>`
      select count(*) as n from (select s::text as t from sessions s union all select l::text from sign_in_links l
        union all select a::text from audit_log a) rows where position(${canary} in t) > 0`
    assert.equal(found?.n, 0)
  }
})

proves(
  'signIn.bounded',
  'bodies are bounded and checked, a flood of wrong tokens is a 429, a member has at most 50 sessions',
  async () => {
    for (const body of [
      {},
      { token: 1 },
      { token: 'a', api_key: 'b' },
      { token: 'a', more: 1 },
      { api_key: 'x'.repeat(600) },
    ]) {
      assert.equal((await signIn(body)).status, 400, JSON.stringify(body))
    }
    assert.equal((await signIn({ token: 'x'.repeat(5000) })).status, 400)
    const limited = await testApp({ address, config: { rateLimit: 20 } })
    const host = { ...pageOf('http://127.0.0.1'), host: '127.0.0.1' }
    const wrong = () => limited.call('POST /auth/sign-in', { body: { token: 'ryl_wrong' }, headers: host })
    const statuses = new Set((await Promise.all(Array.from({ length: 60 }, wrong))).map(({ status }) => status))
    assert.deepEqual(statuses, new Set([401, 429]))
    assert.equal((await limited.call('POST /auth/sign-in', { body: { api_key: team.key }, headers: host })).status, 204)

    const operator = await makeMember('operator')
    const { body: key } = await team.call('POST /v2/teams/:teamId/api-keys', { body: { user_id: operator } })
    for (let n = 0; n < 52; n++) await signedIn({ api_key: key.secret })
    const [kept] = await sql<{
      n: number
    }>`select count(*) as n from sessions where member_id = ${operator} and revoked_at is null`
    assert.equal(kept?.n, 50)
  },
)
