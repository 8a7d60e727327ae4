// A drill that is killed itself: its workers end, and the service erases what it left.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { Pool } from 'pg'
import { sqlOn } from '../src/base/db.ts'
import { connectionUrl } from '../src/base/embeddedPostgres.ts'
import { isAlive } from '../src/base/isAlive.ts'
import { bodyOf, requestsTo } from '../src/drill/requests.ts'
import { until } from '../src/drill/until.ts'
import { testDatabase } from './kit/postgres.ts'
import { proves } from './kit/proves.ts'
import { startService, temporaryDataDir } from './survival/processes.ts'

const dataDir = await temporaryDataDir()
const databaseUrl = connectionUrl(await testDatabase())
const service = await startService({
  dataDir: dataDir.path,
  env: { DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn', RUNYARD_DRAIN_S: '1' },
})
const pool = new Pool({ connectionString: databaseUrl, max: 2 })
const sql = sqlOn(pool)
const call = requestsTo(service.baseUrl, service.key)
after(async () => {
  await pool.end()
  await service.stop('SIGINT')
  await dataDir.remove()
})

interface Row {
  state: string
  is_erased: boolean
  team: string | null
  runs: number
}

const readDrill = async (): Promise<Row> =>
  (
    await sql<Row>`
      select d.state, d.is_erased, d.scratch_team_id as team, (select count(*) from runs r where r.team_id = d.scratch_team_id)::int as runs
      from drills d order by d.id desc limit 1`
  )[0]!

proves(
  'drill.erased',
  'a drill that is killed in the middle is broken off, its workers end, and its team is erased',
  async () => {
    bodyOf(await call({ method: 'POST', path: '/v2/system/drills', body: { runs: 200, kills: 20 } }))
    const before = await until('some runs are under way', readDrill, ({ runs }) => runs >= 10, { forMs: 120_000 })
    const pids = await sql<{ pid: number; role: string }>`
      select pid, role from processes where role in ('drill', 'drill worker')`
    assert.ok(pids.length >= 2)
    process.kill(pids.find(({ role }) => role === 'drill')!.pid, 'SIGKILL')
    const ended = await until('the drill is erased', readDrill, ({ is_erased }) => is_erased, { forMs: 120_000 })
    assert.deepEqual([ended.state, ended.runs], ['broken_off', 0])
    assert.deepEqual(await sql`select name, rows from rows_of_team(${before.team}, false)`, [])
    await until(
      'its workers have ended',
      async () => pids.filter(({ pid }) => isAlive(pid)),
      (left) => left.length === 0,
    )
  },
)
