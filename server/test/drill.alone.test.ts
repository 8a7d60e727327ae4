// The drill on a real service: all zeros where it is healthy, the fault and its call where one is planted, and nothing left afterwards.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Pool } from 'pg'
import { readConfig } from '../src/base/config.ts'
import { sqlOn } from '../src/base/db.ts'
import { connectionUrl } from '../src/base/embeddedPostgres.ts'
import { createLog } from '../src/base/log.ts'
import { drill } from '../src/drill/drill.ts'
import { requestsTo, bodyOf } from '../src/drill/requests.ts'
import { until } from '../src/drill/until.ts'
import type { Drill, DrillResult } from '../src/features/system/drills/drill.ts'
import { testDatabase } from './kit/postgres.ts'
import { programFile } from './kit/programFile.ts'
import { proves } from './kit/proves.ts'
import { startService, temporaryDataDir } from './survival/processes.ts'

const dataDir = await temporaryDataDir()
const databaseUrl = connectionUrl(await testDatabase())
const env = { DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' }
const service = await startService({ dataDir: dataDir.path, env })
const pool = new Pool({ connectionString: databaseUrl, max: 2 })
const sql = sqlOn(pool)
const call = requestsTo(service.baseUrl, service.key)
after(async () => {
  await pool.end()
  await service.stop('SIGINT')
  await dataDir.remove()
})

const zeros = (result: DrillResult) => ({
  runs_lost: result.runs_lost,
  finished_calls_repeated: result.finished_calls_repeated,
  calls_doubled: result.calls_doubled,
  calls_missing: result.calls_missing,
  deliveries_lost: result.deliveries_lost,
  deliveries_changed: result.deliveries_changed,
  memory_missing: result.memory_missing,
  records_broken: result.records_broken,
  rows_left: result.rows_left,
})

/** Teams and what they have, but for the audit log. */
async function everything(): Promise<unknown> {
  const teams = await sql<{ id: string }>`select id from teams order by id`
  return Promise.all(
    teams.map(async ({ id }) => ({ id, runs: await sql`select count(*) from runs where team_id = ${id}` })),
  )
}

proves(
  ['drill.healthy', 'drill.erased', 'drill.page'],
  'a drill that is asked for by the API kills workers of its own, finds nothing, and leaves nothing',
  async (t) => {
    const before = await everything()
    const workers = await sql`select id from processes where role in ('all', 'worker') order by id`
    bodyOf(await call({ method: 'POST', path: '/v2/system/drills', body: { runs: 4, kills: 1 } }))
    const { drills } = await until(
      'the drill has ended',
      async () => bodyOf(await call({ path: '/v2/system/drills' })) as unknown as { drills: Drill[] },
      (seen) => seen.drills[0]!.ended_at !== null,
      { everyMs: 100, forMs: 120_000 },
    )
    const [ended] = drills
    t.diagnostic(JSON.stringify(ended!.result ?? ended))
    assert.equal(ended!.state, 'held', ended!.problem ?? '')
    const result = ended!.result!
    assert.ok(Object.values(zeros(result)).every((count) => count === 0))
    assert.deepEqual([result.findings, result.runs_started, result.kills, result.approvals], [[], 4, 1, 4])
    assert.ok(result.calls === 16 && result.deliveries > 0 && result.memory_writes === 8)
    assert.deepEqual(await everything(), before, 'no team and no run is left')
    assert.deepEqual(
      await sql`select id from processes where role in ('all', 'worker') and id = ${(workers[0] as { id: string }).id}`,
      workers,
      'the service itself was not killed',
    )
  },
)

proves('drill.fault', 'workers that repeat a finished call are found out, and the call is named', async (t) => {
  const workerFile = programFile(fileURLToPath(new URL('./survival/repeatingWorker.ts', import.meta.url)))
  const outcome = await drill({
    config: readConfig({ ...env, RUNYARD_DATA_DIR: dataDir.path }),
    log: createLog('error'),
    asked: { runs: 2, kills: 0 },
    timeoutMs: 120_000,
    signal: new AbortController().signal,
    tell: () => undefined,
    workerFile,
  })
  assert.ok('result' in outcome)
  const { result } = outcome
  t.diagnostic(JSON.stringify(result))
  assert.equal(result.holds, false)
  assert.ok(result.finished_calls_repeated > 0)
  assert.match(result.verdict, /finished calls repeated: \d+/)
  const named = result.findings.find(({ what }) => what === 'finished call repeated')
  assert.match(
    named!.detail,
    /^(GET|POST) http:\/\/127\.0\.0\.1:\d+\/(look|pay|tell|check) \(step \d+ of run [0-9a-f-]{36}\) came 2 times/,
  )
  const [row] = await sql<{
    state: string
    is_erased: boolean
  }>`select state, is_erased from drills order by id desc limit 1`
  assert.deepEqual(row, { state: 'failed', is_erased: true })
})
