// The OAuth client against a real authorization server, and against answers that only odd or hostile ones give.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startOauthServer } from '../../../test/fakes/oauthServer.ts'
import { partiesOf } from '../../../test/kit/connections.ts'
import { createOutbound } from '../../base/outbound/fetch.ts'
import { createGuard } from '../../base/outbound/guard.ts'
import { challengeOf } from './challenge.ts'
import { discover } from './discover.ts'
import {
  authorizationUrl,
  GrantRefused,
  newVerifier,
  OAuthTrouble,
  redeemCode,
  refreshGrant,
  revokeGrant,
  type AuthorizationServer,
  type OAuthClient,
} from './oauth.ts'
import { registerClient } from './register.ts'
import { isSecure } from './secureUrl.ts'
import { proves } from '../../../test/kit/proves.ts'

const outbound = createOutbound(createGuard({ allowPrivateHosts: ['127.0.0.1'] }))
after(outbound.close)
const door = { fetch: outbound.fetch, signal: new AbortController().signal }
const redirectUri = 'http://127.0.0.1:4700/oauth/callback'
const oauth = await startOauthServer({ redirectUris: [redirectUri] })
const { server: known, client } = partiesOf(oauth)
const server: AuthorizationServer = { ...known, code_challenge_methods: ['S256'] }

async function agree(by: OAuthClient = client) {
  const asked = { server, client: by, redirectUri, state: crypto.randomUUID(), verifier: newVerifier() }
  const url = authorizationUrl({ ...asked, scopes: ['openid', 'offline_access'] })
  return { ...asked, callback: (await oauth.agree(url.href)).searchParams }
}

/** A token endpoint that gives this answer. */
async function answering(answer: { status?: number; body: unknown }) {
  const seen: { request: IncomingMessage; body: string }[] = []
  const http = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      seen.push({ request, body })
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
      response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  after(() => http.close())
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  return { origin, seen, server: { ...server, issuer: origin, token_endpoint: `${origin}/token` } }
}

const refreshAt = async (answer: { status?: number; body: unknown }) =>
  refreshGrant({ server: (await answering(answer)).server, client, refreshToken: 'refresh-secret-1' }, door)

proves('oauth.grant', 'a code brings tokens, which are renewed and taken back', async () => {
  const grant = await redeemCode(await agree(), door)
  assert.equal((await oauth.find(grant.access_token))?.account, 'ada@example.com')
  assert.equal(grant.expires_in_s, 3600)
  assert.deepEqual(grant.scopes, ['openid'])
  const renewed = await refreshGrant({ server, client, refreshToken: grant.refresh_token! }, door)
  assert.notEqual(renewed.refresh_token, grant.refresh_token)
  await revokeGrant({ server, client, token: renewed.refresh_token! }, door)
  await assert.rejects(refreshGrant({ server, client, refreshToken: renewed.refresh_token! }, door), GrantRefused)
  await revokeGrant({ server: { ...server, revocation_endpoint: null }, client, token: 'x' }, door)
})

proves('oauth.refusals', 'an answer of another flow, of another server, or used before is refused', async () => {
  const asked = await agree()
  await assert.rejects(redeemCode({ ...asked, state: 'another' }, door), GrantRefused)
  const mixedUp = new URLSearchParams(asked.callback)
  mixedUp.set('iss', 'https://evil.example.com')
  await assert.rejects(redeemCode({ ...asked, callback: mixedUp }, door), GrantRefused)
  const nameless = new URLSearchParams(asked.callback)
  nameless.delete('iss')
  await assert.rejects(redeemCode({ ...asked, callback: nameless }, door), GrantRefused)
  const doubled = new URLSearchParams(asked.callback)
  doubled.append('code', 'another')
  await assert.rejects(redeemCode({ ...asked, callback: doubled }, door), GrantRefused)
  const codeless = new URLSearchParams(asked.callback)
  codeless.delete('code')
  await assert.rejects(redeemCode({ ...asked, callback: codeless }, door), GrantRefused)
  await assert.rejects(redeemCode({ ...asked, verifier: newVerifier() }, door), GrantRefused)
  const fresh = await agree()
  await redeemCode(fresh, door)
  await assert.rejects(redeemCode(fresh, door), { name: 'GrantRefused', message: /^127.0.0.1 refused: invalid_grant/ })
})

test('a person who says no sees that, in the words of the server', async () => {
  oauth.account = null
  const asked = await agree()
  oauth.account = 'ada@example.com'
  await assert.rejects(redeemCode(asked, door), {
    name: 'GrantRefused',
    message: '127.0.0.1 refused: access_denied (The person said no).',
  })
})

proves('oauth.registration', 'we register ourselves, and prove ourselves as the server wants it', async () => {
  for (const auth_methods of [null, ['client_secret_post'], ['none']]) {
    const made = await registerClient({ ...server, auth_methods }, { redirectUri, name: 'Runyard' }, door)
    assert.equal(made.auth_method, auth_methods?.[0] ?? 'client_secret_basic')
    assert.equal(made.client_secret === null, made.auth_method === 'none')
    assert.ok((await redeemCode(await agree(made), door)).access_token)
  }
  await assert.rejects(
    registerClient({ ...server, auth_methods: ['tls_client_auth'] }, { redirectUri, name: 'Runyard' }, door),
    { name: 'GrantRefused', message: /tls_client_auth/ },
  )
  const refused = await answering({ status: 400, body: { error: 'invalid_redirect_uri' } })
  const closed = { ...refused.server, registration_endpoint: `${refused.origin}/register` }
  await assert.rejects(registerClient(closed, { redirectUri, name: 'Runyard' }, door), /invalid_redirect_uri/)
})

proves('oauth.quirks', 'the habits of the big providers are understood', async () => {
  const slack = {
    ok: true,
    access_token: 'xoxb-1',
    token_type: 'bot',
    scope: 'chat:write,users:read',
    expires_in: '43200',
  }
  const grant = await refreshAt({ body: slack })
  assert.deepEqual(
    [grant.token_type, grant.scopes, grant.expires_in_s, grant.refresh_token],
    ['Bearer', ['chat:write', 'users:read'], 43_200, null],
  )
  assert.equal((await refreshAt({ body: { access_token: 'a', expires_in: 0 } })).expires_in_s, null)
  const no: [number, unknown][] = [
    [200, { error: 'bad_refresh_token' }],
    [200, { ok: false, error: 'token_revoked' }],
    [401, { error: 'invalid_client' }],
    [400, { status: 'BAD_REFRESH_TOKEN', message: 'missing or unknown refresh token' }],
  ]
  for (const [status, body] of no) await assert.rejects(refreshAt({ status, body }), GrantRefused)
  const notNow: [number, unknown][] = [
    [503, { error: 'invalid_grant' }],
    [429, {}],
    [400, { error: 'temporarily_unavailable' }],
    [403, '<html>a gateway</html>'],
    [200, '[]'],
    [200, { access_token: 'two\nlines' }],
    [200, { access_token: 'a', token_type: 'DPoP' }],
    [302, '{}'],
    [200, 'x'.repeat(300_000)],
  ]
  for (const [status, body] of notNow) await assert.rejects(refreshAt({ status, body }), OAuthTrouble)
})

proves('oauth.secrets', 'what a server says is shown without what we sent it', async () => {
  const said = 'the token refresh-secret-1 of\u0000\nevil <b>client</b> is unknown'
  await assert.rejects(refreshAt({ status: 400, body: { error: 'invalid_grant', error_description: said } }), {
    message: '127.0.0.1 refused: invalid_grant (the token … of evil <b>client</b> is unknown).',
  })
  const { server: other, seen } = await answering({ body: { access_token: 'a' } })
  const odd = {
    client_id: 'id-with.dots_and:colon',
    client_secret: 'a b+c',
    auth_method: 'client_secret_basic',
  } as const
  await refreshGrant({ server: other, client: odd, refreshToken: 'r', resource: 'https://mcp.example.com/' }, door)
  const [, basic] = seen[0]!.request.headers.authorization!.split(' ')
  assert.equal(Buffer.from(basic!, 'base64').toString(), 'id-with.dots_and%3Acolon:a+b%2Bc')
  assert.equal(new URLSearchParams(seen[0]!.body).get('resource'), 'https://mcp.example.com/')
})

test('secrets are sent over https, or in a private network that the guard was opened for', () => {
  for (const url of [
    'https://a.example',
    'http://127.0.0.1:1',
    'http://[::1]/',
    'http://10.1.2.3',
    'http://mcp:80',
    'http://a.internal',
  ]) {
    assert.ok(isSecure(new URL(url)), url)
  }
  for (const url of ['http://a.example', 'http://8.8.8.8', 'ftp://127.0.0.1', 'http://[2606:4700::1]/']) {
    assert.ok(!isSecure(new URL(url)), url)
  }
  const plain = { ...server, authorization_endpoint: 'http://a.example/authorize' }
  assert.throws(
    () => authorizationUrl({ server: plain, client, redirectUri, state: 's', verifier: newVerifier(), scopes: [] }),
    /must be an https URL/,
  )
})

test('a server that cannot be reached, or is not waited for, is trouble', async () => {
  const closed = createServer()
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const token_endpoint = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/token`
  await new Promise((resolve) => closed.close(resolve))
  const asked = { server: { ...server, token_endpoint }, client, refreshToken: 'r' }
  await assert.rejects(refreshGrant(asked, door), { name: 'OAuthTrouble', message: /refused the connection/ })
  const given = AbortSignal.abort(new Error('no longer wanted'))
  await assert.rejects(refreshGrant(asked, { ...door, signal: given }), /no longer wanted/)
  await assert.rejects(discover('http://169.254.169.254/mcp', door), { name: 'OAuthTrouble', message: /link-local/ })
})

const challengeIn = (header: string) => challengeOf(new Headers({ 'www-authenticate': header }))

test('a challenge is read from the header that servers write in many ways', () => {
  assert.deepEqual(challengeIn('Bearer resource_metadata="https://a.example/prm", scope="a b"'), {
    resource_metadata: 'https://a.example/prm',
    scope: 'a b',
  })
  assert.deepEqual(challengeIn('Basic realm="x", bearer error=invalid_token'), { error: 'invalid_token' })
  assert.deepEqual(challengeIn('Bearer realm="a \\"quoted\\", scope=evil", scope="good"'), { scope: 'good' })
  assert.deepEqual(challengeIn('Bearer'), {})
  assert.deepEqual(challengeIn('Negotiate abc'), {})
  assert.deepEqual(challengeOf(new Headers()), {})
})
