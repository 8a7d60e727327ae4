// Strangers at the front door: they are counted by address, and known callers do not wait for them.
import assert from 'node:assert/strict'
import type { Sql } from '../base/db.ts'
import { newSecret } from '../features/credentials/apiKey.ts'
import { newId } from '../base/ids.ts'
import { testDatabase } from '../../test/kit/postgres.ts'
import { seedTeam } from '../../test/kit/seed.ts'
import { testApp, type TestApp } from '../../test/kit/testApp.ts'
import { createAddressReader } from './callerAddress.ts'
import { createCredentials } from './credential.ts'
import { proves } from '../../test/kit/proves.ts'

const limit = 5
const address = await testDatabase()
const config = { rateLimit: limit, trustedProxies: ['10.0.0.0/8', 'fd00::/8'] }
const service = await testApp({ address, config })
const { sql } = service.context.db
const team = await seedTeam(service)

/** Has the form of a key, which anybody can produce who knows the format. */
const madeUpKey = () => newSecret(newId())

const statusOf = async (
  { app }: TestApp,
  from: { remoteAddress: string; forwarded?: string },
  key: string,
): Promise<number> => {
  const headers = { authorization: `Bearer ${key}`, ...(from.forwarded && { 'x-forwarded-for': from.forwarded }) }
  const answer = await app.inject({ method: 'GET', url: '/v2/teams', remoteAddress: from.remoteAddress, headers })
  return answer.statusCode
}

/** Ends when the address is refused, wherever the database's minutes begin. */
async function useUp(app: TestApp, from: { remoteAddress: string; forwarded?: string }): Promise<void> {
  for (let sent = 0; (await statusOf(app, from, madeUpKey())) !== 429; sent++) assert.ok(sent < 3 * limit)
}

proves(
  'rateLimit.strangers',
  'a good key that a process has never seen works at once behind an address whose limit strangers have used up',
  async () => {
    const from = { remoteAddress: '192.0.2.1' }
    const fresh = await testApp({ address, config })
    await useUp(service, from)
    await useUp(fresh, from)
    assert.equal(await statusOf(service, from, team.key), 200)
    assert.equal(await statusOf(fresh, from, team.key), 200)
  },
)

const askForToken = async (clientId: string, secret: string) => {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: secret })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const request = { url: '/oauth/token', remoteAddress: '192.0.2.2', headers, payload: form.toString() }
  return (await service.app.inject({ method: 'POST', ...request })).statusCode
}

proves(
  'rateLimit.strangers',
  'strangers at the token endpoint do not keep a client behind the same address from its token',
  async () => {
    const { body: client } = await team.call('POST /v2/teams/:teamId/oauth-clients', {
      body: { scopes: ['team:read'] },
    })
    for (let sent = 0; (await askForToken(newId(), 'made-up')) !== 429; sent++) assert.ok(sent < 3 * limit)
    assert.equal(await askForToken(client.client_id, client.client_secret), 200)
  },
)

proves(
  'rateLimit.flood',
  'ten thousand made-up keys cost a few statements and push no known key out of memory',
  async () => {
    let statements = 0
    const counting = ((...asked: Parameters<Sql>) => {
      statements += 1
      return sql(...asked)
    }) as Sql
    const credentials = createCredentials(counting)
    assert.equal((await credentials.find(team.key))?.team_id, team.id)
    const madeUp = Array.from({ length: 12_000 }, madeUpKey)
    const met = madeUp.map((key) => credentials.find(key))
    const unseen = await seedTeam(service)
    const [found, ...strangers] = await Promise.all([credentials.find(unseen.key), ...met])
    assert.equal(found?.team_id, unseen.id)
    assert.ok(strangers.every((caller) => caller === undefined))
    assert.ok(statements < 20, `${statements} statements`)
    const before = statements
    // it is remembered for less than a second: whether it is asked for again or not, it is found, with at most one statement
    assert.equal((await credentials.find(team.key))?.team_id, team.id)
    assert.ok(statements - before <= 1)
  },
)

proves(
  'rateLimit.proxies',
  'behind a trusted proxy the address is the rightmost of X-Forwarded-For that is not a proxy itself',
  async () => {
    const read = createAddressReader(config.trustedProxies)
    const of = (remoteAddress: string, forwarded?: string) =>
      read({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } } as never)
    assert.equal(of('10.1.1.1', '203.0.113.9, 198.51.100.7, 10.2.2.2'), '198.51.100.7')
    assert.equal(of('::ffff:10.1.1.1', '198.51.100.7:4711'), '198.51.100.7')
    assert.equal(of('fd00::1', '"odd", [2001:db8:1:2:3::4]:443'), '2001:db8:1:2::/64')
    assert.equal(of('203.0.113.5', '198.51.100.7'), '203.0.113.5', 'a peer that is no proxy says what it likes')
    assert.equal(of('10.1.1.1', 'nonsense'), '10.1.1.1')
    assert.equal(of('10.1.1.1'), '10.1.1.1')
    assert.equal(of('2001:db8::1'), of('2001:0db8:0:0:ffff::2'), 'a /64 is one caller')
    await useUp(service, { remoteAddress: '10.1.1.1', forwarded: '198.51.100.7' })
    assert.equal(await statusOf(service, { remoteAddress: '10.1.1.1', forwarded: '198.51.100.8' }, 'nobody'), 401)
  },
)
