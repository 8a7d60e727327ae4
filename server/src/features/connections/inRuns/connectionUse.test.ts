// Connections in the hands of runs: whose hosts they are for, what a run sees of them, and how runs wait for one that is broken.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startFakeAnthropic } from '../../../../test/fakes/anthropic.ts'
import { startMcpServer } from '../../../../test/fakes/mcpServer.ts'
import { startOauthServer } from '../../../../test/fakes/oauthServer.ts'
import { seedConnection } from '../../../../test/kit/connections.ts'
import { startReceiver } from '../../../../test/kit/receiver.ts'
import { drainRuns, readEvents, readRun, seedAgent, startRun } from '../../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { withCredential } from '../credential/credential.ts'
import { readTranscript } from '../../evaluations/transcript.ts'
import { listTools } from '../mcpTools/toolList.ts'
import { forgetStopped, markEnded, wakeWaitingRuns } from '../credential/connectionWaits.ts'
import { proves } from '../../../../test/kit/proves.ts'

const provider = await startFakeAnthropic()
after(() => provider.close())
const service = await testApp({
  config: { allowPrivateHosts: ['127.0.0.1'], anthropicKey: 'sk-ant-1234567890', anthropicUrl: provider.url },
})
const { context } = service
const { sql } = context.db
await service.listen()
const oauth = await startOauthServer()
const block = (words: string, body = '') => `\`\`\`${words}\n${body}\n\`\`\`\n\n`
const tick = () => wakeWaitingRuns({ context, signal: new AbortController().signal })

async function runOf(team: TestTeam, procedure: string, connections: string[], message = 'go'): Promise<string> {
  const runId = await startRun(team, await seedAgent(team, procedure, { connections }), { message })
  await drainRuns(service)
  return runId
}

/** Woken by whoever looks next, and run to its end. */
async function goOn(): Promise<void> {
  await tick()
  await drainRuns(service)
}

const secretOf = (value: string) => ({ kind: 'headers', headers: { Authorization: `Bearer ${value}` } }) as const

proves(
  'connections.http',
  'a call is made with a connection’s credential, which neither the procedure nor its result ever shows',
  async () => {
    const team = await seedTeam(service)
    const api = await startReceiver()
    const key = 'key-canary-0123456789'
    const id = await seedConnection(service, team, { name: 'Our CRM', server_url: api.url, secret: secretOf(key) })
    api.answer(200, { 'content-type': 'application/json' }, JSON.stringify({ you_sent: `Bearer ${key}`, n: 7 }))
    const procedure =
      block('http connection="Our CRM" id=ask', `GET ${api.url}/items\nX-Mine: 1`) +
      block('output', '{{ steps.ask.output.body }}')
    const run = await readRun(team, await runOf(team, procedure, [id]))
    assert.deepEqual([run.status, run.output], ['completed', { you_sent: '[cut]', n: 7 }])
    const { headers, url } = api.received[0]!
    assert.deepEqual([headers.authorization, headers['x-mine'], url], [`Bearer ${key}`, '1', '/items'])
    const { last_used_at: used } = (await team.call(`GET /v2/connections/${id}`)).body.connection
    assert.ok(Date.now() - Date.parse(used) < 60_000, 'the connection says when it was last used')
  },
)

proves(
  'redaction.data',
  'a value that a connection holds is cut wherever it comes back, and data that only looks secret is not',
  async () => {
    const team = await seedTeam(service)
    const [api, other] = [await startReceiver(), await startReceiver()]
    const secret = {
      kind: 'headers',
      headers: { Authorization: 'Basic bWU6cGFzcy00NzExLXdvcmQ=', 'X-For': 'Acme Incorporated' },
    } as const
    const id = await seedConnection(service, team, { name: 'CRM', server_url: api.url, secret })
    const said = 'Basic plan 12 EUR, Bearer bonds, ry_demo_1, whsec_none, Incorporated'
    api.answer(200, { 'content-type': 'text/plain' }, said)
    // this is another server, which was told what the first one had been sent
    other.answer(
      200,
      { 'content-type': 'text/plain' },
      `${said}; pass-4711-word, bWU6cGFzcy00NzExLXdvcmQ, Acme Incorporated`,
    )
    const procedure =
      block('http connection=CRM id=a', `GET ${api.url}/`) +
      block('http id=b', `GET ${other.url}/`) +
      block('tool name=memory_write id=c', '{"path": "plan.md", "content": "Basic plan for ry_demo_1"}') +
      block('tool name=memory_read id=d', '{"path": "plan.md"}') +
      block('output', '[{{ steps.a.output.body }}, {{ steps.b.output.body }}, {{ steps.d.output }}]')
    const runId = await runOf(team, procedure, [id], said)
    const run = await readRun(team, runId)
    assert.equal(run.status, 'completed', JSON.stringify(run.error))
    assert.deepEqual(run.output.slice(0, 2), [said, `${said}; [cut], [cut], [cut]`])
    assert.match(JSON.stringify(run.output[2]), /Basic plan for ry_demo_1/)
    const { body } = await team.call(`GET /v2/runs/${runId}/messages`)
    assert.ok(body.messages[0].text_content.includes(said))
    const told = await readTranscript(sql, team.id, runId)
    assert.ok(JSON.stringify(told).includes('Basic plan 12 EUR, Bearer bonds, ry_demo_1'))
  },
)

proves(
  'connections.httpHosts',
  'a connection is used for its own hosts only, by its own name, without another credential beside it',
  async () => {
    const team = await seedTeam(service)
    const [api, other] = [await startReceiver(), await startReceiver()]
    const secret = secretOf('key-canary-0123456789')
    const id = await seedConnection(service, team, { name: 'CRM', server_url: api.url, secret })
    const hidden = await seedConnection(service, team, {
      name: 'Mine',
      server_url: api.url,
      secret,
      shared: false,
      user_id: null,
    })
    const unnamed = await seedConnection(service, team, { name: 'Unnamed', server_url: api.url, secret })
    const refused: [string, string, RegExp][] = [
      ['CRM', `GET ${other.url}/`, /CRM is for 127\.0\.0\.1:\d+ only, not for 127\.0\.0\.1:\d+\. Call that without/],
      ['CRM', `GET ${api.url}/\nauthorization: Bearer mine`, /Leave the header authorization out/],
      ['CRM', `GET ${api.url}/\nCookie: a=b`, /Leave the header Cookie out/],
      ['Mine', `GET ${api.url}/`, /The connection Mine is for runs that its own maker starts\. Share it/],
      [unnamed, `GET ${api.url}/`, /no connection called .* It has: CRM\./],
    ]
    for (const [name, request, sentence] of refused) {
      const run = await readRun(team, await runOf(team, block(`http connection=${name}`, request), [id, hidden]))
      assert.equal(run.status, 'failed')
      assert.match(run.error.message, sentence)
    }
    assert.deepEqual([api.received.length, other.received.length], [0, 0])
    const mine = await seedConnection(service, team, { name: 'Only mine', server_url: api.url, secret, shared: false })
    const run = await readRun(team, await runOf(team, block(`http connection=${mine}`, `GET ${api.url}/`), [mine]))
    assert.equal(run.status, 'completed')
  },
)

proves(
  'connections.tools',
  'the tools of an MCP connection are an agent’s tools, and its server sees which call it is',
  async () => {
    const team = await seedTeam(service)
    const secret = { kind: 'headers', headers: { 'X-Key': 'header-canary-4711' } } as const
    const server = await startMcpServer({
      wantsHeader: { name: 'x-key', value: 'header-canary-4711' },
      tools: [
        {
          name: 'find.invoice',
          description: 'Finds an invoice.',
          answer: ({ n }) => ({ n, key: 'header-canary-4711' }),
        },
      ],
    })
    const id = await seedConnection(service, team, {
      name: 'Our Books!',
      type: 'custom_mcp',
      server_url: server.url,
      secret,
    })
    assert.ok('tools' in (await listTools(context, { id, team_id: team.id })))
    const name = 'our_books__find_invoice'
    const procedure =
      block(`tool name=${name} id=a`, '{"n": 1}') +
      block(`tool name=${name} id=b`, '{"n": 2}') +
      block('output', '[{{ steps.a.output.data }}, {{ steps.b.output.data.n }}]')
    const runId = await runOf(team, procedure, [id])
    const run = await readRun(team, runId)
    assert.deepEqual([run.status, run.output], ['completed', [{ n: 1, key: '[cut]' }, 2]])
    assert.deepEqual(
      server.calls.map(({ name: called, arguments: args, callId }) => [called, args, callId]),
      [
        ['find.invoice', { n: 1 }, `${runId}:1`],
        ['find.invoice', { n: 2 }, `${runId}:2`],
      ],
    )
    const opened = server.requests.filter(({ rpc }) => rpc === 'initialize' || rpc === 'server/discover').length
    assert.ok(opened <= 2, 'one session for the list, one for both calls')
    assert.match((await readRun(team, await runOf(team, procedure, []))).error.message, /our_books__find_invoice/)
  },
)

proves(
  'connections.toolFiles',
  'a picture that a tool brings is a file of the run, and what it says is an error where it says so',
  async () => {
    const team = await seedTeam(service)
    const png = Buffer.from('a picture, as far as anybody looks').toString('base64')
    const server = await startMcpServer({
      tools: [
        { name: 'draw', answer: () => ({ content: [{ type: 'image', data: png, mimeType: 'image/png' }] }) },
        { name: 'fail', answer: () => ({ isError: true, content: [{ type: 'text', text: 'No such customer.' }] }) },
      ],
    })
    const id = await seedConnection(service, team, { name: 'Art', type: 'custom_mcp', server_url: server.url })
    await listTools(context, { id, team_id: team.id })
    const runId = await runOf(team, block('tool name=art__draw id=a', '{}') + block('tool name=art__fail', '{}'), [id])
    const { body } = await team.call(`GET /v2/runs/${runId}/messages`)
    const results = body.messages.flatMap(({ tool_result }: { tool_result: unknown }) => tool_result ?? [])
    assert.deepEqual(results[0].result, { files: ['/workspace/.results/step-1-1.png'] })
    assert.equal(results[1].error, 'No such customer.')
    const created = (await readEvents(service, runId)).find(({ event }) => event === 'run.file.created')
    assert.deepEqual(
      [created!.data.path, created!.data.content_type],
      ['/workspace/.results/step-1-1.png', 'image/png'],
    )
  },
)

/** The whole way, as a person goes it; gives the connection that it ends in. */
async function authorise(team: TestTeam, body: Record<string, string>): Promise<string> {
  const begun = await team.call('POST /v2/teams/:teamId/connections/oauth/mcp/start', { body })
  assert.equal(begun.status, 201, begun.text)
  const page = await fetch(await oauth.agree(begun.body.authorization_url), { redirect: 'manual' })
  assert.equal(page.status, 200, await page.text())
  const [connection] = (await team.call('GET /v2/teams/:teamId/connections')).body.integrations
  assert.equal(connection.status, 'active')
  return connection.id
}

interface Told {
  connection_id: string
  reason: string
  waiting_run_ids: string[]
}

const alarms = async (team: TestTeam): Promise<Told[]> => {
  const events = await sql<{ data: Told }>`
    select data from events where team_id = ${team.id} and event = 'connection.action_required' order by id`
  return events.map(({ data }) => data)
}

proves(
  'connections.revoked',
  'a run waits for a revoked grant to be authorised again, and then makes its call once',
  async () => {
    const team = await seedTeam(service)
    const server = await startMcpServer({ protectedBy: oauth, scopes: ['read'] })
    const id = await authorise(team, { name: 'CRM', mcp_server_url: server.url })
    assert.ok('tools' in (await listTools(context, { id, team_id: team.id })))
    await oauth.revokeAll()
    const procedure = block('tool name=crm__echo id=a', '{"n": 1}') + block('output', '{{ steps.a.output.data }}')
    const runId = await runOf(team, procedure, [id])
    const waiting = await readRun(team, runId)
    assert.deepEqual([waiting.status, waiting.waiting_on.kind], ['waiting', 'connection'])
    const { reason, ...named } = waiting.waiting_on.detail
    assert.deepEqual(named, { connection_id: id, name: 'CRM', provider: new URL(server.url).host })
    const [alarm, ...more] = await alarms(team)
    assert.deepEqual([alarm!.connection_id, alarm!.reason, alarm!.waiting_run_ids, more], [id, reason, [runId], []])
    const { body: why } = await team.call(`GET /v2/runs/${runId}/why`)
    assert.match(why.why, /for the connection CRM to be authorised again: /)
    const { body: listed } = await team.call('GET /v2/teams/:teamId/runs')
    assert.equal(listed.data[0].waiting_on.detail.name, 'CRM')
    assert.equal((await team.call(`GET /v2/connections/${id}`)).body.connection.status, 'action_required')
    // a second run that needs it waits at once, and asks nobody
    const asked = server.requests.length
    const second = await runOf(team, procedure, [id])
    assert.equal((await readRun(team, second)).status, 'waiting')
    assert.equal(server.requests.length, asked)
    await goOn()
    assert.equal((await readRun(team, runId)).status, 'waiting')
    assert.equal(await authorise(team, { name: 'CRM', mcp_server_url: server.url, reconnect_connection_id: id }), id)
    await goOn()
    for (const run of [await readRun(team, runId), await readRun(team, second)]) {
      assert.deepEqual([run.status, run.output], ['completed', { n: 1 }])
    }
    assert.equal(server.calls.length, 2)
    assert.deepEqual(await sql`select from connection_waits where connection_id = ${id}`, [])
    const types = (await readEvents(service, runId)).map(({ event }) => event)
    assert.equal(types.filter((type) => type === 'run.paused').length, 1)
  },
)

const newKey = { Authorization: 'Bearer new-key-0123456789' }

/** A run that waits for a connection whose key was refused. */
async function waitingRun(answer = 401) {
  const team = await seedTeam(service)
  const api = await startReceiver()
  const id = await seedConnection(service, team, {
    name: 'CRM',
    server_url: api.url,
    secret: secretOf('old-key-0123456789'),
  })
  api.answer(answer)
  const procedure =
    block('http connection=CRM id=a', `POST ${api.url}/pay`) + block('output', 'paid {{ steps.a.output.status }}')
  const runId = await runOf(team, procedure, [id])
  const run = await readRun(team, runId)
  assert.deepEqual([run.status, run.waiting_on.kind], ['waiting', 'connection'])
  api.answer(200)
  return { team, api, id, runId }
}

proves('connections.newKey', 'a run waits when its key is refused, and continues with a new key', async () => {
  const { team, api, id, runId } = await waitingRun()
  assert.equal(api.received.length, 1)
  await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'hurry' } })
  await drainRuns(service)
  assert.deepEqual([(await readRun(team, runId)).status, api.received.length], ['waiting', 1])
  assert.equal((await team.call(`PATCH /v2/connections/${id}`, { body: { headers: newKey } })).status, 200)
  await goOn()
  assert.equal((await readRun(team, runId)).output, 'paid 200')
  assert.deepEqual(
    api.received.map(({ headers }) => headers.authorization),
    ['Bearer old-key-0123456789', 'Bearer new-key-0123456789'],
  )
})

proves(
  'connections.wantsScopes',
  'a tool that needs more than was granted fails with what to do, and the next authorisation asks for it',
  async () => {
    const team = await seedTeam(service)
    const tools = [{ name: 'look' }, { name: 'change', scope: 'write' }]
    const server = await startMcpServer({ protectedBy: oauth, scopes: ['read'], tools })
    const body = { name: 'Wiki', mcp_server_url: server.url }
    const id = await authorise(team, body)
    await listTools(context, { id, team_id: team.id })
    const change = block('tool name=wiki__change', '{}')
    const refused = await readRun(team, await runOf(team, change, [id]))
    assert.match(refused.error.message, /Authorise the connection Wiki again with the scopes write/)
    assert.equal(
      (await readRun(team, await runOf(team, block('tool name=wiki__look', '{}'), [id]))).status,
      'completed',
    )
    await authorise(team, { ...body, reconnect_connection_id: id })
    assert.equal((await readRun(team, await runOf(team, change, [id]))).status, 'completed')
  },
)

proves('connections.brokerBroken', 'a run waits also for a connection whose tokens a broker keeps', async () => {
  const team = await seedTeam(service)
  const [api, broker] = [await startReceiver(), await startReceiver()]
  Object.assign(context.config, { brokerUrl: broker.url, brokerKey: 'broker-key' })
  const id = await seedConnection(service, team, {
    name: 'Brokered',
    server_url: api.url,
    auth_method: 'oauth',
    broker_connection_id: 'b-1',
    oauth: { provider_config_key: 'crm' },
  })
  broker.answer(424)
  const runId = await runOf(team, block('http connection=Brokered', `GET ${api.url}/`), [id])
  assert.match((await readRun(team, runId)).waiting_on.detail.reason, /broker can no longer renew/)
  broker.answer(200, { 'content-type': 'application/json' }, '{"credentials":{"access_token":"brokered-token"}}')
  assert.equal((await team.call(`POST /v2/connections/${id}/test`)).body.success, true)
  await goOn()
  assert.equal((await readRun(team, runId)).status, 'completed')
  assert.equal(api.received.at(-1)!.headers.authorization, 'Bearer brokered-token')
})

proves(
  'connections.waitEnds',
  'a wait ends with its connection: switched off or deleted, the call fails with a sentence',
  async () => {
    const off = await waitingRun()
    await off.team.call(`PATCH /v2/connections/${off.id}`, { body: { status: 'disabled' } })
    const gone = await waitingRun()
    assert.ok((await gone.team.call(`DELETE /v2/connections/${gone.id}`)).status < 300)
    await goOn()
    const offRun = await readRun(off.team, off.runId)
    assert.match(offRun.error.message, /The connection CRM is switched off/)
    const goneRun = await readRun(gone.team, gone.runId)
    assert.match(goneRun.error.message, /no connection called CRM/)
    assert.deepEqual([off.api.received.length, gone.api.received.length], [1, 1])
  },
)

proves(
  'connections.waitStopped',
  'a run that waits can be stopped and deleted, and leaves nothing behind',
  async () => {
    const { team, api, id, runId } = await waitingRun()
    assert.equal((await team.call(`POST /v2/runs/${runId}/stop`)).status, 200)
    await forgetStopped(sql)
    await goOn()
    assert.deepEqual(
      [(await readRun(team, runId)).status, await sql`select from connection_waits where run_id = ${runId}`],
      ['stopped', []],
    )
    const { team: other, runId: deleted } = await waitingRun()
    await other.call(`POST /v2/runs/${deleted}/stop`)
    assert.ok((await other.call(`DELETE /v2/runs/${deleted}`)).status < 300)
    await service.drain()
    assert.deepEqual(await sql`select from connection_waits where run_id = ${deleted}`, [])
    assert.equal((await team.call(`GET /v2/connections/${id}`)).body.connection.status, 'action_required')
    // tried again from its call, it waits as the first one did
    const retried = await team.call(`POST /v2/runs/${runId}/retry`, { body: { from_step: 1 } })
    assert.equal(retried.status, 201, retried.text)
    await drainRuns(service)
    assert.equal((await readRun(team, retried.body.run_id)).waiting_on.detail.connection_id, id)
    await team.call(`PATCH /v2/connections/${id}`, { body: { headers: newKey } })
    await goOn()
    assert.deepEqual([(await readRun(team, retried.body.run_id)).output, api.received.length], ['paid 200', 2])
  },
)

proves(
  'connections.waitParallel',
  'calls that a model makes at once wait together, and each is made once',
  async () => {
    const { team, api, id } = await waitingRun()
    const payAll = [1, 2, 3].map((n) => ({
      name: 'http_request',
      arguments: { method: 'POST', url: `${api.url}/pay/${n}`, connection: 'CRM' },
    }))
    provider.answer({ calls: payAll }, { text: 'All paid.' })
    const data = { connections: [id], plugins: ['http'], models: { agent: { model: 'anthropic:claude-sonnet-4-5' } } }
    const runId = await startRun(team, await seedAgent(team, 'Pay.', data), { message: 'go' })
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).waiting_on.kind, 'connection')
    await team.call(`PATCH /v2/connections/${id}`, { body: { headers: newKey } })
    await goOn()
    assert.equal((await readRun(team, runId)).output, 'All paid.')
    const paid = api.received.map(({ url }) => url).filter((url) => url.startsWith('/pay/'))
    assert.deepEqual(paid.toSorted(), ['/pay/1', '/pay/2', '/pay/3'])
  },
)

proves('connections.waitRace', 'a connection that is fixed while its run begins to wait is not missed', async () => {
  const { team, id, runId } = await waitingRun()
  // as if the end of the wait had been committed before the wait itself: nobody marked it
  await sql`update connections set status = 'active' where id = ${id} and team_id = ${team.id}`
  await markEnded(sql)
  await goOn()
  assert.equal((await readRun(team, runId)).status, 'completed')
})

proves(
  'connections.waitAgain',
  'a connection that breaks again before its run gets to its call is waited for again',
  async () => {
    const { team, api, id, runId } = await waitingRun()
    api.answer(401)
    await team.call(`PATCH /v2/connections/${id}`, { body: { headers: newKey } })
    await tick()
    // another call found out first
    await sql`update connections set status = 'action_required' where id = ${id} and team_id = ${team.id}`
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).status, 'waiting')
    api.answer(200)
    await team.call(`PATCH /v2/connections/${id}`, { body: { headers: newKey } })
    await goOn()
    assert.deepEqual([(await readRun(team, runId)).status, api.received.length], ['completed', 2])
  },
)

proves(
  'connections.keyChanges',
  'a key that is replaced while a call is under way is tried before the run waits',
  async () => {
    const { team, api, id } = await waitingRun()
    const replace = (key: string) =>
      team.call(`PATCH /v2/connections/${id}`, { body: { headers: { Authorization: `Bearer ${key}` } } })
    await replace('first-key-0123456789')
    const sent: string[] = []
    const used = await withCredential(
      context,
      { teamId: team.id, id },
      async ({ headers }) => {
        sent.push(headers['Authorization']!)
        if (sent.length === 1) await replace('second-key-0123456789')
        return { answer: undefined, isRefused: true }
      },
      'upkeep',
    )
    assert.deepEqual([used.kind, sent], ['broken', ['Bearer first-key-0123456789', 'Bearer second-key-0123456789']])
    assert.equal(api.received.length, 1)
  },
)

proves(
  'connections.waitTakeover',
  'a process that dies with a call for a broken connection leaves a run that another one lets wait',
  async () => {
    const { team, id, runId } = await waitingRun()
    // as it is between the break of the connection and the pause: held, with its intent
    await sql`delete from connection_waits where run_id = ${runId}`
    await sql`update run_steps set state = 'intent', result = null where run_id = ${runId}`
    await sql`update runs set status = 'running', waiting_on = null, worker = null, admitted_at = now() where id = ${runId}`
    await drainRuns(service)
    const { body: asked } = await team.call(`GET /v2/runs/${runId}`)
    const { run } = asked
    // a POST may have happened: only a person knows
    assert.deepEqual([run.status, run.waiting_on.kind], ['waiting', 'human'])
    const route = `POST /v2/runs/${runId}/human-requests/${asked.pending_human_request.id}/respond`
    const answers = { 'Did this call happen?': 'It did not happen: make it now' }
    assert.equal((await team.call(route, { body: { answers } })).status, 200)
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).waiting_on.kind, 'connection')
    await team.call(`PATCH /v2/connections/${id}`, { body: { headers: newKey } })
    await goOn()
    // the credential is not the one they approved the call with: they are asked again
    const { body: again } = await team.call(`GET /v2/runs/${runId}`)
    assert.match(again.pending_human_request.description, /the credential or URL of its connection has changed/)
    const allow = `POST /v2/runs/${runId}/human-requests/${again.pending_human_request.id}/respond`
    assert.equal((await team.call(allow, { body: { approved: true } })).status, 200)
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).status, 'completed')
  },
)
