// Signing in with OpenID Connect against a real provider: members found and made, roles taken over, and every way to fail.
import assert from 'node:assert/strict'
import type { Config } from '../../base/config.ts'
import { startOauthServer } from '../../../test/fakes/oauthServer.ts'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { proves } from '../../../test/kit/proves.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp, type TestApp } from '../../../test/kit/testApp.ts'

const publicUrl = 'http://127.0.0.1:4700'
const host = '127.0.0.1:4700'
const provider = await startOauthServer({
  redirectUris: [`${publicUrl}/auth/oidc/callback`],
  scopes: ['email', 'profile'],
})
const settings = {
  publicUrl,
  allowPrivateHosts: ['127.0.0.1'],
  oidcIssuer: provider.issuer,
  oidcClientId: provider.client.client_id,
  oidcClientSecret: provider.client.client_secret,
  oidcName: 'Corp login',
} satisfies Partial<Config>

const address = await testDatabase()
const serviceWith = (config: Partial<Config> = {}) => testApp({ address, config: { ...settings, ...config } })
const service = await serviceWith()
const team = await seedTeam(service)
const { sql } = service.context.db

const cookiesOf = (headers: Record<string, string | string[]>): string[] =>
  [headers['set-cookie'] ?? []].flat().map((one) => one.split(';')[0] ?? '')

async function begin(at: TestApp, returnTo = '/runs?status=failed#top') {
  const answer = await at.call(`GET /auth/oidc?return_to=${encodeURIComponent(returnTo)}`, { headers: { host } })
  return {
    location: answer.headers['location'] ?? '',
    cookie: cookiesOf(answer.headers)[0] ?? '',
    status: answer.status,
  }
}

const comeBack = async (at: TestApp, url: URL, cookie: string) => {
  const answer = await at.call(`GET ${url.pathname}${url.search}`, { headers: { host, cookie } })
  const location = answer.headers['location'] ?? ''
  const error = new URL(location, publicUrl).searchParams.get('error')
  return {
    status: answer.status,
    location,
    error,
    session: cookiesOf(answer.headers).find((one) => one.includes('=ryc_')),
  }
}

/** The whole way, as a browser goes it. */
async function signIn(at: TestApp, account: string | null, returnTo?: string) {
  provider.account = account
  const { location, cookie } = await begin(at, returnTo)
  return comeBack(at, await provider.agree(location), cookie)
}

const profileOf = async (session: string | undefined) =>
  (await service.call('GET /v2/profile', { headers: { cookie: session ?? '', host } })).body.profile

proves(
  'signIn.oidc',
  'the ways in name the provider, and the browser is sent there with state, nonce and PKCE',
  async () => {
    const ways = await service.call('GET /auth/ways')
    assert.deepEqual(ways.body, { api_key: true, oidc: { name: 'Corp login' } })
    const { location, status, cookie } = await begin(service)
    assert.equal(status, 302)
    assert.match(cookie, /^runyard_oidc=/)
    const { origin, searchParams } = new URL(location)
    assert.equal(origin, provider.issuer)
    assert.equal(searchParams.get('code_challenge_method'), 'S256')
    for (const name of ['state', 'nonce', 'code_challenge'])
      assert.ok((searchParams.get(name) ?? '').length >= 43, name)
    const none = await testApp({ address, config: { publicUrl } })
    assert.deepEqual((await none.call('GET /auth/ways')).body, { api_key: true, oidc: null })
    assert.match((await begin(none)).location, /^\/sign-in\?error=This%20service%20has%20no/)
  },
)

proves(
  'signIn.oidc',
  'a member is found by verified e-mail address, whatever its case, and comes back to where they were',
  async () => {
    await team.call(`PATCH /v2/teams/:teamId/members/${team.memberId}`, { body: { email: 'Ada@Example.com' } })
    const { location, session, error, status } = await signIn(service, 'ada@example.com')
    assert.deepEqual([status, error, location], [303, null, '/runs?status=failed#top'])
    assert.equal((await profileOf(session)).id, team.memberId)
    for (const wanted of [
      'https://evil.example.com/',
      '//evil.example.com',
      '/\\evil.example.com',
      'javascript:alert(1)',
    ]) {
      assert.equal((await signIn(service, 'ada@example.com', wanted)).location, '/', wanted)
    }
  },
)

proves(
  'signIn.oidc',
  'a person stays in the team where their address was verified, though an older one has it too',
  async () => {
    const email = 'grace@example.com'
    const younger = await seedTeam(service)
    await younger.call(`PATCH /v2/teams/:teamId/members/${younger.memberId}`, { body: { email } })
    assert.equal((await profileOf((await signIn(service, email)).session)).id, younger.memberId)
    const { body } = await team.call('POST /v2/teams/:teamId/members', { body: { name: 'Not Grace', email } })
    assert.equal((await profileOf((await signIn(service, email)).session)).id, younger.memberId)
    await sql`update members set verified_email = null where id = ${younger.memberId}`
    assert.equal((await profileOf((await signIn(service, email)).session)).id, body.member_id)
  },
)

proves('signIn.oidc', 'strangers are let in only with a default role, and only from allowed domains', async () => {
  const refused = await signIn(service, 'new@example.com')
  assert.match(refused.error ?? '', /No member has the e-mail address new@example\.com/)
  assert.equal(refused.session, undefined)
  const open = await serviceWith({ oidcDefaultRole: 'viewer', oidcAllowedDomains: ['example.com'] })
  const made = await profileOf((await signIn(open, 'new@example.com')).session)
  assert.deepEqual([made.email, made.role, made.team_id], ['new@example.com', 'viewer', team.id])
  const again = await profileOf((await signIn(open, 'new@example.com')).session)
  assert.equal(again.id, made.id)
  assert.match((await signIn(open, 'eve@evil.example.com')).error ?? '', /evil\.example\.com may not sign in/)
  const unverified = await signIn(open, 'unverified@example.com')
  assert.match(unverified.error ?? '', /has not verified/)
})

proves('signIn.oidc', 'a claim sets the role at every sign-in, and never takes the last admin', async () => {
  const claimed = await serviceWith({ oidcRoleClaim: 'role' })
  const made = await profileOf((await signIn(claimed, 'operator@example.com')).session)
  assert.equal(made.role, 'operator')
  await sql`update members set role = 'viewer' where id = ${made.id}`
  assert.equal((await profileOf((await signIn(claimed, 'operator@example.com')).session)).role, 'operator')
  await team.call(`PATCH /v2/teams/:teamId/members/${made.id}`, { body: { email: 'former@example.com' } })
  await team.call(`PATCH /v2/teams/:teamId/members/${team.memberId}`, { body: { email: 'operator@example.com' } })
  assert.equal((await profileOf((await signIn(claimed, 'operator@example.com')).session)).role, 'admin')
  await team.call(`PATCH /v2/teams/:teamId/members/${team.memberId}`, { body: { email: 'ada@example.com' } })
})

proves(
  'signIn.oidc',
  'a state works once, in its own browser and for ten minutes, and a forged answer signs nobody in',
  async () => {
    provider.account = 'ada@example.com'
    const over = /took longer than ten minutes/
    const first = await begin(service)
    const back = await provider.agree(first.location)
    assert.match((await comeBack(service, back, '')).error ?? '', over)
    assert.match((await comeBack(service, back, (await begin(service)).cookie)).error ?? '', over)
    assert.ok((await comeBack(service, back, first.cookie)).session)
    assert.match((await comeBack(service, back, first.cookie)).error ?? '', over)

    const late = await begin(service)
    const lateBack = await provider.agree(late.location)
    await sql`update oidc_sign_ins set expires_at = now()`
    assert.match((await comeBack(service, lateBack, late.cookie)).error ?? '', over)

    const swapped = await begin(service)
    const foreign = await provider.agree((await begin(service)).location)
    foreign.searchParams.set('state', new URL(swapped.location).searchParams.get('state') ?? '')
    const forged = await comeBack(service, foreign, swapped.cookie)
    assert.equal(forged.session, undefined)
    assert.ok(forged.error)

    const denied = await signIn(service, null)
    assert.match(denied.error ?? '', /refused: access_denied/)
  },
)

proves('signIn.oidc', 'a nonce of another sign-in is refused', async () => {
  provider.account = 'ada@example.com'
  const { location, cookie } = await begin(service)
  const url = new URL(location)
  url.searchParams.set('nonce', 'another')
  const { error, session } = await comeBack(service, await provider.agree(url.href), cookie)
  assert.match(error ?? '', /could not be verified/)
  assert.equal(session, undefined)
})

proves('signIn.oidc', 'a provider that is away or guarded is a sentence, and the next try asks it again', async () => {
  const guarded = await serviceWith({ allowPrivateHosts: [] })
  assert.match((await begin(guarded)).location, /^\/sign-in\?error=/)
  const away = await serviceWith({ oidcIssuer: 'http://127.0.0.1:9' })
  for (let n = 0; n < 2; n++) assert.match((await begin(away)).location, /^\/sign-in\?error=/)
  const logs = [...service.logged, ...guarded.logged, ...away.logged].join('\n')
  assert.ok(!logs.includes('"level":"error"'), logs)
  assert.ok(!logs.includes(provider.client.client_secret))
})
