// Connecting an account of a provider, the whole way: over real HTTP, with a real authorization server on the other side.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startOauthServer, type OauthServer } from '../../../../test/fakes/oauthServer.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { openSecret } from '../store/secret.ts'
import { proves } from '../../../../test/kit/proves.ts'

const service = await testApp({
  config: { allowPrivateHosts: ['127.0.0.1'], returnUrls: ['https://app.example.com'], oauth: {} },
})
const base = await service.listen()
const oauth = await startOauthServer({ redirectUris: [`${base}/oauth/callback`] })
pointAt(oauth)
const team = await seedTeam(service)

/** GitHub's row, with the endpoints of this server. */
function pointAt({ client, endpoints, issuer }: OauthServer): void {
  service.context.config.oauth['github'] = {
    ...client,
    authorization_url: endpoints.authorization,
    token_url: endpoints.token,
    revocation_url: endpoints.revocation,
    account_url: endpoints.account,
    issuer,
    hosts: [new URL(issuer).host],
    scopes: ['openid', 'read'],
  }
}

const start = (body: object = {}, by = team) =>
  by.call('POST /v2/teams/:teamId/connections/oauth/native/github/start', { body })

/** Does what the browser of the person who agrees does, but does not follow our redirects: the tests read them. */
const comeBack = (url: URL | string) => fetch(url, { redirect: 'manual' })

const connectionsOf = async (of = team) => (await of.call('GET /v2/teams/:teamId/connections')).body.integrations

async function connect(body: object = {}): Promise<string> {
  const { body: begun } = await start(body)
  assert.equal((await comeBack(await oauth.agree(begun.authorization_url))).status, 200)
  return (await connectionsOf())[0].id
}

const secretOf = async (id: string) => {
  const [row] = await team.sql<{ secret: Buffer }>`select secret from connections where id = ${id}`
  return openSecret(service.context.keyring, id, row!.secret)
}

proves(
  'connections.native',
  'an account is connected: its owner agrees, the browser comes back once, and the tokens are sealed',
  async () => {
    const { status, body } = await start()
    assert.equal(status, 200)
    assert.equal(body.connection_id, null)
    const asked = new URL(body.authorization_url).searchParams
    assert.equal(asked.get('code_challenge_method'), 'S256')
    assert.equal(asked.get('redirect_uri'), `${base}/oauth/callback`)
    assert.equal(asked.get('state'), body.state)
    const minutes = (new Date(body.expires_at).getTime() - Date.now()) / 60_000
    assert.ok(minutes > 8 && minutes < 11, `${minutes} minutes`)

    const [kept] = await team.sql<{
      text: string
    }>`select f::text as text from oauth_flows f where team_id = ${team.id}`
    assert.ok(!kept!.text.includes(body.state))

    const back = await oauth.agree(body.authorization_url)
    const page = await comeBack(back)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /<h1>GitHub \(ada@example.com\) is connected<\/h1>/)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
    assert.match(page.headers.get('content-security-policy')!, /^default-src 'none'; style-src 'sha256-[^']+';/)

    const [made, ...more] = await connectionsOf()
    assert.equal(more.length, 0)
    assert.deepEqual(
      [made.name, made.type, made.provider, made.auth_method, made.status, made.scopes, made.has_oauth_tokens],
      ['GitHub (ada@example.com)', 'native', 'github', 'oauth', 'active', ['openid', 'read'], true],
    )
    assert.equal(made.user_id, team.memberId)
    const left = (new Date(made.expires_at).getTime() - Date.now()) / 1000
    assert.ok(left > 3500 && left < 3610, `${left} s`)
    const secret = await secretOf(made.id)
    assert.ok(secret.kind === 'oauth' && (await oauth.find(secret.access_token))?.account === 'ada@example.com')
    const [row] = await team.sql<{ text: string }>`select c::text as text from connections c where id = ${made.id}`
    for (const hidden of [secret.access_token, secret.refresh_token!, oauth.client.client_secret]) {
      assert.ok(!row!.text.includes(hidden))
      assert.ok(!service.logged.some((line) => line.includes(hidden)))
    }
    const [told] = await team.sql<{ data: object }>`
    select data from events where team_id = ${team.id} and event = 'connection.updated'`
    assert.partialDeepStrictEqual(told!.data, {
      connection_id: made.id,
      provider: 'github',
      status: 'active',
      change: 'created',
    })
    const audited = await team.call('GET /v2/teams/:teamId/audit-log')
    assert.match(audited.text, new RegExp(`finishOAuth.*${made.id}|${made.id}.*finishOAuth`))
  },
)

proves(
  'connections.stateOnce',
  'a state that is wrong, used or late is refused with a page, and nothing is written',
  async () => {
    const many = await connectionsOf()
    const { body } = await start()
    const back = await oauth.agree(body.authorization_url)
    const forged = new URL(back)
    forged.searchParams.set('state', 'A'.repeat(43))
    const doubled = new URL(back)
    doubled.searchParams.append('state', body.state)
    const none = new URL(back)
    none.searchParams.delete('state')
    for (const url of [forged, doubled, none]) {
      const page = await comeBack(url)
      assert.equal(page.status, 400)
      assert.match(await page.text(), /This authorisation is over/)
    }
    assert.deepEqual(await connectionsOf(), many)
    const both = await Promise.all([comeBack(back), comeBack(back)])
    assert.deepEqual(new Set(both.map(({ status }) => status)), new Set([200, 400]))
    assert.equal((await comeBack(back)).status, 400)
    assert.equal((await connectionsOf()).length, many.length + 1)

    const { body: late } = await start()
    const lateBack = await oauth.agree(late.authorization_url)
    await team.sql`update oauth_flows set expires_at = now() - interval '1 second' where team_id = ${team.id}`
    assert.equal((await comeBack(lateBack)).status, 400)
    assert.equal((await connectionsOf()).length, many.length + 1)
  },
)

proves('connections.replayedCode', 'a code that was redeemed already is refused, also with a new state', async () => {
  const { body: first } = await start()
  const used = await oauth.agree(first.authorization_url)
  await comeBack(used)
  const many = await connectionsOf()
  const { body: second } = await start()
  const replayed = new URL(used)
  replayed.searchParams.set('state', second.state)
  const page = await comeBack(replayed)
  assert.equal(page.status, 400)
  assert.match(await page.text(), /refused: invalid_grant/)
  assert.deepEqual(await connectionsOf(), many)
})

proves(
  'connections.issuer',
  'an answer that names another issuer, or none where one is due, is refused before its code is sent anywhere',
  async () => {
    const many = await connectionsOf()
    const codes = oauth.served.codes
    for (const change of [
      (url: URL) => url.searchParams.set('iss', 'https://evil.example'),
      (url: URL) => url.searchParams.delete('iss'),
    ]) {
      const { body } = await start()
      const back = await oauth.agree(body.authorization_url)
      change(back)
      const page = await comeBack(back)
      assert.equal(page.status, 400)
      assert.match(await page.text(), /does not belong to this authorisation/)
    }
    assert.equal(oauth.served.codes, codes)
    assert.deepEqual(await connectionsOf(), many)
  },
)

proves(
  'connections.denied',
  'a person who says no sees that, and what the provider says is shown as text',
  async () => {
    const { body } = await start()
    oauth.account = null
    const back = await oauth.agree(body.authorization_url)
    oauth.account = 'ada@example.com'
    back.searchParams.set('error_description', '<script>alert(1)</script>')
    const page = await comeBack(back)
    assert.equal(page.status, 400)
    const html = await page.text()
    assert.match(html, /<h1>Not connected<\/h1>/)
    assert.match(html, /access_denied/)
    assert.ok(!html.includes('<script>'))
    assert.match(html, /&lt;script&gt;/)
  },
)

proves(
  'connections.returnUrl',
  'the browser is sent to a return_url of our own or a listed origin, and no other is taken',
  async () => {
    for (const return_url of [
      'https://evil.example/',
      'https://app.example.com.evil.example/',
      'https://app.example.com@evil.example/',
      'javascript:alert(1)',
      'http://app.example.com/',
    ]) {
      const refused = await start({ return_url })
      assert.equal(refused.status, 400, return_url)
      assert.match(refused.body.message, /return_url/)
    }
    const { body } = await start({ return_url: 'https://app.example.com/done?tab=2&status=x' })
    const answer = await comeBack(await oauth.agree(body.authorization_url))
    assert.equal(answer.status, 303)
    const [made] = await connectionsOf()
    assert.equal(
      answer.headers.get('location'),
      `https://app.example.com/done?tab=2&status=connected&connection_id=${made.id}`,
    )

    const own = await start({ return_url: `${base}/docs/` })
    oauth.account = null
    const denied = await comeBack(await oauth.agree(own.body.authorization_url))
    oauth.account = 'ada@example.com'
    assert.equal(denied.headers.get('location'), `${base}/docs/?status=failed&error=access_denied`)
  },
)

proves(
  'connections.flowCredential',
  'an authorisation dies with the credential that began it: a key, a client, the right of its member',
  async () => {
    const many = await connectionsOf()
    const scopes = ['connections:write']
    const { body: member } = await team.call('POST /v2/teams/:teamId/members', { body: { name: 'Eve', role: 'admin' } })
    const key = async (of: object = {}) =>
      (await team.call('POST /v2/teams/:teamId/api-keys', { body: { scopes, ...of } })).body
    const [revoked, demoted] = [await key(), await key({ user_id: member.member_id })]
    const { body: client } = await team.call('POST /v2/teams/:teamId/oauth-clients', { body: { name: 'Ours', scopes } })
    const token = await fetch(`${base}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: client.client_id,
        client_secret: client.client_secret,
      }),
    })
    const { access_token } = (await token.json()) as { access_token: string }
    const backs: URL[] = []
    for (const secret of [revoked.secret, demoted.secret, access_token]) {
      const { body } = await team.call('POST /v2/teams/:teamId/connections/oauth/native/github/start', { key: secret })
      backs.push(await oauth.agree(body.authorization_url))
    }
    await team.call(`DELETE /v2/api-keys/${revoked.key_id}`)
    await team.call(`PATCH /v2/teams/:teamId/members/${member.member_id}`, { body: { role: 'operator' } })
    await team.call(`DELETE /v2/oauth-clients/${client.client_id}`)
    const codes = oauth.served.codes
    for (const back of backs) {
      const page = await comeBack(back)
      assert.equal(page.status, 400)
      assert.match(await page.text(), /The key that began this has been revoked/)
    }
    assert.equal(oauth.served.codes, codes)
    assert.deepEqual(await connectionsOf(), many)
  },
)

proves(
  'connections.flowCredential',
  'an authorisation whose key is revoked while the provider answers makes no connection',
  async () => {
    const many = await connectionsOf()
    const scopes = ['connections:write']
    const { body: key } = await team.call('POST /v2/teams/:teamId/api-keys', { body: { scopes } })
    const accounts = createServer((_request, response) => {
      void team.call(`DELETE /v2/api-keys/${key.key_id}`).then(() => response.end('{"login":"ada"}'))
    })
    await new Promise<void>((resolve) => accounts.listen(0, '127.0.0.1', resolve))
    accounts.unref()
    service.context.config.oauth['github']!.account_url =
      `http://127.0.0.1:${(accounts.address() as AddressInfo).port}/`
    const { body } = await team.call('POST /v2/teams/:teamId/connections/oauth/native/github/start', {
      key: key.secret,
    })
    const { codes } = oauth.served
    const page = await comeBack(await oauth.agree(body.authorization_url))
    accounts.close()
    pointAt(oauth)
    assert.equal(oauth.served.codes, codes + 1)
    assert.equal(page.status, 400)
    assert.match(await page.text(), /The key that began this has been revoked/)
    assert.deepEqual(await connectionsOf(), many)
  },
)

proves(
  'connections.bySession',
  'an account that a member connects on the page is theirs, also where the browser comes back without the cookie',
  async () => {
    const { body: member } = await team.call('POST /v2/teams/:teamId/members', { body: { name: 'Ida', role: 'admin' } })
    const page = { origin: base, host: new URL(base).host, 'x-runyard-client': 'test' }
    const { body: link } = await team.call('POST /v2/teams/:teamId/sign-in-links', {
      body: { member_id: member.member_id },
    })
    const token = link.url.slice(link.url.indexOf('=') + 1)
    const signedIn = await service.call('POST /auth/sign-in', { body: { token }, headers: page })
    assert.equal(signedIn.status, 204)
    const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? ''
    const begin = async () => {
      const route = `POST /v2/teams/${team.id}/connections/oauth/native/github/start`
      const { status, body, text } = await service.call(route, { body: {}, headers: { ...page, cookie } })
      assert.equal(status, 200, text)
      return oauth.agree(body.authorization_url)
    }
    const [used, late] = [await begin(), await begin()]
    const answer = await comeBack(used)
    assert.equal(answer.status, 200, await answer.text())
    const [made] = await connectionsOf()
    assert.deepEqual([made.user_id, made.status], [member.member_id, 'active'])
    assert.equal((await service.call('POST /auth/sign-out', { headers: { ...page, cookie } })).status, 204)
    const refused = await comeBack(late)
    assert.equal(refused.status, 400, 'it ends with the session')
    assert.equal((await connectionsOf())[0].id, made.id)
  },
)

proves(
  'connections.reconnect',
  'a connection that is authorised again keeps its id and its name, and its tokens are new',
  async () => {
    const id = await connect()
    const { body: named } = await team.call(`PATCH /v2/connections/${id}`, { body: { name: 'The repositories' } })
    assert.equal(named.connection.name, 'The repositories')
    const before = await secretOf(id)
    await team.sql`
    update connections set status = 'action_required', broken_at = now(), broken_reason = 'The grant is gone.' where id = ${id}`
    const { body } = await start({ reconnect_connection_id: id })
    assert.equal(body.connection_id, id)
    oauth.account = 'eve@example.com'
    assert.equal((await comeBack(await oauth.agree(body.authorization_url))).status, 200)
    oauth.account = 'ada@example.com'
    const { body: after } = await team.call(`GET /v2/connections/${id}`)
    assert.deepEqual(
      [after.connection.name, after.connection.status, after.connection.broken_at, after.connection.broken_reason],
      ['The repositories', 'active', null, null],
    )
    assert.notDeepEqual(await secretOf(id), before)
    const told = await team.sql<{ change: string }>`
    select data ->> 'change' as change from events where data ->> 'connection_id' = ${id} order by id`
    assert.deepEqual(
      told.map(({ change }) => change),
      ['created', 'updated', 'reauthorized'],
    )

    const stranger = await seedTeam(service)
    for (const foreign of [id, 'no-id']) {
      assert.equal((await start({ reconnect_connection_id: foreign }, stranger)).status, 404)
    }
    assert.equal((await stranger.sql`select 1 from oauth_flows where team_id = ${stranger.id}`).length, 0)
  },
)

proves(
  'connections.delete',
  'a deleted connection is gone at once, and its grant is given back to the provider',
  async () => {
    const id = await connect()
    const secret = await secretOf(id)
    assert.ok(secret.kind === 'oauth')
    const { status } = await team.call(`DELETE /v2/connections/${id}`)
    assert.equal(status, 200)
    assert.equal((await team.call(`GET /v2/connections/${id}`)).status, 404)
    await service.drain()
    assert.equal(await oauth.find(secret.access_token), undefined)
    assert.equal((await team.sql`select 1 from revocations`).length, 0)
  },
)

proves(
  'connections.providerSettings',
  'a provider without a client on this server says what to set, and an unknown one is a 404',
  async () => {
    const unset = await team.call('POST /v2/teams/:teamId/connections/oauth/native/google-sheets/start')
    assert.equal(unset.body.error, 'provider_not_configured')
    assert.match(
      unset.body.message,
      /OAUTH_GOOGLE_SHEETS_CLIENT_ID and OAUTH_GOOGLE_SHEETS_CLIENT_SECRET \(or OAUTH_GOOGLE_CLIENT_ID/,
    )
    assert.equal((await team.call('POST /v2/teams/:teamId/connections/oauth/native/nobody/start')).status, 404)
  },
)

proves(
  'connections.redirectUri',
  'without PUBLIC_URL an authorisation begins only while the server listens on loopback alone',
  async () => {
    const { config } = service.context
    try {
      config.host = '0.0.0.0'
      const refused = await start()
      assert.equal(refused.body.error, 'public_url_missing')
      assert.match(refused.body.message, /Set PUBLIC_URL/)
      config.publicUrl = 'https://runyard.example.com'
      const { body } = await start()
      const asked = new URL(body.authorization_url).searchParams
      assert.equal(asked.get('redirect_uri'), 'https://runyard.example.com/oauth/callback')
    } finally {
      config.host = '127.0.0.1'
      config.publicUrl = undefined
    }
  },
)
