// The table of providers: its rows, the settings that go before them, the habits of single providers, and the tools that they bring.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { ConfigError, readConfig } from '../../../base/config.ts'
import { seedConnection } from '../../../../test/kit/connections.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../../test/kit/runs.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { configuredProviders, idleSettings, isOwnHost, nativeClient } from './nativeClient.ts'
import { providers } from './providers.ts'
import { proves } from '../../../../test/kit/proves.ts'

interface Asked {
  method: string
  authorization: string | undefined
  body: string
}

/** What is answered at a path, and what was asked there. */
const answers = new Map<string, { status: number; body: object }>()
const asked = new Map<string, Asked>()
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { method = '', url: path = '', headers } = request
    asked.set(path, { method, authorization: headers.authorization, body: Buffer.concat(chunks).toString() })
    const { status, body } = answers.get(path) ?? { status: 404, body: {} }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
}).listen(0, '127.0.0.1')
after(() => {
  server.closeAllConnections()
  server.close()
})
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** The one for which this server has no client when it starts. */
const unset = 'stripe'
const client = { client_id: 'the-client', client_secret: 'the-secret' }
const set = providers.filter(({ name }) => name !== unset)
const oauth = {
  ...Object.fromEntries(set.map(({ name }) => [name, { ...client }])),
  github: { ...client, hosts: [new URL(url).host] },
}
const service = await testApp({ config: { allowPrivateHosts: ['127.0.0.1'], oauth } })
const team = await seedTeam(service)

const start = async (provider: string) =>
  (await team.call(`POST /v2/teams/:teamId/connections/oauth/native/${provider}/start`)).body

/** The provider's servers are ours from now on; gives what its row says still. */
function pointAtUs(provider: string): void {
  service.context.config.oauth[provider] = {
    ...client,
    token_url: `${url}/${provider}/token`,
    account_url: `${url}/${provider}/account`,
  }
}

async function comeBack(provider: string): Promise<{ status: number; text: string }> {
  const { state } = await start(provider)
  return service.call(`GET /oauth/callback?code=the-code&state=${state}`)
}

const newest = async () => (await team.call('GET /v2/teams/:teamId/connections')).body.integrations[0]

proves(
  'connections.providers',
  'every row of the table is whole: https addresses of its own, hosts, a way to read the account, what was read',
  () => {
    assert.ok(providers.length >= 12)
    assert.equal(new Set(providers.map(({ name }) => name)).size, providers.length)
    for (const row of providers) {
      assert.match(row.name, /^[a-z][a-z0-9-]*$/)
      const account = row.account!
      const addresses = [row.authorization_url, row.token_url, row.revocation_url, account.url, row.docs, row.issuer]
      for (const address of addresses) assert.ok(address === null || new URL(address).protocol === 'https:', row.name)
      assert.ok(row.hosts.length > 0 && row.hosts.every((host) => /^[a-z0-9.-]+$/.test(host)), row.name)
      // the account is asked with the same credential, so it must lie on a host that may have it
      assert.ok(isOwnHost(row.hosts, new URL(account.url)), row.name)
      assert.ok(account.label.length > 0, row.name)
      assert.ok(!row.settings_of || providers.some(({ name }) => name === row.settings_of), row.name)
    }
  },
)

proves(
  'connections.providerSettings',
  'a provider is offered when it, or the provider whose client it shares, has a client',
  () => {
    const { oauth: read } = readConfig({
      OAUTH_GOOGLE_CLIENT_ID: 'google-id',
      OAUTH_GOOGLE_CLIENT_SECRET: 'google-secret',
      OAUTH_GOOGLE_SCOPES: 'openid',
      OAUTH_GOOGLE_SHEETS_CLIENT_ID: 'sheets-id',
      OAUTH_GOOGLE_SHEETS_CLIENT_SECRET: 'sheets-secret',
      OAUTH_SLACK_CLIENT_ID: 'without-a-secret',
      OAUTH_SALESFORCE_CLIENT_ID: 'sf',
      OAUTH_SALESFORCE_CLIENT_SECRET: 'sf-secret',
      OAUTH_SALESFORCE_TOKEN_URL: 'https://test.salesforce.com/services/oauth2/token',
      OAUTH_SALESFORCE_HOSTS: 'acme.my.salesforce.com, *.example.com',
    })
    assert.deepEqual(
      configuredProviders({ oauth: read }).map(({ name }) => name),
      ['google', 'gmail', 'google-sheets', 'google-drive', 'salesforce'],
    )
    const misspelled = { githup: { client_id: 'x', client_secret: 'y' } }
    assert.deepEqual(idleSettings({ oauth: { ...read, ...misspelled } }), [
      'OAUTH_SLACK_CLIENT_ID and OAUTH_SLACK_CLIENT_SECRET are of use only together.',
      'OAUTH_GITHUP_… is set, but there is no provider githup; docs/providers.md lists them.',
    ])
    assert.equal(nativeClient({ oauth: read }, 'gmail')!.client.client_id, 'google-id')
    assert.equal(nativeClient({ oauth: read }, 'google-sheets')!.client.client_id, 'sheets-id')
    // scopes are a provider's own: gmail is of no use with those of google
    assert.ok(nativeClient({ oauth: read }, 'gmail')!.provider.scopes.length > 1)
    assert.deepEqual(nativeClient({ oauth: read }, 'google')!.provider.scopes, ['openid'])
    const salesforce = nativeClient({ oauth: read }, 'salesforce')!
    assert.equal(salesforce.server.token_endpoint, 'https://test.salesforce.com/services/oauth2/token')
    assert.equal(salesforce.server.revocation_endpoint, null)
    assert.deepEqual(salesforce.provider.hosts, ['acme.my.salesforce.com', '*.example.com'])
    // of an instance of one's own, no token may reach the provider's servers
    assert.equal(salesforce.provider.account, null)
    const own = { client_id: 'a', client_secret: 'b', token_url: 'https://git.example.com/login/oauth/access_token' }
    const { provider } = nativeClient({ oauth: { github: own } }, 'github')!
    assert.deepEqual([provider.hosts, provider.account, provider.revocation_url], [['git.example.com'], null, null])
    assert.throws(
      () =>
        readConfig({
          OAUTH_GITHUB_TOKEN_URL: 'ftp://x',
          OAUTH_GITHUB_CLIENT_SECRET: 'has spaces',
          RUNYARD_RETURN_URLS: 'https://a.example/path',
        }),
      (error) => error instanceof ConfigError && error.problems.length === 3 && !error.message.includes('has spaces'),
    )
  },
)

proves(
  'connections.ownHosts',
  'a host is meant as it stands: with its port, and below a star only what lies below',
  () => {
    const hosts = ['api.example.com', '*.cloud.example', '127.0.0.1:8080']
    const meant = [
      'https://api.example.com/x',
      'https://a.cloud.example/',
      'https://a.b.cloud.example/',
      'http://127.0.0.1:8080/',
    ]
    const foreign = [
      'https://api.example.com:8443/',
      'https://evil-api.example.com/',
      'https://cloud.example/',
      'https://evilcloud.example/',
      'https://a.cloud.example:81/',
      'http://127.0.0.1/',
      'https://api.example.com.evil.example/',
    ]
    for (const one of meant) assert.ok(isOwnHost(hosts, new URL(one)), one)
    for (const one of foreign) assert.ok(!isOwnHost(hosts, new URL(one)), one)
  },
)

proves(
  'connections.providerTools',
  'a provider with a client is a plugin whose tool calls the API with the agent’s connection',
  async () => {
    const { body } = await team.call('GET /v2/plugins/catalog')
    const plugin = body.plugins.find(({ name }: { name: string }) => name === 'github')
    assert.deepEqual([plugin.type, plugin.requires_connection, plugin.provider], ['native', true, 'github'])
    assert.deepEqual(
      plugin.tools.map(({ name }: { name: string }) => name),
      ['github_request'],
    )
    assert.ok(!body.plugins.some(({ name }: { name: string }) => name === unset))

    const secret = {
      kind: 'oauth',
      access_token: 'token-canary-1',
      refresh_token: null,
      token_type: 'Bearer',
      client_secret: null,
    } as const
    const id = await seedConnection(service, team, {
      name: 'Repos',
      type: 'native',
      provider: 'github',
      auth_method: 'oauth',
      secret,
    })
    answers.set('/user', { status: 200, body: { login: 'ada' } })
    const procedure = ['```tool name=github_request', `{"url": "${url}/user"}`, '```'].join('\n')
    const agentId = await seedAgent(team, procedure, { plugins: ['github'], connections: [id] })
    const runId = await startRun(team, agentId)
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.equal(run.status, 'completed', JSON.stringify(run.error))
    assert.equal(asked.get('/user')!.authorization, 'Bearer token-canary-1')
  },
)

proves(
  'connections.providers',
  'every provider is asked in its own way: its scopes, its separators, and what makes a refresh token come',
  async () => {
    service.context.config.oauth[unset] = { ...client }
    for (const { name, authorization_url, scopes, scope_separator, extra, pkce } of providers) {
      const begun = new URL((await start(name)).authorization_url)
      const wanted = new URL(authorization_url)
      assert.equal(begun.origin + begun.pathname, wanted.origin + wanted.pathname)
      const parameters = Object.fromEntries(begun.searchParams)
      assert.partialDeepStrictEqual(parameters, {
        ...extra,
        response_type: 'code',
        client_id: 'the-client',
        redirect_uri: 'http://127.0.0.1:4700/oauth/callback',
      })
      assert.equal(parameters['code_challenge_method'], pkce === 'none' ? undefined : 'S256')
      assert.equal(parameters['scope'] ?? '', scopes.join(scope_separator), name)
    }
  },
)

proves(
  'connections.providerHabits',
  'Slack: a bot’s token, scopes parted by commas, the client in the header, and a refusal with status 200',
  async () => {
    pointAtUs('slack')
    const granted = {
      ok: true,
      access_token: 'xoxb-1',
      token_type: 'bot',
      scope: 'chat:write,users:read',
      team: { id: 'T1' },
    }
    answers.set('/slack/token', { status: 200, body: granted })
    answers.set('/slack/account', { status: 200, body: { ok: true, team: 'Acme', user: 'runyard' } })
    assert.equal((await comeBack('slack')).status, 200)
    const { name, scopes, expires_at } = await newest()
    assert.deepEqual([name, scopes, expires_at], ['Slack (Acme)', ['chat:write', 'users:read'], null])
    const basic = `Basic ${Buffer.from('the-client:the-secret').toString('base64')}`
    assert.equal(asked.get('/slack/token')!.authorization, basic)
    assert.doesNotMatch(asked.get('/slack/token')!.body, /code_verifier/)
    assert.deepEqual(
      [asked.get('/slack/account')!.method, asked.get('/slack/account')!.authorization],
      ['POST', 'Bearer xoxb-1'],
    )

    answers.set('/slack/token', { status: 200, body: { ok: false, error: 'invalid_code' } })
    const refused = await comeBack('slack')
    assert.equal(refused.status, 400)
    assert.match(refused.text, /refused: invalid_code/)

    // a token that is no longer good, as Slack says it
    answers.set('/slack/account', { status: 200, body: { ok: false, error: 'token_revoked' } })
    const { id } = await newest()
    assert.equal((await team.call(`POST /v2/connections/${id}/test`)).body.success, false)
    assert.equal((await newest()).status, 'action_required')
  },
)

proves('connections.providerHabits', 'Salesforce: the account’s own server is where its credential goes', async () => {
  pointAtUs('salesforce')
  const granted = {
    access_token: 'sf-1',
    refresh_token: 'sf-2',
    token_type: 'Bearer',
    instance_url: 'https://acme.my.salesforce.com',
  }
  answers.set('/salesforce/token', { status: 200, body: granted })
  answers.set('/salesforce/account', { status: 200, body: { preferred_username: 'ada@acme.example' } })
  assert.equal((await comeBack('salesforce')).status, 200)
  const { name, server_url } = await newest()
  assert.deepEqual([name, server_url], ['Salesforce (ada@acme.example)', 'https://acme.my.salesforce.com'])
})

proves(
  'connections.providerHabits',
  'Linear: the name of the account is asked by GraphQL and made unique by a number',
  async () => {
    pointAtUs('linear')
    answers.set('/linear/token', {
      status: 200,
      body: { access_token: 'lin-1', expires_in: 86_399, scope: 'read write' },
    })
    answers.set('/linear/account', { status: 200, body: { data: { viewer: { organization: { name: 'Acme' } } } } })
    assert.equal((await comeBack('linear')).status, 200)
    assert.equal((await newest()).name, 'Linear (Acme)')
    assert.match(asked.get('/linear/account')!.body, /viewer/)
    assert.match(asked.get('/linear/token')!.body, /client_secret=the-secret/)
    assert.match(asked.get('/linear/token')!.body, /code_verifier=/)
    assert.equal((await comeBack('linear')).status, 200)
    assert.equal((await newest()).name, 'Linear (Acme) 2')
  },
)

proves(
  'connections.providerTrouble',
  'a provider that is down is reported as such, and an account whose name cannot be read is connected without one',
  async () => {
    pointAtUs('github')
    answers.set('/github/token', { status: 503, body: {} })
    const down = await comeBack('github')
    assert.equal(down.status, 400)
    assert.match(down.text, /answered 503.* start it again/)
    answers.set('/github/token', { status: 200, body: { access_token: 'gho_1', scope: 'repo,gist' } })
    answers.set('/github/account', { status: 500, body: {} })
    assert.equal((await comeBack('github')).status, 200)
    const { name, scopes } = await newest()
    assert.deepEqual([name, scopes], ['GitHub', ['repo', 'gist']])
  },
)

proves(
  'connections.catalogue',
  'every provider is listed, and for one without a client what an operator has to set',
  async () => {
    delete service.context.config.oauth[unset]
    const { body } = await team.call('GET /v2/teams/:teamId/connections/providers')
    const listed = body.providers as { name: string; is_configured: boolean; settings: string }[]
    assert.deepEqual(
      listed.map(({ name }) => name),
      providers.map(({ name }) => name),
    )
    assert.deepEqual(
      listed.filter(({ is_configured }) => !is_configured).map(({ name, settings }) => [name, settings]),
      [[unset, 'OAUTH_STRIPE_CLIENT_ID and OAUTH_STRIPE_CLIENT_SECRET']],
    )
    assert.match(body.redirect_uri, /^http:\/\/127\.0\.0\.1:\d+\/oauth\/callback$/)
  },
)
