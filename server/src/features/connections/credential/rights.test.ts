// A private connection belongs to its maker: whoever else causes a turn, in whatever way, cannot use its credential.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { startMcpServer } from '../../../../test/fakes/mcpServer.ts'
import { seedColleague, seedQueue } from '../../../../test/kit/cases.ts'
import { seedConnection } from '../../../../test/kit/connections.ts'
import { startReceiver, type Receiver } from '../../../../test/kit/receiver.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { dispatchQueue } from '../../queues/dispatch/dispatch.ts'
import { fireSchedules } from '../../schedules/fireSchedules.ts'
import { proves } from '../../../../test/kit/proves.ts'

const service = await testApp({ config: { allowPrivateHosts: ['127.0.0.1'] } })
const { context } = service
const { sql } = context.db
const block = (words: string, body = '') => `\`\`\`${words}\n${body}\n\`\`\`\n\n`
const secret = { kind: 'headers', headers: { Authorization: 'Bearer key-of-ann-0123456789' } } as const
const refused = /The connection Mail is for runs that its own maker starts/

interface Office {
  /** Ann makes the team's agents and starts most runs; the connection is hers alone. */
  ann: TestTeam
  /** May do everything that an operator may, except use Ann's connection. */
  bob: TestTeam
  api: Receiver
  connection: string
  send: string
}

async function open(): Promise<Office> {
  const ann = await seedTeam(service)
  const bob = await seedColleague(ann, 'Bob', ['*'])
  const api = await startReceiver()
  const connection = await seedConnection(service, ann, { name: 'Mail', server_url: api.url, secret, shared: false })
  return {
    ann,
    bob,
    api,
    connection,
    send: block('http connection=Mail', `POST ${api.url}/send`) + block('output', 'sent'),
  }
}

const agentOf = ({ ann, connection, send }: Office, before = '', by = ann) =>
  seedAgent(by, before + send, { connections: [connection] })

async function runOf(team: TestTeam, agentId: string): Promise<string> {
  const id = await startRun(team, agentId, { message: 'go' })
  await drainRuns(service)
  return id
}

const post = async (team: TestTeam, runId: string) => {
  const posted = await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'Do it again.' } })
  assert.equal(posted.status, 201, posted.text)
  await drainRuns(service)
}

async function respond(team: TestTeam, runId: string, body: object): Promise<void> {
  const { pending_human_request: request } = (await team.call(`GET /v2/runs/${runId}`)).body
  const answer = await team.call(`POST /v2/runs/${runId}/human-requests/${request.id}/respond`, { body })
  assert.equal(answer.status, 200, answer.text)
  await drainRuns(service)
}

/** Starts what is due now, and returns the run. */
async function fire(team: TestTeam, agentId: string, scheduleId: string): Promise<string> {
  await sql`update schedules set next_run_at = now() - interval '1 second' where id = ${scheduleId}`
  await fireSchedules({ context, signal: new AbortController().signal })
  await drainRuns(service)
  const { body } = await team.call(`GET /v2/teams/:teamId/runs?agent_id=${agentId}`)
  return body.data[0].id
}

async function seedSchedule(team: TestTeam, agentId: string): Promise<string> {
  const body = { frequency: 'daily', time: '09:00', message: 'Send it.' }
  const made = await team.call(`POST /v2/agents/${agentId}/schedules`, { body })
  assert.equal(made.status, 200, made.text)
  return made.body.id
}

async function runOfCase(
  maker: TestTeam,
  office: Office,
  change?: (caseId: string) => Promise<unknown>,
): Promise<string> {
  const agentId = await agentOf(office)
  const queueId = await seedQueue(office.ann)
  await office.ann.call(`POST /v2/agents/${agentId}/case-triggers`, { body: { case_queue_id: queueId, enabled: true } })
  const made = await maker.call(`POST /v2/queues/${queueId}/cases`, {
    body: { case: { title: 'Send', data: 'to all' } },
  })
  assert.ok(made.status < 300, made.text)
  const [one] = await sql<{ id: string }>`select id from cases where queue_id = ${queueId}`
  await change?.(one!.id)
  assert.equal(await dispatchQueue(context, queueId), 1)
  await drainRuns(service)
  const { body } = await office.ann.call(`GET /v2/teams/:teamId/runs?agent_id=${agentId}`)
  return body.data[0].id
}

/** Each brings a run to a call in which Ann's connection must not be used, and returns the run's id. */
const ways: Record<string, (office: Office) => Promise<string>> = {
  'a run that somebody else starts': async (office) => runOf(office.bob, await agentOf(office)),
  'a retry by somebody else': async (office) => {
    const id = await runOf(office.ann, await agentOf(office))
    office.api.received.length = 0
    const retried = await office.bob.call(`POST /v2/runs/${id}/retry`, { body: {} })
    await drainRuns(service)
    return retried.body.run_id
  },
  'a message of somebody else to her ended run': async (office) => {
    const id = await runOf(office.ann, await agentOf(office))
    assert.equal(office.api.received.length, 1)
    office.api.received.length = 0
    await post(office.bob, id)
    return id
  },
  'her own message to an ended run that somebody else spoke to': async (office) => {
    const id = await runOf(office.ann, await agentOf(office))
    await post(office.bob, id)
    office.api.received.length = 0
    await post(office.ann, id)
    return id
  },
  'a message of somebody else to her waiting run': async (office) => {
    const id = await runOf(office.ann, await agentOf(office, block('approve', 'Now?')))
    await post(office.bob, id)
    await respond(office.ann, id, { approved: true })
    return id
  },
  'an answer in the words of somebody else': async (office) => {
    const asks = block('tool name=human_ask', '{"title": "What shall I write?"}')
    const id = await runOf(office.ann, await agentOf(office, asks))
    await respond(office.bob, id, { answers: { 'What shall I write?': 'Send all of it to me.' } })
    return id
  },
  'a schedule that somebody else made': async (office) => {
    const agentId = await agentOf(office)
    return fire(office.ann, agentId, await seedSchedule(office.bob, agentId))
  },
  'a schedule of hers that somebody else changed': async (office) => {
    const agentId = await agentOf(office)
    const id = await seedSchedule(office.ann, agentId)
    const body = { message: 'Send it to me.' }
    assert.equal((await office.bob.call(`PATCH /v2/agents/${agentId}/schedules/${id}`, { body })).status, 200)
    return fire(office.ann, agentId, id)
  },
  'a schedule of hers with a build that somebody else wrote': async (office) => {
    const agentId = await agentOf(office)
    const id = await seedSchedule(office.ann, agentId)
    const made = await office.bob.call(`POST /v2/agents/${agentId}/revisions`, { body: {} })
    const { build } = made.body
    const body = { config: { ...build.config, data: { ...build.config.data, input: office.send } } }
    assert.equal((await office.bob.call(`PATCH /v2/revisions/${build.id}`, { body })).status, 200)
    assert.equal((await office.bob.call(`POST /v2/revisions/${build.id}/promote`, { body: {} })).status, 200)
    return fire(office.ann, agentId, id)
  },
  'a case that somebody else made': (office) => runOfCase(office.bob, office),
  'a case of hers that somebody else changed': (office) =>
    runOfCase(office.ann, office, (id) => office.bob.call(`PATCH /v2/cases/${id}`, { body: { data: 'to me' } })),
  'a sub-run of somebody else': async (office) => {
    const child = await agentOf(office)
    const calls = block('tool name=agents_run id=a', `{"agent": "${child}"}`)
    return runOf(office.bob, await seedAgent(office.bob, calls, { subAgents: [child], plugins: ['agents'] }))
  },
  'what a sub-run brings to which somebody else spoke': async (office) => {
    const child = await seedAgent(office.ann, block('approve', 'Now?') + block('output', '{{ message }}'))
    const calls = block('tool name=agents_run id=a', `{"agent": "${child}"}`)
    const data = { subAgents: [child], plugins: ['agents'], connections: [office.connection] }
    const id = await runOf(office.ann, await seedAgent(office.ann, calls + office.send, data))
    const { body } = await office.ann.call(`GET /v2/teams/:teamId/runs?agent_id=${child}`)
    await post(office.bob, body.data[0].id)
    await respond(office.ann, body.data[0].id, { approved: true })
    return id
  },
  'a schedule of a maker who has left': async (office) => {
    const agentId = await agentOf(office)
    const id = await seedSchedule(office.ann, agentId)
    await leave(office)
    return fire(office.bob, agentId, id)
  },
  'a run of a maker who has left': async (office) => {
    const id = await runOf(office.ann, await agentOf(office, block('approve', 'Now?')))
    await leave(office)
    await respond(office.bob, id, { approved: true })
    return id
  },
}

/** Ann leaves the team, which keeps another admin. */
async function leave({ ann, bob }: Office): Promise<void> {
  await sql`update members set role = 'admin' where id = ${bob.memberId}`
  await sql`update members set removed_at = now() where id = ${ann.memberId}`
}

suite('a private connection is not used for', () => {
  for (const [name, cause] of Object.entries(ways)) {
    proves('connections.private', name, async () => {
      const office = await open()
      const runId = await cause(office)
      assert.deepEqual(office.api.received, [])
      const run = await readRun(office.bob, runId)
      assert.equal(run.status, 'failed', JSON.stringify(run.waiting_on))
      assert.match(run.error.message, refused)
    })
  }
})

/** Each ends with Ann's call being made. */
const ownWays: Record<string, (office: Office) => Promise<string>> = {
  'a run that she starts, of an agent that somebody else made': async (office) =>
    runOf(office.ann, await agentOf(office, '', office.bob)),
  'a call of hers that somebody else approves, with a comment': async ({ ann, bob, connection, send }) => {
    const data = { connections: [connection], approvals: { http_request: 'always' } }
    const id = await runOf(ann, await seedAgent(ann, send, data))
    await respond(bob, id, { approved: true, comment: 'Within the budget.' })
    return id
  },
  'her schedule': async (office) => {
    const agentId = await agentOf(office)
    return fire(office.ann, agentId, await seedSchedule(office.ann, agentId))
  },
  'her case': (office) => runOfCase(office.ann, office),
}

suite('a private connection is used for', () => {
  for (const [name, cause] of Object.entries(ownWays)) {
    proves('connections.private', name, async () => {
      const office = await open()
      const run = await readRun(office.ann, await cause(office))
      assert.deepEqual(
        [run.status, run.output, office.api.received.length],
        ['completed', 'sent', 1],
        JSON.stringify(run.error),
      )
    })
  }
})

proves(
  'connections.privateTools',
  'the tools of a private connection are closed to others too, with the reason',
  async () => {
    const ann = await seedTeam(service)
    const bob = await seedColleague(ann, 'Bob', ['*'])
    const server = await startMcpServer({ tools: [{ name: 'send' }] })
    const seeded = { name: 'Mail', type: 'custom_mcp', server_url: server.url, shared: false } as const
    const id = await seedConnection(service, ann, seeded)
    const agentId = await seedAgent(ann, block('tool name=mail__send', '{}') + block('output', 'sent'), {
      connections: [id],
    })
    const runId = await runOf(ann, agentId)
    assert.deepEqual([(await readRun(ann, runId)).output, server.calls.length], ['sent', 1])
    await post(bob, runId)
    assert.match((await readRun(ann, runId)).error.message, refused)
    assert.equal(server.calls.length, 1)
  },
)

proves(
  'connections.privateDoor',
  'nobody but its maker tests, changes, shares, moves or approves tools of a private connection',
  async () => {
    const { ann, api, connection } = await open()
    const made = await ann.call('POST /v2/teams/:teamId/members', { body: { name: 'Bea', role: 'admin' } })
    const key = await ann.call('POST /v2/teams/:teamId/api-keys', {
      body: { name: 'Bea', user_id: made.body.member_id },
    })
    const bea = { key: key.body.secret }
    const tries: [string, object | undefined][] = [
      [`POST /v2/connections/${connection}/test`, undefined],
      [`PATCH /v2/connections/${connection}`, { shared: true }],
      [
        `PATCH /v2/connections/${connection}`,
        { server_url: 'https://8.8.8.8/', headers: { 'X-Key': 'mine-0123456789' } },
      ],
      [`POST /v2/connections/${connection}/tools/approve`, { tools: [{ name: 'send', hash: 'a'.repeat(64) }] }],
    ]
    for (const [route, body] of tries) {
      const answer = await ann.call(route, { ...bea, ...(body && { body }) })
      assert.deepEqual([answer.status, answer.body.error], [403, 'forbidden'], `${route} ${answer.text}`)
      assert.match(answer.body.message, /Mail is private: only its maker/)
    }
    assert.equal(api.received.length, 0)
    assert.equal((await ann.call(`PATCH /v2/connections/${connection}`, { body: { shared: true } })).status, 200)
    assert.equal((await ann.call(`POST /v2/connections/${connection}/test`, bea)).body.success, true)
  },
)
