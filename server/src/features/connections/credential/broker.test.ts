// Connections that a broker holds: taken over once it vouches for them, with their tokens left where they are.
import assert from 'node:assert/strict'
import { startReceiver } from '../../../../test/kit/receiver.ts'
import { seedTeam, type TestTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { brokerToken } from './broker.ts'
import { proves } from '../../../../test/kit/proves.ts'

const broker = await startReceiver()
const service = await testApp({
  config: { allowPrivateHosts: ['127.0.0.1'], brokerUrl: broker.url, brokerKey: 'broker-key-canary', oauth: {} },
})
const team = await seedTeam(service)

const vouches = (more: object = {}) =>
  broker.answer(
    200,
    { 'content-type': 'application/json' },
    JSON.stringify({ credentials: { type: 'OAUTH2', access_token: 'broker-token-canary' }, ...more }),
  )

const finalize = (body: object, { by = team, provider = 'hubspot' }: { by?: TestTeam; provider?: string } = {}) =>
  by.call(`POST /v2/teams/:teamId/connections/oauth/third-party/${provider}/finalize`, { body })

proves(
  'connections.broker',
  'what the broker vouches for becomes one connection without a token of ours, however often it is brought',
  async () => {
    vouches({ end_user: { email: 'ada@example.com', organization: { id: team.id } } })
    const { status, body } = await finalize({
      broker_connection_id: 'at broker/1?'.replaceAll(' ', '-'),
      provider_config_key: 'hubspot-prod',
    })
    assert.equal(status, 201)
    const { connection } = body
    assert.deepEqual(
      [connection.name, connection.type, connection.provider, connection.auth_method, connection.has_oauth_tokens],
      ['HubSpot (ada@example.com)', 'native', 'hubspot', 'oauth', true],
    )
    const asked = broker.received.at(-1)!
    assert.equal(asked.url, '/connections/at-broker%2F1%3F?provider_config_key=hubspot-prod')
    assert.equal(asked.headers.authorization, 'Bearer broker-key-canary')
    const [all] = await team.sql<{
      text: string
    }>`select c::text || coalesce((select string_agg(e::text, '') from events e), '') as text from connections c`
    for (const hidden of ['broker-token-canary', 'broker-key-canary']) {
      assert.ok(!all!.text.includes(hidden))
      assert.ok(!service.logged.some((line) => line.includes(hidden)))
    }
    await team.sql`update connections set status = 'action_required', broken_at = now(), broken_reason = 'x'`
    const again = await finalize({ broker_connection_id: 'at-broker/1?', provider_config_key: 'hubspot-prod' })
    assert.deepEqual([again.body.connection_id, again.body.connection.status], [connection.id, 'active'])
    const { signal } = new AbortController()
    assert.equal(await brokerToken(service.context, connection, signal), 'broker-token-canary')
  },
)

proves(
  'connections.brokerRefused',
  'what the broker does not know, made for another team, or another team has taken, is refused',
  async () => {
    vouches()
    assert.equal((await finalize({ broker_connection_id: 'taken' })).status, 201)
    const stranger = await seedTeam(service)
    assert.equal((await finalize({ broker_connection_id: 'taken' }, { by: stranger })).status, 409)
    vouches({ end_user: { organization: { id: stranger.id } } })
    const foreign = await finalize({ broker_connection_id: 'theirs' })
    assert.equal(foreign.status, 400)
    assert.match(foreign.body.message, /another organisation/)
    const troubles: [number, number, RegExp][] = [
      [404, 400, /no such connection/],
      [424, 400, /no longer renew/],
      [401, 409, /RUNYARD_BROKER_KEY/],
      [502, 409, /answered 502/],
    ]
    for (const [answered, status, reason] of troubles) {
      broker.answer(answered, {}, '{}')
      const refused = await finalize({ broker_connection_id: 'other' })
      assert.equal(refused.status, status)
      assert.match(refused.body.message, reason)
    }
    broker.answer(200, {}, '{"credentials": {"type": "API_KEY", "apiKey": "k"}}')
    assert.match((await finalize({ broker_connection_id: 'other' })).body.message, /gives no OAuth access token/)
    assert.equal(
      (await team.sql`select 1 from connections where broker_connection_id in ('other', 'theirs')`).length,
      0,
    )
  },
)

proves(
  'connections.broker',
  'a connection with a server of its own is tested there, and its token is not sent to the provider',
  async () => {
    vouches()
    const [own, provider] = [await startReceiver(), await startReceiver()]
    const account_url = `${provider.url}/user`
    service.context.config.oauth['gitlab'] = { client_id: 'ours', client_secret: 'ours', account_url }
    const { body } = await finalize(
      { broker_connection_id: 'own', server_url: `${own.url}/api` },
      { provider: 'gitlab' },
    )
    const tested = await team.call(`POST /v2/connections/${body.connection_id}/test`)
    assert.deepEqual(tested.body, { success: true })
    assert.deepEqual(provider.received, [])
    assert.deepEqual(
      own.received.map(({ url, headers }) => [url, headers.authorization]),
      [['/api', 'Bearer broker-token-canary']],
    )
  },
)

proves(
  'connections.broker',
  'a provider that the table lacks needs a URL for its token, and without a broker the error names the settings',
  async () => {
    vouches()
    assert.equal((await finalize({ broker_connection_id: 'odd' }, { provider: 'odd' })).status, 404)
    const { body } = await finalize(
      { broker_connection_id: 'odd', server_url: 'https://8.8.8.8/' },
      { provider: 'odd' },
    )
    assert.deepEqual([body.connection.type, body.connection.server_url], ['api', 'https://8.8.8.8/'])
    service.context.config.brokerKey = undefined
    const unset = await finalize({ broker_connection_id: 'x' })
    assert.equal(unset.body.error, 'provider_not_configured')
    assert.match(unset.body.message, /RUNYARD_BROKER_URL and RUNYARD_BROKER_KEY/)
  },
)
