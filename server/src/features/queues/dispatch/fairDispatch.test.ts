// Cases of several teams that wait for their agents: teams take turns, however many cases or queues one of them has.
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { seedCases, seedQueue, seedWorker } from '../../../../test/kit/cases.ts'
import { seedTeam, type TestTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { dispatcherOf } from './dispatcher.ts'
import { proves } from '../../../../test/kit/proves.ts'

async function seed(team: TestTeam, cases: number): Promise<void> {
  const queueId = await seedQueue(team, 2)
  await seedWorker(team, queueId)
  await seedCases(team, queueId, cases)
}

proves(
  'pools.cases',
  'the one case of a team gets its run after one queue of another team that has twelve, and thousands of cases',
  async () => {
    const service = await testApp()
    const { sql } = service.context.db
    const [noisy, quiet] = [await seedTeam(service), await seedTeam(service)]
    for (let n = 0; n < 12; n++) await seed(noisy, n === 0 ? 2000 : 5)
    await seed(quiet, 1)
    const work = dispatcherOf(service.context).work()
    await work.poll()
    while ((await sql`select from runs where team_id = ${quiet.id}`).length === 0) await turn()
    await work.stop()
    const queues = await sql<{ team_id: string }>`
    select team_id from runs group by team_id, case_queue_id order by min(run_number)`
    const place = queues.findIndex(({ team_id }) => team_id === quiet.id)
    assert.ok(place <= 1, `${place} queues of the other team went first`)
  },
)
