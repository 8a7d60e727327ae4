// Health, readiness and metrics, as a supervisor and Prometheus read them.
import assert from 'node:assert/strict'
import { readGrowth } from '../../kit/growth.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()

proves('health.ready', 'a process is alive all along, and ready until it drains', async () => {
  assert.equal((await service.call('GET /healthz')).status, 200)
  assert.equal((await service.call('GET /readyz')).status, 200)
  service.context.lifecycle.draining = true
  const draining = await service.call('GET /readyz')
  service.context.lifecycle.draining = false
  assert.equal(draining.status, 503)
  assert.deepEqual(draining.body.problems, ['the process is stopping'])
  assert.equal(draining.headers['connection'], 'close')
})

proves('health.metrics', 'requests are counted by operation and status', async () => {
  const team = await seedTeam(service)
  await team.call('GET /v2/teams')
  const { text, headers } = await service.call('GET /metrics')
  assert.match(headers['content-type']!, /^text\/plain/)
  assert.match(text, /runyard_request_duration_seconds_count\{operation="listTeams",status="200"\} 1/)
  assert.match(text, /runyard_database_present 1/)
  assert.match(text, /process_resident_memory_bytes \d+/)
})

proves(
  'growth.told',
  'it says what grows: bytes, rows and the age of the oldest, and a table that nobody named is among the others',
  async () => {
    const team = await seedTeam(service)
    await team.call('POST /v2/teams/:teamId/members', { body: { name: 'Ann' } })
    const { sql, pool } = service.context.db
    await pool.query('create table grown_later as select 1 as n')
    await pool.query('analyze audit_log, grown_later')
    const growth = new Map((await readGrowth(sql)).map((one) => [one.what, one]))
    const [whole] = await sql<{ bytes: number }>`
    select sum(pg_total_relation_size(oid))::bigint as bytes from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r'`
    const summed = [...growth.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    assert.equal(summed, whole!.bytes)
    assert.ok(growth.get('audit')!.rows >= 1)
    assert.ok(growth.get('audit')!.oldest instanceof Date)
    const { text } = await service.call('GET /metrics')
    for (const what of ['runs', 'events', 'blobs', 'files', 'cases', 'audit', 'deliveries', 'replies', 'other']) {
      assert.match(text, new RegExp(`^runyard_stored_bytes\\{what="${what}"\\} \\d+$`, 'm'))
      assert.match(text, new RegExp(`^runyard_stored_rows\\{what="${what}"\\} \\d+$`, 'm'))
    }
  },
)

proves(
  'health.metricsOnce',
  '/metrics is put together at most once a second, and with a token only for whoever has it',
  async () => {
    const token = 'a-token-for-prometheus'
    const closed = await testApp({ config: { metricsToken: token } })
    for (const headers of [{}, { authorization: 'Bearer another' }]) {
      const refused = await closed.call('GET /metrics', { headers })
      assert.equal(refused.status, 401)
      assert.equal(refused.body.error, 'unauthorized')
    }
    const { registry } = closed.context.metrics
    const real = registry.metrics.bind(registry)
    let made = 0
    registry.metrics = () => {
      made += 1
      return real()
    }
    const read = () => closed.call('GET /metrics', { key: token })
    closed.clock.set('2030-01-01T00:00:00Z')
    const texts = await Promise.all(Array.from({ length: 20 }, read))
    assert.ok(texts.every(({ status, text }) => status === 200 && text === texts[0]!.text))
    assert.equal(made, 1)
    closed.clock.advance(1001)
    await read()
    assert.equal(made, 2)
  },
)
