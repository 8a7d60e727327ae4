// Tokens are renewed ahead of their end, by one process, never twice with one refresh token; trouble is reported with the time of the next attempt.
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startMcpServer } from '../../../../test/fakes/mcpServer.ts'
import { startOauthServer } from '../../../../test/fakes/oauthServer.ts'
import {
  authoriseAgain,
  redirectUri,
  seedConnection,
  seedGrantedConnection,
  seeToConnections,
} from '../../../../test/kit/connections.ts'
import { testDatabase } from '../../../../test/kit/postgres.ts'
import { startReceiver } from '../../../../test/kit/receiver.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../../test/kit/seed.ts'
import { testApp, type TestApp } from '../../../../test/kit/testApp.ts'
import { withCredential } from './credential.ts'
import type { OAuthFacts } from '../store/newConnection.ts'
import { refreshConnections } from '../inRuns/refreshConnections.ts'
import { openSecret, type OAuthSecret } from '../store/secret.ts'
import { wakeWaitingRuns } from './connectionWaits.ts'
import { proves } from '../../../../test/kit/proves.ts'

const config = { allowPrivateHosts: ['127.0.0.1'] }
const address = await testDatabase()
const service = await testApp({ config, address })
const { context } = service
const { sql } = context.db
const oauth = await startOauthServer({ redirectUris: [redirectUri] })
const api = await startReceiver()

interface Kept {
  status: string
  generation: number
  broken_reason: string | null
  refresh_attempts: number
  refresh_problem: string | null
  is_ahead: boolean
  in_s: number
  secret: Buffer
}

async function kept(id: string): Promise<Kept> {
  const [row] = await sql<Kept>`
    select status, generation, broken_reason, refresh_attempts, refresh_problem, refresh_at < expires_at as is_ahead,
      extract(epoch from refresh_at - now())::int as in_s, secret from connections where id = ${id}`
  return row!
}

const secretOf = async (id: string) => openSecret(context.keyring, id, (await kept(id)).secret) as OAuthSecret

/** Its tokens have ended, as far as we know. */
const expire = (id: string) => sql`
  update connections set expires_at = now() - interval '1 second', refresh_at = now() - interval '1 minute' where id = ${id}`

const call = (app: TestApp, team: TestTeam, id: string) =>
  withCredential(
    app.context,
    { teamId: team.id, id },
    async ({ headers }) => ({ answer: headers, isRefused: false }),
    'upkeep',
  )

const seed = (team: TestTeam, name: string) =>
  seedGrantedConnection(service, team, oauth, { name, type: 'api', server_url: api.url })

/** Granted to the operator's own client. */
async function seedNative(team: TestTeam): Promise<string> {
  const seeded = await seed(team, 'Seeded')
  const [of] = await sql<{ oauth: OAuthFacts }>`select oauth from connections where id = ${seeded}`
  return seedConnection(service, team, {
    name: 'Native',
    type: 'native',
    provider: 'github',
    auth_method: 'oauth',
    secret: { ...(await secretOf(seeded)), client_secret: null },
    oauth: of!.oauth,
    grant: { expiresInS: 3600, isRefreshable: true },
  })
}

proves(
  'connections.refreshed',
  'tokens are renewed when four fifths of their time are over, and daily where they last longer',
  async () => {
    const team = await seedTeam(service)
    const id = await seed(team, 'Hourly')
    const first = await secretOf(id)
    const { in_s, is_ahead } = await kept(id)
    assert.ok(is_ahead && in_s > 2800 && in_s <= 2880, String(in_s))
    const before = oauth.served.refreshes
    await seeToConnections(service)
    assert.equal(oauth.served.refreshes, before, 'not before its time')
    await sql`update connections set refresh_at = now() - interval '1 second' where id = ${id}`
    await seeToConnections(service)
    const second = await secretOf(id)
    assert.notEqual(second.access_token, first.access_token)
    assert.notEqual(second.refresh_token, first.refresh_token, 'the new one is kept, for the old one is used up')
    assert.equal(second.client_secret, first.client_secret)
    assert.deepEqual([oauth.served.refreshes, (await kept(id)).generation], [before + 1, 2])
    oauth.accessTokenS = 30 * 86_400
    await sql`update connections set refresh_at = now() - interval '1 second' where id = ${id}`
    await seeToConnections(service)
    oauth.accessTokenS = 3600
    const idle = await kept(id)
    assert.ok(idle.in_s > 86_000 && idle.in_s <= 86_400, String(idle.in_s))
  },
)

proves(
  'connections.refreshRace',
  'eight processes that need one expired token make one refresh, and all continue with the new one',
  async () => {
    const team = await seedTeam(service)
    const id = await seed(team, 'Wanted')
    const others = await Promise.all(Array.from({ length: 7 }, () => testApp({ config, address })))
    await expire(id)
    const before = oauth.served.refreshes
    const all = [service, ...others]
    const used = await Promise.all(all.flatMap((app) => [call(app, team, id), call(app, team, id)]))
    assert.equal(oauth.served.refreshes, before + 1)
    const { access_token } = await secretOf(id)
    for (const one of used) {
      assert.deepEqual(one.kind === 'done' && one.answer, { authorization: `Bearer ${access_token}` })
    }
    await expire(id)
    await Promise.all(all.map(seeToConnections))
    assert.deepEqual([oauth.served.refreshes, (await kept(id)).generation], [before + 2, 3])
    await Promise.all(others.map((app) => app.close()))
  },
)

proves('connections.refreshRefused', 'a refused renewal breaks the connection once, with its reason', async () => {
  const team = await seedTeam(service)
  const id = await seed(team, 'Revoked')
  await oauth.revokeAll()
  await expire(id)
  await seeToConnections(service)
  const { status, broken_reason, generation } = await kept(id)
  assert.deepEqual([status, generation], ['action_required', 1])
  assert.match(broken_reason!, /invalid_grant|grant/)
  await seeToConnections(service)
  const used = await call(service, team, id)
  assert.equal(used.kind, 'broken')
  const told = await sql`select data from events where team_id = ${team.id} and event = 'connection.action_required'`
  assert.equal(told.length, 1)
})

proves(
  'connections.refreshNone',
  'a token that ends and cannot be renewed is a person’s to fix at its end, not before',
  async () => {
    const team = await seedTeam(service)
    const id = await seed(team, 'Short')
    const { refresh_token: _dropped, ...secret } = await secretOf(id)
    const short = await seedConnection(service, team, {
      name: 'Ends',
      server_url: api.url,
      auth_method: 'oauth',
      secret: { ...secret, refresh_token: null },
      grant: { expiresInS: 600, isRefreshable: false },
    })
    await seeToConnections(service)
    assert.deepEqual([(await kept(short)).status, (await call(service, team, short)).kind], ['active', 'done'])
    await expire(short)
    await seeToConnections(service)
    const { status, broken_reason } = await kept(short)
    assert.equal(status, 'action_required')
    assert.match(broken_reason!, /has ended, and the service gave none to renew it with/)
  },
)

proves(
  'connections.refreshTrouble',
  'while a refresh fails, calls use the old token as long as it is valid',
  async () => {
    const team = await seedTeam(service)
    const id = await seed(team, 'Troubled')
    const down = await startReceiver()
    down.answer(503)
    await sql`
    update connections set oauth = jsonb_set(oauth, '{server,token_endpoint}', to_jsonb(${`${down.url}/token`}::text)),
      refresh_at = now() - interval '1 second' where id = ${id}`
    const begun = performance.now()
    await seeToConnections(service)
    const once = await kept(id)
    assert.deepEqual([once.status, once.refresh_attempts, down.received.length], ['active', 1, 1])
    // counted from when it failed, which was somewhen in this time
    const tookS = (performance.now() - begun) / 1000
    assert.ok(once.in_s + tookS >= 11 && once.in_s <= 18, `${once.in_s} s, after ${tookS} s`)
    await seeToConnections(service)
    assert.equal((await call(service, team, id)).kind, 'done')
    assert.equal(down.received.length, 1, 'not before its time')
    await sql`update connections set refresh_at = now() - interval '1 second', refresh_attempts = 6 where id = ${id}`
    await seeToConnections(service)
    const later = await kept(id)
    assert.ok(later.in_s >= 760 && later.in_s <= 1160, String(later.in_s))
    await sql`update connections set expires_at = now() - interval '1 second' where id = ${id}`
    const used = await call(service, team, id)
    assert.ok(used.kind === 'failed')
    assert.match(
      used.message,
      /^The token of Troubled is not valid any more and could not be renewed: .*503.*\. It is tried again at \d{4}-/,
    )
    assert.equal(down.received.length, 2)
    // a run's call fails with that sentence: no person can fix it
    const procedure = `\`\`\`http connection=Troubled\nGET ${api.url}/\n\`\`\`\n`
    const runId = await startRun(team, await seedAgent(team, procedure, { connections: [id] }))
    await drainRuns(service)
    assert.match((await readRun(team, runId)).error.message, /It is tried again at/)
  },
)

proves(
  'connections.refreshClient',
  'a provider that refuses the server’s own client breaks nothing: with right settings it continues',
  async () => {
    const team = await seedTeam(service)
    const { client_id } = oauth.client
    const settings = { client_id, client_secret: 'mistyped-0123456789', token_url: oauth.endpoints.token }
    context.config.oauth = { github: settings }
    const id = await seedNative(team)
    await expire(id)
    await seeToConnections(service)
    const troubled = await kept(id)
    assert.deepEqual([troubled.status, troubled.refresh_attempts], ['active', 1])
    assert.match(troubled.refresh_problem!, /invalid_client/)
    settings.client_secret = oauth.client.client_secret
    await expire(id)
    await seeToConnections(service)
    assert.deepEqual([(await kept(id)).generation, (await call(service, team, id)).kind], [2, 'done'])
  },
)

proves(
  'connections.refreshOtherClient',
  'when the settings are those of another client, its secret goes nowhere and the connection stays as it was',
  async () => {
    const old = await startReceiver()
    const others = { client_id: 'another', client_secret: 'canary-of-another-client' }
    const { client_id } = oauth.client
    for (const settings of [
      { ...others, token_url: `${old.url}/token` },
      { ...others, client_id, token_url: oauth.endpoints.token },
    ]) {
      context.config.oauth = { github: settings }
      const team = await seedTeam(service)
      const id = await seedNative(team)
      const before = await secretOf(id)
      await sql`
        update connections set expires_at = now() - interval '1 second', refresh_at = now() - interval '1 minute',
          oauth = jsonb_set(jsonb_set(oauth, '{server,token_endpoint}', to_jsonb(${`${old.url}/token`}::text)),
            '{server,revocation_endpoint}', to_jsonb(${`${old.url}/revoke`}::text))
        where id = ${id}`
      await seeToConnections(service)
      const { status, generation, refresh_attempts, refresh_problem } = await kept(id)
      assert.deepEqual([status, generation, refresh_attempts], ['active', 1, 1])
      assert.match(refresh_problem!, /another OAuth client than the one in this server’s settings for github/)
      assert.deepEqual(await secretOf(id), before)
      const used = await call(service, team, id)
      assert.ok(used.kind === 'failed')
      assert.match(used.message, /a person authorises the connection again\. It is tried again at/)
      assert.equal(old.received.length, 0)
      await team.call(`DELETE /v2/connections/${id}`)
      await service.drain()
      const [revoked, ...more] = old.received.splice(0)
      assert.deepEqual([revoked?.url, more.length], ['/revoke', 0])
      assert.ok(revoked!.headers.authorization === undefined && !String(revoked!.body).includes('canary'))
    }
  },
)

proves(
  'connections.refreshOtherClient',
  'a connection whose client was missing in the settings continues as soon as they name it again, and no person is needed',
  async () => {
    const team = await seedTeam(service)
    const settings = { ...oauth.client, token_url: oauth.endpoints.token }
    for (const wrong of [{ client_id: 'another' }, { token_url: `${api.url}/token` }]) {
      context.config.oauth = { github: { ...settings, ...wrong } }
      const id = await seedNative(team)
      await expire(id)
      await seeToConnections(service)
      assert.equal((await kept(id)).refresh_attempts, 1)
      context.config.oauth = { github: settings }
      await expire(id)
      await seeToConnections(service)
      const { status, generation, refresh_problem } = await kept(id)
      assert.deepEqual([status, generation, refresh_problem], ['active', 2, null])
      assert.equal((await call(service, team, id)).kind, 'done')
      await sql`delete from connections where team_id = ${team.id}`
    }
    const asked = await sql`select from events where team_id = ${team.id} and event = 'connection.action_required'`
    assert.deepEqual(asked, [])
  },
)

proves(
  'connections.refreshLost',
  'a process that died while it renewed is replaced when its time is over',
  async () => {
    const team = await seedTeam(service)
    const id = await seed(team, 'Left')
    await sql`update connections set refresh_at = now() - interval '1 second', refreshing_until = now() + interval '30 seconds' where id = ${id}`
    await seeToConnections(service)
    assert.equal((await kept(id)).generation, 1)
    await sql`update connections set refreshing_until = now() - interval '1 second' where id = ${id}`
    await seeToConnections(service)
    assert.equal((await kept(id)).generation, 2)
  },
)

/** Begins to renew it at a server that answers when it is told to, with tokens that are called late. */
async function renewSlowly(id: string): Promise<{ answer: () => void; renewing: Promise<void> }> {
  const answering = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const respond = async (response: ServerResponse) => {
    asked.resolve()
    await answering.promise
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"access_token":"late","refresh_token":"late-refresh","token_type":"Bearer","expires_in":60}')
  }
  const slow = createServer((_request, response) => void respond(response))
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
  after(() => slow.close())
  const endpoint = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/token`
  await sql`
    update connections set oauth = jsonb_set(oauth, '{server,token_endpoint}', to_jsonb(${endpoint}::text)),
      refresh_at = now() - interval '1 second' where id = ${id}`
  const renewing = seeToConnections(service)
  await asked.promise
  return { answer: answering.resolve, renewing }
}

proves(
  'connections.refreshOverridden',
  'what a person authorised during a renewal is not overwritten by it',
  async () => {
    const team = await seedTeam(service)
    const id = await seed(team, 'Overtaken')
    const before = await secretOf(id)
    const { answer, renewing } = await renewSlowly(id)
    await sql`update connections set generation = generation + 1 where id = ${id}`
    answer()
    await renewing
    assert.deepEqual([await secretOf(id), (await kept(id)).generation], [before, 2])
  },
)

for (const isOldGivenBack of [true, false]) {
  proves(
    'connections.delete',
    `a grant that comes after its connection was deleted is given back, ${isOldGivenBack ? 'after' : 'instead of'} the old one`,
    async () => {
      const team = await seedTeam(service)
      const id = await seed(team, 'Deleted')
      const provider = await startReceiver()
      await sql`
        update connections set oauth = jsonb_set(oauth, '{server,revocation_endpoint}', to_jsonb(${`${provider.url}/revoke`}::text))
        where id = ${id}`
      const { refresh_token: old } = await secretOf(id)
      const { answer, renewing } = await renewSlowly(id)
      assert.equal((await team.call(`DELETE /v2/connections/${id}`)).status, 200)
      if (isOldGivenBack) await service.drain()
      answer()
      await renewing
      await service.drain()
      assert.deepEqual(
        provider.received.map(({ body }) => new URLSearchParams(body.toString()).get('token')),
        [...(isOldGivenBack ? [old] : []), 'late-refresh'],
      )
      assert.deepEqual(await sql`select from revocations where connection_id = ${id}`, [])
    },
  )
}

proves('connections.refreshFair', 'a provider that does not answer holds up no other', async () => {
  const team = await seedTeam(service)
  const waiting: ServerResponse[] = []
  let isOver = false
  const dead = createServer((_request, response) => (isOver ? response.destroy() : void waiting.push(response)))
  await new Promise<void>((resolve) => dead.listen(0, '127.0.0.1', resolve))
  after(() => dead.close())
  const id = await seed(team, 'Alive')
  const [of] = await sql<{ oauth: OAuthFacts }>`select oauth from connections where id = ${id}`
  const token_endpoint = `http://127.0.0.1:${(dead.address() as AddressInfo).port}/token`
  for (let n = 0; n < 12; n++) {
    const oauthOfDead = { ...of!.oauth, server: { ...of!.oauth.server, token_endpoint } }
    const grant = { expiresInS: 0, isRefreshable: true }
    const secret = await secretOf(id)
    const facts = { auth_method: 'oauth', provider: 'dead', secret, oauth: oauthOfDead, grant } as const
    await seedConnection(service, team, { name: `Dead ${n}`, server_url: api.url, ...facts })
  }
  await expire(id)
  const work = refreshConnections(context)
  await work.poll()
  while ((await kept(id)).generation === 1) await setImmediate()
  assert.ok(waiting.length < 12, 'not all of them are asked at once')
  // those that come only now too: nobody waits for them
  isOver = true
  for (const response of waiting) response.destroy()
  await work.stop()
  assert.equal((await kept(id)).status, 'active')
})

proves(
  'connections.invalidToken',
  'a token that is called invalid right after its renewal is renewed once more, and then the run waits',
  async () => {
    const team = await seedTeam(service)
    const server = await startReceiver()
    const id = await seedGrantedConnection(service, team, oauth, {
      name: 'Strict',
      type: 'api',
      server_url: server.url,
    })
    const procedure = '```http connection=Strict\nPOST ' + server.url + '/pay\n```\n\n```output\npaid\n```\n'
    const agentId = await seedAgent(team, procedure, { connections: [id] })
    server.answer(401, { 'www-authenticate': 'Bearer error="invalid_token", error_description="not yet known here"' })
    const before = oauth.served.refreshes
    const runId = await startRun(team, agentId)
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.deepEqual([run.status, run.waiting_on?.kind], ['waiting', 'connection'], JSON.stringify(run.error))
    assert.match(run.waiting_on.detail.reason, /calls its tokens invalid/)
    assert.deepEqual([server.received.length, oauth.served.refreshes], [3, before + 2])
    server.answer(200)
    await authoriseAgain(service, team, oauth, id)
    await wakeWaitingRuns({ context, signal: new AbortController().signal })
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).output, 'paid')
  },
)

proves(
  'connections.invalidToken',
  'one renewal more fixes a token that was called invalid right after its renewal, and nobody is asked',
  async () => {
    const team = await seedTeam(service)
    const id = await seed(team, 'Slow to know')
    await sql`update connections set renewed_at = now() where id = ${id}`
    const before = oauth.served.refreshes
    let calls = 0
    const work = async () => ({ answer: ++calls, isRefused: calls === 1, isInvalidToken: true })
    const used = await withCredential(context, { teamId: team.id, id }, work, 'upkeep')
    assert.deepEqual([used.kind, calls, oauth.served.refreshes], ['done', 2, before + 1])
    assert.equal((await kept(id)).status, 'active')
  },
)

proves(
  'connections.refused',
  'a 401 renews once and calls once more, and a second 401 is the service’s answer',
  async () => {
    const team = await seedTeam(service)
    const server = await startMcpServer({ protectedBy: oauth })
    // a token for nobody in particular, which this server does not take
    const id = await seedGrantedConnection(service, team, oauth, {
      name: 'Unbound',
      type: 'mcp',
      server_url: server.url,
    })
    const before = oauth.served.refreshes
    let calls = 0
    const refused = () =>
      withCredential(context, { teamId: team.id, id }, async () => ({ answer: ++calls, isRefused: true }), 'upkeep')
    const used = await refused()
    assert.deepEqual([used.kind, calls, oauth.served.refreshes], ['done', 2, before + 1])
    await refused()
    assert.deepEqual([calls, oauth.served.refreshes], [3, before + 1], 'not renewed again within a minute')
    assert.equal((await kept(id)).status, 'active')
  },
)
