// The half-second sweep, when much is due at once.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { createRunSweep } from './sweepDue.ts'

/** Each is closed by a transaction of its own: no machine does so many in the time that a sweep has. */
const expired = 1000

proves('runs.sweepBound', 'a sweep closes some of many expired requests, and the next one continues', async () => {
  const service = await testApp()
  const { sql } = service.context.db
  const team = await seedTeam(service)
  const runId = await startRun(team, await seedAgent(team, '```approve\nGo?\n```\n'))
  await drainRuns(service)
  await sql`
    insert into human_requests (id, team_id, run_id, step, type, title, expires_at)
    select gen_random_uuid(), ${team.id}, ${runId}, n, 'question', 'Too late', now() from generate_series(100, 99 + ${expired}::int) n`
  const sweep = createRunSweep(service.context)
  let before = expired
  for (let turn = 0; turn < 2; turn++) {
    assert.equal(await sweep.run(), true)
    const [left] = await sql<{ count: number }>`
      select count(*) from human_requests where run_id = ${runId} and status = 'pending' and expires_at is not null`
    assert.ok(left!.count > 0 && left!.count < before, `${left!.count} of ${before} are left`)
    before = left!.count
  }
})
