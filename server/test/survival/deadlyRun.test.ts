// A run that kills every process that works on it is given up after three of them, and the runs beside it end as ever.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { connectionUrl } from '../../src/base/embeddedPostgres.ts'
import { testDatabase } from '../kit/postgres.ts'
import { temporaryDataDir } from './processes.ts'
import { block, bodyOf, openYard, until } from './yard.ts'

const dataDir = await temporaryDataDir()
const env = { DATABASE_URL: connectionUrl(await testDatabase()), LOG_LEVEL: 'warn' }
const entry = fileURLToPath(new URL('./killerService.ts', import.meta.url))
const yard = await openYard({ options: { dataDir: dataDir.path, env, entry }, workers: 0 })
after(async () => {
  await yard.close()
  await dataDir.remove()
})

const read = async (runId: string) =>
  bodyOf(await yard.call({ path: `/v2/runs/${runId}` })) as {
    status: string
    run: { output: unknown; error: { code: string; message: string } | null }
  }

// proves runs.deadly
test('a run that kills its process ends as failed after three deaths; a run that was there each time completes', async (t) => {
  const { url } = yard.counter
  // longer than the first two processes live: it comes no further meanwhile, as the deadly one
  const slow = await yard.newAgent(`${block('http', `GET ${url}/ms/3000/slow`)}\n${block('output', 'survived')}`)
  const deadly = await yard.newAgent(`${block('http', `GET ${url}/kill`)}\n${block('output', 'never')}`)
  const quick = await yard.newAgent(`${block('http', `POST ${url}/quick\n\nonce`)}\n${block('output', 'quick')}`)
  const bystander = await yard.startRun(slow)
  const killer = await yard.startRun(deadly)
  const deaths: (number | string)[] = []
  let service = await yard.startWorker()
  for (let n = 0; n < 2; n++) {
    deaths.push(await service.exited)
    service = await yard.startWorker()
  }
  yard.workers.push(service)
  const later = await yard.startRun(quick)
  const [failed, survived, other] = await until(
    'all have ended',
    () => Promise.all([killer, bystander, later].map(read)),
    (runs) => runs.every(({ status }) => status === 'completed' || status === 'failed'),
  )
  t.diagnostic(JSON.stringify({ deaths, error: failed!.run.error }))
  assert.deepEqual([failed!.status, failed!.run.error!.code], ['failed', 'internal_error'])
  assert.match(failed!.run.error!.message, /^3 processes of the service died while they worked on this run at step 1/)
  assert.deepEqual([survived!.run.output, other!.run.output], ['survived', 'quick'])
  assert.deepEqual(deaths, ['SIGKILL', 'SIGKILL'])
  assert.deepEqual([service.child.exitCode, service.child.signalCode], [null, null], 'the third one lives on')
  const [asked] = await yard.sql<{ count: number }>`select count(*)::int as count from human_requests`
  assert.equal(asked!.count, 0)
})
