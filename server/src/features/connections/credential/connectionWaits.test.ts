// Runs that wait for a connection, when their teams are busy.
import assert from 'node:assert/strict'
import { begin } from '../../../../test/kit/heldTransaction.ts'
import { proves } from '../../../../test/kit/proves.ts'
import { drainRuns, seedAgent, startRun } from '../../../../test/kit/runs.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { newId } from '../../../base/ids.ts'
import { wakeWaitingRuns } from './connectionWaits.ts'

const service = await testApp()
const { context } = service
const { db } = context
const wake = () => wakeWaitingRuns({ context, signal: new AbortController().signal })

proves('connections.waitAside', 'runs of other teams wake while one team’s slots are locked', async () => {
  const teams = [await seedTeam(service), await seedTeam(service)]
  const runs: string[] = []
  for (const team of teams) runs.push(await startRun(team, await seedAgent(team, '```wait\n1h\n```\n')))
  await drainRuns(service)
  for (const id of runs)
    await db.sql`insert into connection_waits (connection_id, run_id, is_over) values (${newId()}, ${id}, true)`
  const stillWait = async () => {
    const waiting = await db.sql<{ run_id: string }>`select run_id from connection_waits`
    return runs.map((id) => waiting.some(({ run_id }) => run_id === id))
  }
  const { its, commit } = await begin(db.address())
  await its`select from admission where team_id = ${teams[0]!.id} for update`
  await wake()
  assert.deepEqual(await stillWait(), [true, false])
  await commit()
  await wake()
  assert.deepEqual(await stillWait(), [false, false])
})
