// The installation as its operators see it: who may look, what is hidden, and what processes report.
import assert from 'node:assert/strict'
import { handled, plansOn } from '../../../test/kit/plans.ts'
import { proves } from '../../../test/kit/proves.ts'
import { seedRuns } from '../../../test/kit/seedRuns.ts'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { typedClient } from '../../../test/kit/typedClient.ts'
import { readConfig, shownSettings } from '../../base/config.ts'
import { newId } from '../../base/ids.ts'
import { watchLoop } from '../../kit/loops.ts'
import { announcePresence } from '../../kit/presence.ts'
import { startReporting } from '../../kit/processReport.ts'
import { getSystem } from './getSystem.ts'
import { recordSizes } from './recordSizes.job.ts'

const service = await testApp()
const { context } = service
const { sql } = context.db
const operators = await seedTeam(service)
const tenant = await seedTeam(service)
const read = () => typedClient(service, operators).send(getSystem, {})

proves('system.read', 'an admin of the oldest team reads it, and an admin of another team is refused', async () => {
  const { version, processes, database, object_store } = await read()
  assert.match(version, /^\d+\.\d+\.\d+/)
  assert.deepEqual([processes, object_store], [[], null])
  assert.ok(database.bytes > 0 && database.connections > 0)
  const refused = await typedClient(service, tenant).refused(getSystem, {})
  assert.deepEqual([refused.status, refused.error], [403, 'forbidden'])
})

proves('system.read', 'neither an operator nor a viewer of the oldest team may read it', async () => {
  for (const role of ['operator', 'viewer']) {
    const { body } = await operators.call('POST /v2/teams/:teamId/members', { body: { name: role, role } })
    const key = await operators.call('POST /v2/teams/:teamId/api-keys', {
      body: { name: role, user_id: body.member_id, scopes: ['team:read'] },
    })
    const refused = await service.call('GET /v2/system', { key: key.body.secret })
    assert.equal(refused.body.error, 'insufficient_scope', role)
  }
})

/** What an old and a new team get with this setting. */
async function statuses(systemTeams: string[]): Promise<number[]> {
  const other = await testApp({ config: { systemTeams } })
  const [first, second] = [await seedTeam(other), await seedTeam(other)]
  return [(await first.call('GET /v2/system')).status, (await second.call('GET /v2/system')).status]
}

proves('system.read', 'a setting names the teams that may read it instead of the oldest one', async () => {
  assert.deepEqual(await statuses(['*']), [200, 200])
  assert.deepEqual(await statuses(['00000000-0000-4000-8000-000000000000']), [403, 403])
})

proves('system.secrets', 'a secret setting is only set or not, and a URL has no password', () => {
  const secrets = {
    RUNYARD_METRICS_TOKEN: 'a-token-for-prometheus',
    DATABASE_URL: 'postgres://runyard:db-password@db.example.com/runyard',
    ANTHROPIC_API_KEY: 'sk-model-key',
    OAUTH_GITHUB_CLIENT_SECRET: 'provider-secret',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=trace-secret',
    RUNYARD_ENCRYPTION_KEY: 'ab'.repeat(32),
    RUNYARD_SMTP_URL: 'smtp://sender:mail-password@mail.example.com',
    PUBLIC_URL: 'https://someone:url-password@runyard.example.com',
  }
  const shown = shownSettings(
    readConfig({ ...secrets, RUNYARD_MODEL: 'openai:gpt-5', RUNYARD_MAIL_FROM: 'runyard@example.com' }),
  )
  const text = JSON.stringify(shown)
  for (const secret of [
    'for-prometheus',
    'db-password',
    'sk-model',
    'provider-secret',
    'trace-secret',
    'abab',
    'url-password',
    'mail-password',
  ])
    assert.ok(!text.includes(secret), secret)
  const rowOf = (wanted: string) => shown.find(({ name }) => name === wanted)
  for (const name of Object.keys(secrets)) assert.equal(rowOf(name)?.is_set, true, name)
  assert.equal(rowOf('RUNYARD_MODEL')?.value, 'openai:gpt-5')
  assert.equal(rowOf('PUBLIC_URL')?.value, 'https://…@runyard.example.com')
  assert.equal(rowOf('OPENAI_API_KEY')?.is_set, false)
  for (const { name, is_secret } of shown)
    assert.equal(
      is_secret || !/(?<!PER)_KEY$|SECRET|TOKEN|PASSWORD|HEADERS|(SMTP|DATABASE|CDP)_URL/.test(name),
      true,
      name,
    )
})

proves(
  'system.processes',
  'a living process reports its loops and pools, and one that left is not listed',
  async () => {
    const presence = await announcePresence({ address: context.db.address, role: 'worker', log: context.log })
    const watch = watchLoop(context, 'a loop')
    watch.begun(7)
    watch.failed()
    watch.ended()
    const reporting = startReporting(context, presence.processId)
    const reported = () => sql`select from processes where id = ${presence.processId} and report is not null`
    while ((await reported()).length === 0) await sql`select pg_sleep(0.01)`
    await reporting.stop()
    const { processes } = await read()
    assert.equal(processes.length, 1)
    const [{ id, role, report } = {}] = processes
    assert.deepEqual([id, role], [presence.processId, 'worker'])
    const loop = report?.loops.find(({ name }) => name === 'a loop')
    assert.deepEqual([loop?.turns, loop?.failures, loop?.late_ms, loop?.under_way_ms], [1, 1, 7, null])
    const pool = report?.pools.find(({ name }) => name === 'database connections')
    assert.equal(pool?.size, context.db.connectionsMax)
    assert.ok(report?.pools.some(({ name }) => name === 'the database'))
    assert.deepEqual([report?.zone, report?.database?.zone], [null, null])
    await presence.leave()
    assert.deepEqual((await read()).processes, [])
  },
)

proves(
  'system.growth',
  'growth is known from the second measurement on, and by the day once a day has passed',
  async () => {
    await recordSizes.handler({ input: {}, context, sql, signal: AbortSignal.timeout(10_000) })
    const runsNow = async () => (await read()).sizes.find(({ what }) => what === 'runs')
    await sql`update stored_sizes set bytes = bytes - 500, measured_at = measured_at - interval '1 hour' where what = 'runs'`
    // the same day again: its first measurement stays
    await recordSizes.handler({ input: {}, context, sql, signal: AbortSignal.timeout(10_000) })
    const young = await runsNow()
    assert.equal(young?.bytes_a_day, null)
    assert.ok((young?.grown_bytes ?? 0) >= 500)
    assert.ok(Date.now() - Date.parse(young?.measured_at ?? '') >= 3_600_000)
    await sql`
    insert into stored_sizes (day, what, bytes, rows, measured_at)
    select day - 4, what, bytes - 4000, rows, measured_at - interval '4 days' from stored_sizes where what = 'runs'`
    const { sizes } = await read()
    assert.ok(sizes.some(({ what }) => what === 'audit'))
    assert.ok((sizes.find(({ what }) => what === 'runs')?.bytes_a_day ?? 0) >= 1000)
  },
)

const kindsOf = async () => new Map((await read()).waiting_work.map(({ what, since }) => [what, since]))

proves('system.waiting', 'the oldest run that no worker has is listed with its time, by an index', async () => {
  assert.deepEqual([...(await kindsOf()).keys()], ['runs', 'schedules', 'commands', 'jobs'])
  const runId = await seeders['run']!(operators, {})
  await sql`
    update runs set status = 'pending', completed_at = null, admitted_at = '2026-01-01T00:00:00Z', worker = null
    where id = ${runId} and team_id = ${operators.id}`
  assert.equal((await kindsOf()).get('runs'), '2026-01-01T00:00:00.000Z')
  const agents = [{ id: await seeders['agent']!(tenant, {}), buildId: newId() }]
  await seedRuns(sql, { teamId: tenant.id, agents, users: [tenant.memberId], queues: [newId()], runs: 2000, days: 30 })
  await context.db.pool.query('analyze runs')
  const plansOf = await plansOn(context.db)
  const plans = await plansOf((on) => handled(getSystem, { sql: on, team: operators, context }))
  assert.ok(plans.some((plan) => plan.includes('on runs')))
  for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan on runs\b/)
})
