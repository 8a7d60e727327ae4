// runyard drill: what it refuses before it does anything, and the table that it prints.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { readConfig } from '../base/config.ts'
import { openDatabase } from '../base/db.ts'
import { connectionUrl } from '../base/embeddedPostgres.ts'
import { newId } from '../base/ids.ts'
import { createLog } from '../base/log.ts'
import type { DrillResult } from '../features/system/drills/drill.ts'
import { insertDrill } from '../features/system/drills/drillRows.ts'
import { announcePresence } from '../kit/presence.ts'
import { testDatabase } from '../../test/kit/postgres.ts'
import { proves } from '../../test/kit/proves.ts'
import { drillCommand, drillLines } from './drill.ts'

const address = await testDatabase()
const log = createLog('silent')
const db = openDatabase({ address: () => address, log, connectionsMax: 2 })
const folder = await mkdtemp(join(tmpdir(), 'runyard-drill-test-'))
after(async () => {
  await db.close()
  await rm(folder, { recursive: true, force: true })
})

const env = { DATABASE_URL: connectionUrl(address), RUNYARD_DATA_DIR: folder }

const run = (values: Record<string, string>) =>
  drillCommand(
    {
      config: readConfig(env),
      log,
      positionals: [],
      values,
      signal: new AbortController().signal,
      print: () => undefined,
    },
    { env, tell: () => undefined },
  )

proves('drill.command', 'a number out of its bounds is refused with the bounds', async () => {
  await assert.rejects(run({ runs: '0' }), /--runs must be a whole number from 1 to 5000/)
  await assert.rejects(run({ kills: '501' }), /--kills must be a whole number from 0 to 500/)
  await assert.rejects(run({ timeout: 'soon' }), /--timeout must be a whole number of seconds/)
})

proves('drill.command', 'without a worker of the service, and beside another drill, it says what to do', async () => {
  await assert.rejects(run({}), /No worker of the service is running\. Start it .* or use --scratch/)
  const worker = await announcePresence({ address: () => address, role: 'worker', log })
  try {
    await insertDrill(db.sql, { runs: 1, kills: 0, requestedBy: null, processId: worker.processId })
    await assert.rejects(run({}), /Another drill is under way on this service/)
    await db.sql`update drills set state = 'stopped'`
  } finally {
    await worker.leave()
  }
})

const result: DrillResult = {
  holds: false,
  verdict: 'Not everything is as it must be after 2 killed workers: finished calls repeated: 1',
  took_ms: 1000,
  runs_started: 3,
  runs_lost: 0,
  kills: 2,
  kills_between: 1,
  calls: 12,
  calls_retried: 1,
  finished_calls_repeated: 1,
  calls_doubled: 0,
  calls_missing: 0,
  in_doubt_asked: 2,
  approvals: 3,
  takeovers: 4,
  takeover_p50_ms: 900,
  takeover_p99_ms: 1400,
  deliveries: 50,
  deliveries_lost: 0,
  deliveries_repeated: 1,
  deliveries_changed: 0,
  memory_writes: 6,
  memory_missing: 0,
  records_broken: 0,
  findings: [
    { what: 'finished call repeated', detail: `GET http://127.0.0.1:1/look (step 1 of run ${newId()}) came 2 times` },
  ],
  erased_runs: 6,
  rows_left: 0,
}

proves('drill.command', 'the table has a row for each number, what was found, and the verdict last', () => {
  const lines = drillLines(result)
  assert.ok(lines.includes('Finished calls repeated              1'))
  assert.ok(lines.includes('Takeovers                            4, p50 900 ms, p99 1400 ms'))
  assert.match(lines.at(-3)!, /^! finished call repeated: GET http:\/\/127\.0\.0\.1:1\/look/)
  assert.equal(lines.at(-1), result.verdict)
})
