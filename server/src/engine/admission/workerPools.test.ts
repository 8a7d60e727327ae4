// Pools of workers: who takes which runs, at a start, from the waitlist and from those that are ready.
import assert from 'node:assert/strict'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, preparedRun, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import type { WorkerPools } from '../../base/settingKinds.ts'
import { createRuns } from '../starting/createRun.ts'
import { admitNext } from './admission.ts'
import { serves } from './workerPools.ts'

const address = await testDatabase()
const pool = (...names: string[]): WorkerPools => ({ names, teams: [], except_teams: [] })
const usual = await testApp({ address, config: { workerPools: pool('default') } })
const heavy = await testApp({ address, config: { workerPools: pool('heavy') } })
const team = await seedTeam(usual)
const { sql } = usual.context.db
const procedure = '```output\ndone\n```\n'
const agents = {
  usual: await seedAgent(team, procedure),
  heavy: await seedAgent(team, procedure, { worker_pool: 'heavy' }),
}

const status = async (runId: string): Promise<string> => (await readRun(team, runId)).status

proves('runs.pools', 'a run waits for a worker of the pool that its build asks for, and says so', async () => {
  const runs = { usual: await startRun(team, agents.usual), heavy: await startRun(team, agents.heavy) }
  await sql`insert into processes (id, role, host, pid, report)
    values (${newId()}, 'worker', 'alpha', 1, ${JSON.stringify({ worker_pools: pool('default') })}::jsonb)`
  await drainRuns(usual)
  assert.deepEqual([await status(runs.usual), await status(runs.heavy)], ['completed', 'pending'])
  const { body } = await team.call(`GET /v2/runs/${runs.heavy}/why`)
  assert.equal(body.facts.workers, 0)
  assert.match(body.why, /no living worker takes runs of the pool heavy: start one with RUNYARD_WORKER_POOLS=heavy/)
  await drainRuns(heavy)
  assert.equal(await status(runs.heavy), 'completed')
})

/** Answers with those of these runs that the worker holds, in their order. */
async function claimedOf(runIds: string[], workerId: string): Promise<string[]> {
  const rows = await sql<{ id: string }>`select id from runs where id = any(${runIds}::uuid[]) and worker = ${workerId}`
  return runIds.filter((id) => rows.some((row) => row.id === id))
}

/** A run of each agent that is ready to be written. */
const wantedRuns = () => Promise.all([agents.usual, agents.heavy].map((agentId) => preparedRun(usual, team, agentId)))

proves('runs.pools', 'a process takes at once only those of the runs that it starts whose pool it serves', async () => {
  const runs = await wantedRuns()
  const workerId = newId()
  const created = await createRuns(sql, runs, { workerId, count: 2, pools: pool('heavy') })
  assert.deepEqual(
    created.map(({ is_admitted }) => is_admitted),
    [true, true],
  )
  const ids = runs.map(({ id }) => id)
  assert.deepEqual(await claimedOf(ids, workerId), [ids[1]])
  await sql`update runs set worker = null where worker = ${workerId}`
  await Promise.all([drainRuns(usual), drainRuns(heavy)])
})

proves('runs.pools', 'a process takes at once only those runs of the waitlist whose pool it serves', async () => {
  const [before] = await sql<{ places: number }>`select places from admission where team_id = ${team.id}`
  await sql`update admission set places = 0 where team_id = ${team.id}`
  const runs = await wantedRuns()
  await createRuns(sql, runs, undefined)
  await sql`update admission set places = ${before!.places} where team_id = ${team.id}`
  const workerId = newId()
  const { admitted, claimed } = await admitNext(sql, [team.id], { workerId, count: 2, pools: pool('heavy') })
  assert.deepEqual([admitted, claimed.map(({ id }) => id)], [2, [runs[1]!.id]])
})

proves('runs.pools', 'a process can be there for one team alone, or for all others', () => {
  const run = { worker_pool: 'heavy', team_id: team.id }
  const only = { names: [], teams: [team.id], except_teams: [] }
  const others = { teams: [], except_teams: [team.id] }
  assert.deepEqual([serves(only, run), serves(others, run), serves(null, run)], [true, false, true])
  assert.deepEqual(
    [serves(only, { ...run, team_id: newId() }), serves(others, { ...run, team_id: newId() })],
    [false, true],
  )
})

proves('drill.apart', 'only a process that is there for the team of a drill takes its runs', async () => {
  const any = await testApp({ address })
  const own = await testApp({ address, config: { workerPools: { names: [], teams: [team.id], except_teams: [] } } })
  const butOne = await testApp({ address, config: { workerPools: { teams: [], except_teams: [newId()] } } })
  const runId = await startRun(team, await seedAgent(team, procedure, { worker_pool: 'drill' }))
  await Promise.all([drainRuns(any), drainRuns(butOne)])
  assert.equal(await status(runId), 'pending')
  const run = { worker_pool: 'drill', team_id: team.id }
  assert.deepEqual([serves(null, run), serves({ teams: [], except_teams: [] }, run)], [false, false])
  await drainRuns(own)
  assert.equal(await status(runId), 'completed')
})
