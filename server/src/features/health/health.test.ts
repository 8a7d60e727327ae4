// Health, readiness and metrics, as a supervisor and Prometheus read them.
import assert from 'node:assert/strict'
import { Client } from 'pg'
import { connectionSettings } from '../../base/db.ts'
import { readGrowth } from '../../kit/growth.ts'
import { testDatabase, testServer } from '../../../test/kit/postgres.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp, type TestApp } from '../../../test/kit/testApp.ts'
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

/** An app in this zone, with a server that says which zone it is in, after the first answer of that server. */
async function appIn(zone: string | undefined, databaseZone: string | undefined): Promise<TestApp> {
  const address = await testDatabase()
  if (databaseZone !== undefined) await sayZone(address.database, databaseZone)
  const app = await testApp({ address, config: { zone } })
  while (app.context.db.watch.server().roundTripMs === null) await service.context.db.sql`select pg_sleep(0.01)`
  return app
}

/** In the settings of one database, since the server is that of all tests; an operator writes it into those of the server. */
async function sayZone(database: string, zone: string): Promise<void> {
  const client = new Client(connectionSettings((await testServer()).superuser))
  await client.connect()
  await client.query(`alter database ${database} set runyard.zone = '${zone}'`)
  await client.end()
}

proves('health.zone', 'a process tells its zone, and is ready for whoever asks for that zone or for any', async () => {
  const inB = await appIn('b', undefined)
  const asked = async (query: string) => (await inB.call(`GET /readyz${query}`)).status
  const { body } = await inB.call('GET /readyz')
  assert.deepEqual([body.status, body.zone, body.database.zone], ['ready', 'b', null])
  assert.ok(body.database.round_trip_ms > 0)
  for (const query of ['?zone=b', '?zone=', '?zone=a&zone=b']) assert.equal(await asked(query), 200, query)
  for (const query of ['?zone=a', '?zone=B', '?zone=a,b']) assert.equal(await asked(query), 503, query)
  const refused = await inB.call('GET /readyz?zone=a')
  assert.deepEqual(
    [refused.body.status, refused.body.problems, refused.body.zone],
    ['not ready', ['the process is in zone b'], 'b'],
  )
  assert.match((await inB.call('GET /metrics')).text, /^runyard_database_round_trip_seconds 0\.\d+$/m)
})

proves(
  'health.zone',
  'a process without a zone is of none, and a zone that is asked for does not hide what is wrong',
  async () => {
    const { body } = await service.call('GET /readyz?zone=a')
    assert.deepEqual([body.zone, body.problems], [null, ['the process is in no zone that is known']])
    service.context.lifecycle.draining = true
    const draining = await service.call('GET /readyz?zone=a')
    service.context.lifecycle.draining = false
    assert.deepEqual(draining.body.problems, ['the process is stopping', 'the process is in no zone that is known'])
  },
)

proves(
  'health.near',
  'whoever asks for a process near the database finds those in its zone, and the others stay ready',
  async () => {
    const near = await appIn('b', 'b')
    assert.equal((await near.call('GET /readyz?near=database')).status, 200)
    const far = await appIn('a', 'b')
    assert.equal((await far.call('GET /readyz')).status, 200)
    const refused = await far.call('GET /readyz?near=database')
    assert.equal(refused.status, 503)
    assert.deepEqual(refused.body.problems, ['the process is in zone a, and the database in zone b'])
    assert.equal(refused.body.database.zone, 'b')
    const { body } = await (await appIn(undefined, undefined)).call('GET /readyz?near=database')
    assert.deepEqual(body.problems, [
      'the process is in no zone that is known, and the database in no zone that is known',
    ])
  },
)

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
