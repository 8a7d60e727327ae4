// The half-second sweep, when much is due at once, or a team is stuck.
import assert from 'node:assert/strict'
import { begin } from '../../../test/kit/heldTransaction.ts'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { createRunSweep } from './sweepDue.ts'

const service = await testApp()

proves('runs.sweepAside', 'waits of other teams wake while one team’s slots are locked', async () => {
  const { db } = service.context
  const teams = [await seedTeam(service), await seedTeam(service)]
  const runs: string[] = []
  for (const team of teams) runs.push(await startRun(team, await seedAgent(team, '```wait\n1h\n```\n')))
  await drainRuns(service)
  for (const id of runs) await db.sql`update runs set due_at = now() - interval '1 s' where id = ${id}`
  const isAwake = async (id: string) =>
    (await db.sql`select from runs where id = ${id} and due_at is null and admitted_at is not null`).length > 0
  const { its, commit } = await begin(db.address())
  await its`select from admission where team_id = ${teams[0]!.id} for update`
  const sweep = createRunSweep(service.context)
  await sweep.run()
  assert.deepEqual(await Promise.all(runs.map(isAwake)), [false, true])
  await commit()
  await sweep.run()
  assert.deepEqual(await Promise.all(runs.map(isAwake)), [true, true])
})

proves('runs.sweepAside', 'requests of other teams expire while one team’s slots are locked', async () => {
  const { db } = service.context
  const teams = [await seedTeam(service), await seedTeam(service)]
  for (const team of teams) await startRun(team, await seedAgent(team, '```approve\nGo?\n```\n'))
  await drainRuns(service)
  // that of the team with the locked slots is the first one that is due
  for (const [nth, { id }] of teams.entries())
    await db.sql`update human_requests set expires_at = now() - make_interval(secs => ${10 - nth}) where team_id = ${id}`
  const statusesOf = async () =>
    Promise.all(
      teams.map(async ({ id }) => {
        const [request] = await db.sql<{ status: string }>`select status from human_requests where team_id = ${id}`
        return request!.status
      }),
    )
  const { its, commit } = await begin(db.address())
  await its`select from admission where team_id = ${teams[0]!.id} for update`
  const sweep = createRunSweep(service.context)
  await sweep.run()
  assert.deepEqual(await statusesOf(), ['pending', 'expired'])
  await commit()
  await sweep.run()
  assert.deepEqual(await statusesOf(), ['expired', 'expired'])
})

/** Each is closed by a transaction of its own: no machine does so many in the time that a sweep has. */
const expired = 1000

proves('runs.sweepBound', 'a sweep closes some of many expired requests, and the next one continues', async () => {
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
