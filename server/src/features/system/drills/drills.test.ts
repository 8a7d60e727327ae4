// Drills as rows: who may ask for one, one at a time, and what becomes of one whose process was killed.
import assert from 'node:assert/strict'
import { drainRuns, seedAgent, startRun } from '../../../../test/kit/runs.ts'
import { proves } from '../../../../test/kit/proves.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { typedClient } from '../../../../test/kit/typedClient.ts'
import { newId } from '../../../base/ids.ts'
import { insertDrillTarget } from '../../webhooks/drillTarget.ts'
import { beforeAllRetries, beforeAllTargets, targetsWithWork } from '../../webhooks/deliveryRows.ts'
import { endDrill, handOver, insertDrill, noteProgress, noteScratchTeam, takeRequested } from './drillRows.ts'
import { listDrills } from './listDrills.ts'
import { startDrill } from './startDrill.ts'
import { stopDrill } from './stopDrill.ts'
import { giveUpLost } from './takeDrill.ts'

const service = await testApp({ config: { allowPrivateHosts: ['127.0.0.1'] } })
const { context } = service
const { sql } = context.db
const operators = await seedTeam(service)
const tenant = await seedTeam(service)
const client = typedClient(service, operators)
const size = { runs: 20, kills: 2 }
const progress = { phase: 'killing' as const, runs_started: 3, runs_ended: 1, kills: 1, deliveries: 12 }

async function aliveProcess(): Promise<string> {
  const id = newId()
  await sql`insert into processes (id, role, host, pid) values (${id}, 'drill', 'alpha', 1)`
  return id
}

proves(
  'drill.rights',
  'only an admin of the team that runs the installation starts, lists and stops drills',
  async () => {
    const others = typedClient(service, tenant)
    const refusals = [
      await others.refused(startDrill, { body: size }),
      await others.refused(listDrills, {}),
      await others.refused(stopDrill, {}),
    ]
    assert.deepEqual(
      refusals.map(({ error }) => error),
      ['forbidden', 'forbidden', 'forbidden'],
    )
    assert.equal((await client.send(listDrills, {})).total, 0)
  },
)

proves('drill.one', 'there is one drill at a time, and one that nobody has taken is stopped at once', async () => {
  const { drill } = await client.send(startDrill, { body: size })
  assert.deepEqual([drill.state, drill.runs, drill.kills, drill.is_erased], ['requested', 20, 2, true])
  assert.equal((await client.refused(startDrill, { body: size })).error, 'conflict')
  assert.equal((await client.send(stopDrill, {})).drill.state, 'stopped')
  assert.equal((await client.send(stopDrill, {})).drill_id, drill.id, 'a second stop changes nothing')
})

proves('drill.one', 'a drill is taken by one process, tells how far it is, and hears that it shall stop', async () => {
  const { drill_id } = await client.send(startDrill, { body: size })
  const [first, second] = [await aliveProcess(), await aliveProcess()]
  assert.equal((await takeRequested(sql, first))?.id, drill_id)
  assert.equal(await takeRequested(sql, second), undefined)
  assert.ok(await handOver(sql, drill_id, second))
  assert.equal(await noteProgress(sql, drill_id, first, progress), 'given_up')
  assert.equal(await noteProgress(sql, drill_id, second, progress), 'goes_on')
  assert.deepEqual((await client.send(listDrills, { query: { limit: 1 } })).drills[0]?.progress, progress)
  await client.send(stopDrill, {})
  assert.equal(await noteProgress(sql, drill_id, second, progress), 'stop')
  assert.equal(await endDrill(sql, drill_id, { state: 'stopped' }), true)
  assert.equal(await endDrill(sql, drill_id, { state: 'broken_off' }), false)
})

/** A team with what a drill makes: runs that ended, runs that wait, events for a receiver. */
async function scratchTeam() {
  const team = await seedTeam(service)
  const agent = await seedAgent(team, '```memory path=notes.md\nseen\n```\n\n```approve\nGo on?\n```\n')
  await insertDrillTarget(sql, team.id, 'http://127.0.0.1:9/drill')
  const ended = await seedAgent(team, '```output\ndone\n```\n')
  await startRun(team, agent)
  await startRun(team, ended)
  await drainRuns(service)
  // what jobs do about ended runs is done before anything is compared
  await service.drain()
  return team
}

const rowsOf = (teamId: string) =>
  sql<{ name: string; rows: number }>`select name, rows from rows_of_team(${teamId}, false)`

proves('drill.erased', 'a drill whose process was killed is broken off, and all of its team is erased', async () => {
  const team = await scratchTeam()
  const neighbour = await scratchTeam()
  const processId = await aliveProcess()
  const made = await insertDrill(sql, { ...size, requestedBy: null, processId })
  await noteScratchTeam(sql, made!.id, processId, team.id)
  await giveUpLost(context)
  assert.equal((await client.send(listDrills, { query: { limit: 1 } })).drills[0]?.state, 'running')
  const before = await rowsOf(neighbour.id)
  assert.ok(before.length > 10 && (await rowsOf(team.id)).length === before.length)
  await sql`delete from processes where id = ${processId}`
  await giveUpLost(context)
  await service.drain()
  const [drill] = (await client.send(listDrills, { query: { limit: 1 } })).drills
  assert.deepEqual([drill?.state, drill?.is_erased], ['broken_off', true])
  assert.match(drill!.problem!, /died/)
  assert.deepEqual(await rowsOf(team.id), [])
  assert.deepEqual(await rowsOf(neighbour.id), before, 'nothing of another team is gone')
})

/** The teams to whose targets a process delivers. */
async function served(drillTeam?: string): Promise<string[]> {
  const by = { workerId: newId(), drillTeam }
  const { found } = await targetsWithWork(sql, by, { after: beforeAllTargets, retriesAfter: beforeAllRetries })
  return found.map(({ team_id }) => team_id)
}

proves('drill.apart', 'the receiver of a drill is served by the processes of that drill alone', async () => {
  const drilled = await scratchTeam()
  assert.ok(!(await served()).includes(drilled.id))
  assert.deepEqual(await served(drilled.id), [drilled.id])
})
