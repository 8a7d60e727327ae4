// What /metrics says about the whole installation, as alerts read it.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { testApp, type TestApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { announcePresence } from '../../kit/presence.ts'

/** An app measures with its first scrape, and then not for a while: each test has its own, on one database. */
const first = await testApp()
const { sql } = first.context.db
const scrape = async (): Promise<Map<string, number>> => {
  const app = await testApp({ address: first.context.db.address })
  const lines = (await app.call('GET /metrics')).text.matchAll(/^(runyard_\S+) ([\d.e+-]+)$/gm)
  return new Map([...lines].map(([, name = '', value]) => [name, Number(value)]))
}

proves('system.metrics', 'living processes are counted by role, and a role without one is 0', async () => {
  const options = { address: first.context.db.address, role: 'worker', log: first.context.log }
  const [one, other] = [await announcePresence(options), await announcePresence(options)]
  const living = await scrape()
  assert.equal(living.get('runyard_processes{role="worker"}'), 2)
  assert.equal(living.get('runyard_processes{role="api"}'), 0)
  await one.leave()
  other.abandon()
  // its session may end a moment after its connection
  const session = () => sql`select from pg_stat_activity where application_name = 'runyard presence worker'`
  while ((await session()).length > 0) await sql`select pg_sleep(0.01)`
  assert.equal((await scrape()).get('runyard_processes{role="worker"}'), 0)
})

proves('system.metrics', 'living processes are counted by zone too, and those without one are of none', async () => {
  const options = { address: first.context.db.address, role: 'worker', log: first.context.log }
  const [one, other] = [await announcePresence(options), await announcePresence(options)]
  await sql`update processes set report = '{"zone": "eu-1a"}' where id = ${one.processId}`
  const living = await scrape()
  assert.equal(living.get('runyard_zone_processes{zone="eu-1a",role="worker"}'), 1)
  assert.equal(living.get('runyard_zone_processes{zone="",role="worker"}'), 1)
  assert.equal(living.get('runyard_processes{role="worker"}'), 2)
  await Promise.all([one.leave(), other.leave()])
})

const oldest = (metrics: Map<string, number>, what: string): number | undefined =>
  metrics.get(`runyard_waiting_oldest_seconds{what="${what}"}`)

proves('system.metrics', 'the age of the oldest that waits is in seconds, and 0 where nothing waits', async () => {
  const idle = await scrape()
  for (const what of ['runs', 'schedules', 'commands', 'jobs', 'deliveries', 'human_requests'])
    assert.equal(oldest(idle, what), 0, what)
  const team = await seedTeam(first)
  const runId = await seeders['run']!(team, {})
  await sql`
    update runs set status = 'pending', completed_at = null, admitted_at = now() - interval '1 hour', worker = null
    where id = ${runId} and team_id = ${team.id}`
  await seedWaitingDelivery(first, team.id)
  const busy = await scrape()
  for (const what of ['runs', 'deliveries']) {
    const seconds = oldest(busy, what) ?? 0
    assert.ok(seconds >= 3600 && seconds < 3700, `${what}: ${seconds}`)
  }
})

/** A delivery that is an hour old, to a target that some process serves. */
async function seedWaitingDelivery({ context }: TestApp, teamId: string): Promise<void> {
  const targetId = newId()
  await context.db.pool.query(
    `insert into delivery_targets (id, team_id, kind, url, worker) values ($1, $2, 'callback', 'https://example.com', $3)`,
    [targetId, teamId, newId()],
  )
  await context.db.pool.query(
    `insert into deliveries (id, team_id, target_id, event_id, event, created_at)
     values ($1, $2, $3, $4, 'run.started', now() - interval '1 hour')`,
    [newId(), teamId, targetId, newId()],
  )
}

proves('system.metrics', 'jobs that were given up and providers that are left alone are counted', async () => {
  const { pool } = first.context.db
  const team = await seedTeam(first)
  await pool.query(`select graphile_worker.add_job('noSuchJob', '{}', max_attempts => 1)`)
  await pool.query(`update graphile_worker._private_jobs set attempts = max_attempts`)
  await pool.query(
    `insert into model_breakers (provider, team_id, is_own, failures, open_until) values ('openai', $1, false, 4, now() + interval '1 hour')`,
    [team.id],
  )
  const metrics = await scrape()
  assert.equal(metrics.get('runyard_jobs_given_up'), 1)
  assert.equal(metrics.get('runyard_open_breakers{provider="openai"}'), 1)
  assert.equal(metrics.get('runyard_wal_archive_failing'), 0)
})
