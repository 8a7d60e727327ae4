// The core of the service on an operator's own PostgreSQL, with the defaults of its distribution.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { Client } from 'pg'
import { connectionUrl } from '../src/base/embeddedPostgres.ts'
import { migrate } from '../src/base/migrate.ts'
import { dispatchQueue } from '../src/features/queues/dispatch/dispatch.ts'
import { fireSchedules } from '../src/features/schedules/fireSchedules.ts'
import { drainDeliveries, subscribe } from './kit/deliveries.ts'
import { findServer, startExternalServer } from './kit/externalServer.ts'
import { startReceiver } from './kit/receiver.ts'
import { drainRuns, readRun, seedAgent, startRun } from './kit/runs.ts'
import { seedTeam } from './kit/seed.ts'
import { testApp } from './kit/testApp.ts'
import { startService, temporaryDataDir } from './survival/processes.ts'
import { startTcpProxy } from './survival/tcpProxy.ts'
import { createJobTable, killWorkers } from './survival/takeover.ts'
import { proves } from './kit/proves.ts'

const found = await findServer()
const server = await startExternalServer(found)
const address = await server.newDatabase()
await migrate({ address })
const service = await testApp({ address, config: { allowPrivateHosts: ['127.0.0.1'], webhookScheduleS: [0, 0, 0] } })
const team = await seedTeam(service)
after(async () => {
  await service.close()
  await server.remove()
})

const block = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`

proves(
  'postgres.external',
  `requests, jobs and the audit log work on ${found.name} with a role that only owns its database`,
  async () => {
    const idempotencyKey = 'external'
    const first = await team.call('POST /v2/teams/:teamId/members', { body: { name: 'Ann' }, idempotencyKey })
    const again = await team.call('POST /v2/teams/:teamId/members', { body: { name: 'Ann' }, idempotencyKey })
    assert.equal(again.text, first.text)
    assert.equal((await team.call('GET /v2/teams/:teamId')).body.team.members_count, 2)
    assert.equal((await team.call('GET /v2/teams/:teamId/audit-log')).body.total, 1)
    await service.context.db.sql`select graphile_worker.add_job('sweepRequests')`
    await service.drain()
  },
)

proves('postgres.settings', `no plan of ours is compiled on ${found.name}, whose default is to compile`, async () => {
  assert.deepEqual(await server.asSuperuser('show jit'), [{ jit: 'on' }])
  const [ours] = await service.context.db
    .sql`select current_setting('jit') as jit, current_setting('timezone') as timezone`
  assert.deepEqual(ours, { jit: 'off', timezone: 'UTC' })
})

proves(
  'postgres.external',
  `twenty runs, their webhooks, a schedule and a case come to their end on ${found.name}`,
  async () => {
    const receiver = await startReceiver()
    await subscribe(team, `${receiver.url}/hook`, ['run.completed'])
    const agentId = await seedAgent(team, block('output', '{{ message }}'))
    const runs = []
    for (let count = 0; count < 20; count++) runs.push(await startRun(team, agentId, { message: `hello ${count}` }))
    await drainRuns(service)
    for (const [count, id] of runs.entries()) {
      const run = await readRun(team, id)
      assert.deepEqual([run.status, run.output], ['completed', `hello ${count}`])
    }
    await drainDeliveries(service)
    assert.equal(receiver.received.length, 20)

    const body = { frequency: 'custom', cron: '0 0 1 1 *', message: 'from a schedule' }
    const schedule = await team.call(`POST /v2/agents/${agentId}/schedules`, { body })
    await team.sql`update schedules set next_run_at = now() - interval '1 second' where id = ${schedule.body.id}`
    await fireSchedules({ context: service.context, signal: new AbortController().signal })
    await drainRuns(service)
    const [scheduled] = await team.sql<{ id: string }>`
    select id from runs where team_id = ${team.id} and metadata ->> 'schedule_id' = ${schedule.body.id}`
    const run = await readRun(team, scheduled!.id)
    assert.deepEqual([run.status, run.source, run.output], ['completed', 'schedule', 'from a schedule'])

    const queue = await team.call('POST /v2/teams/:teamId/queues', { body: { name: 'Invoices' } })
    const queueId: string = queue.body.queue_id
    const worker = await seedAgent(team, block('case complete', '{"paid": {{ case.data.amount }}}'))
    await team.call(`POST /v2/agents/${worker}/case-triggers`, { body: { case_queue_id: queueId, enabled: true } })
    const cases = [{ title: 'Invoice', data: '{"amount": 120}' }]
    const added = await team.call(`POST /v2/queues/${queueId}/cases`, { body: { cases } })
    assert.equal(await dispatchQueue(service.context, queueId), 1)
    await drainRuns(service)
    const done = await team.call(`GET /v2/cases/${added.body.added_cases[0].id}`)
    assert.deepEqual([done.body.case.status, done.body.case.result], ['completed', { paid: 120 }])
  },
)

proves('postgres.external', `the work of a killed process is taken over on ${found.name}`, async () => {
  const own = await server.newDatabase()
  await migrate({ address: own })
  const client = new Client(own)
  await client.connect()
  await createJobTable(client)
  const dataDir = await temporaryDataDir()
  const env = { DATABASE_URL: connectionUrl(own), RUNYARD_RATE_LIMIT: '0', PORT: '', LOG_LEVEL: 'info' }
  try {
    const { takenOver } = await killWorkers(client, { dataDir: dataDir.path, env }, { kills: 1 })
    assert.equal(takenOver, 1)
  } finally {
    await client.end()
    await dataDir.remove()
  }
})

proves(
  'postgres.gone',
  `a service ends with exit code 0 when it gets SIGTERM while ${found.name} is gone`,
  async () => {
    const own = await server.newDatabase()
    const proxy = await startTcpProxy(server.port, () => ({ answered: (bytes) => ({ passOn: bytes, isCut: false }) }))
    const dataDir = await temporaryDataDir()
    try {
      const env = { DATABASE_URL: connectionUrl({ ...own, port: Number(new URL(proxy.url).port) }), LOG_LEVEL: 'warn' }
      const leaving = await startService({ dataDir: dataDir.path, env })
      proxy.close()
      assert.equal(await leaving.stop('SIGTERM'), 0)
      assert.match(leaving.log(), /the database did not come back, so this process leaves as one that died/)
    } finally {
      proxy.close()
      await dataDir.remove()
    }
  },
)
