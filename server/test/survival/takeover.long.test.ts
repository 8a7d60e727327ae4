// Work of a dead process continues elsewhere; work of a stopping process is finished first.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { Client } from 'pg'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { freePort, send, startService, temporaryDataDir } from './processes.ts'
import { createJobTable, enqueueSlowJob, killWorkers, startWorker, untilRow } from './takeover.ts'
import { proves } from '../kit/proves.ts'

const address = await testDatabase()
const dataDir = await temporaryDataDir()
const client = new Client(address)
await client.connect()
await createJobTable(client)
after(async () => {
  await client.end()
  await dataDir.remove()
})
const options = {
  dataDir: dataDir.path,
  env: { DATABASE_URL: connectionUrl(address), RUNYARD_RATE_LIMIT: '0', PORT: '', LOG_LEVEL: 'info' },
}

proves('worker.takeover', 'a job whose worker was killed runs on another one within seconds', async (t) => {
  const seen = await killWorkers(client, options, { kills: 1 })
  t.diagnostic(JSON.stringify(seen))
  assert.equal(seen.takenOver, seen.kills)
  assert.ok(seen.p99Ms < 5000)
})

proves('worker.drain', 'a stopping worker finishes the job at hand, takes no other, and exits 0', async () => {
  // one place, which the slow job has: no look for jobs is under way when the signal comes
  const worker = await startWorker({ ...options, env: { ...options.env, RUNYARD_WORKER_CONCURRENCY: '1' } })
  const underWay = await enqueueSlowJob(client, 700)
  await untilRow(client, underWay, ({ what }) => what === 'begun')
  const exit = worker.stop('SIGTERM')
  while (!worker.log().includes('stopping')) await client.query('select pg_sleep(0.01)')
  const later = await enqueueSlowJob(client, 0)
  assert.equal(await exit, 0)
  await untilRow(client, underWay, ({ what }) => what === 'done')
  const { rows } = await client.query('select 1 from slow_job_runs where job = $1', [later])
  assert.deepEqual(rows, [])
  const next = await startWorker(options)
  await untilRow(client, later, ({ what }) => what === 'done')
  assert.equal(await next.stop('SIGINT'), 0)
})

proves(
  ['worker.lostCompletion', 'process.rejections'],
  'a job whose end could not be written for a moment neither ends its process nor stays locked',
  async () => {
    const worker = await startWorker(options)
    // the job engine gets this when a failover ends its connection
    await client.query(`
    create function refuse_ends() returns trigger language plpgsql as
      $$ begin raise exception 'terminating connection due to administrator command' using errcode = 'admin_shutdown'; end $$;
    create trigger refuse_ends before delete on graphile_worker._private_jobs execute function refuse_ends()`)
    const job = await enqueueSlowJob(client, 0)
    await untilRow(client, job, ({ what }) => what === 'done')
    while (!worker.log().includes('nothing handled this trouble')) {
      assert.equal(worker.child.exitCode, null, worker.log())
      await client.query('select pg_sleep(0.01)')
    }
    await client.query('drop trigger refuse_ends on graphile_worker._private_jobs')
    const left = async () =>
      (await client.query(`select 1 from graphile_worker.jobs where task_identifier = 'slowJob'`)).rowCount
    while ((await left()) !== 0) await client.query('select pg_sleep(0.05)')
    assert.match(worker.log(), /set free; they run again/)
    assert.equal(await worker.stop('SIGINT'), 0)
  },
)

proves(
  'worker.deaf',
  'a job that does not listen is left behind when the drain time is over, and the exit code says so',
  async () => {
    const worker = await startWorker({ ...options, env: { ...options.env, RUNYARD_DRAIN_S: '0' } })
    const job = await enqueueSlowJob(client, 20_000)
    await untilRow(client, job, ({ what }) => what === 'begun')
    const startedAt = performance.now()
    assert.equal(await worker.stop('SIGTERM'), 1)
    assert.ok(performance.now() - startedAt < 9000)
    await client.query(`select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))`)
  },
)

proves('worker.secondSignal', 'a second signal exits at once', async () => {
  const worker = await startWorker(options)
  const job = await enqueueSlowJob(client, 20_000)
  await untilRow(client, job, ({ what }) => what === 'begun')
  const exit = worker.stop('SIGTERM')
  const startedAt = performance.now()
  // the same wish from terminal and npm counts once: a second one is what comes later than that
  while (performance.now() - startedAt < 600) await client.query('select pg_sleep(0.05)')
  worker.child.kill('SIGTERM')
  assert.equal(await exit, 130)
  assert.ok(performance.now() - startedAt < 5000)
})

proves(
  'api.drain',
  'a stopping API turns /readyz red, answers on for two readiness intervals, and exits 0',
  async () => {
    const service = await startService({
      dataDir: dataDir.path,
      env: {
        ...options.env,
        PORT: String(await freePort()),
        RUNYARD_READINESS_INTERVAL_MS: '700',
      },
      args: ['--role', 'api'],
    })
    const readiness = () => send(service.baseUrl, { path: '/readyz', key: '' })
    assert.equal((await readiness()).status, 200)
    const exit = service.stop('SIGTERM')
    const startedAt = performance.now()
    while ((await readiness()).status !== 503) assert.ok(performance.now() - startedAt < 600)
    while (performance.now() - startedAt < 1100) {
      assert.equal((await send(service.baseUrl, { path: '/v2/teams', key: service.key })).status, 200)
    }
    assert.equal(await exit, 0)
    assert.ok(performance.now() - startedAt >= 1400)
  },
)
