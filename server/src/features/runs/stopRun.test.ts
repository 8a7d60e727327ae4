// Stopping: at any moment, with everything below, told once, and nothing is written for the run afterwards.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import { engineOf } from '../../engine/engine.ts'
import { stopStrayRuns } from '../../engine/ending/stopStrayRuns.job.ts'
import { feature } from '../../kit/feature.ts'
import { enqueueOn } from '../../kit/job.ts'
import { Type } from '../../kit/schema.ts'
import { outsideTool } from '../../kit/tool.ts'
import { drainRuns, readEvents, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

const block = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`
const asks = `${block('approve', 'Go?')}\n${block('output', 'went')}`

/** A call that never comes back by itself. */
const begun = Promise.withResolvers<void>()
const cutOff = Promise.withResolvers<void>()
const endless = outsideTool({
  name: 'endless_call',
  description: 'Waits until it is cut off.',
  input: Type.Object({}),
  onDoubt: 'ask',
  leaves: 'never',
  timeoutMs: 600_000,
  execute: (_call, { signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        cutOff.resolve()
        reject(signal.reason as Error)
      })
      begun.resolve()
    }),
})
const watching = feature({
  name: 'watching',
  toolSets: [{ name: 'endless', title: 'Endless', description: 'For tests.', provider: null, tools: [endless] }],
})
const service = await testApp({ features: [watching] })
const { sql } = service.context.db

const stop = (team: TestTeam, runId: string) => team.call(`POST /v2/runs/${runId}/stop`)
const terminal = async (runId: string) =>
  (await readEvents(service, runId)).filter(({ event }) => event === 'run.completed' || event === 'run.failed')

proves(
  'stop.states',
  'a pending, a waiting and an ended run: stopped, stopped with its request, left as it is',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, asks)
    const waiting = await startRun(team, agentId)
    await drainRuns(service)
    const pending = await startRun(team, agentId)
    for (const runId of [waiting, pending]) {
      assert.deepEqual((await stop(team, runId)).body, { success: true, run_id: runId, status: 'stopped' })
      const [event] = await terminal(runId)
      assert.deepEqual([event!.event, event!.data.status, event!.data.output], ['run.completed', 'stopped', null])
    }
    const [request] = await sql`select status, response from human_requests where run_id = ${waiting}`
    assert.deepEqual(request, { status: 'cancelled', response: null })
    const [step] = await sql`select state from run_steps where run_id = ${waiting}`
    assert.deepEqual(step, { state: 'cut_off' })
    const [places] = await sql`select held, in_line from admission where team_id = ${team.id}`
    assert.deepEqual(places, { held: 0, in_line: 0 })
    const before = await readRun(team, waiting)
    const again = (await stop(team, waiting)).body
    assert.deepEqual([again.success, again.status], [true, 'stopped'])
    assert.match(again.message, /had ended already \(stopped\); nothing was changed/)
    assert.deepEqual(await readRun(team, waiting), before)
  },
)

proves('stop.running', 'a running call is cut off, and its worker writes nothing more', async () => {
  const team = await seedTeam(service)
  const procedure = `${block('tool name=endless_call', '{}')}\n${block('output', 'never')}`
  const runId = await startRun(team, await seedAgent(team, procedure, { plugins: ['endless'] }))
  const never = new AbortController()
  const worker = engineOf(service.context).work({ id: newId(), seats: 5, lost: () => never.signal })
  await begun.promise
  assert.equal((await stop(team, runId)).body.status, 'stopped')
  const [epoch] = await sql`select epoch, message_seq, event_seq from runs where id = ${runId}`
  // the call out loud may be lost: the worker's own poll finds it too
  await worker.poll()
  await cutOff.promise
  await worker.stop(1000)
  assert.deepEqual((await sql`select epoch, message_seq, event_seq from runs where id = ${runId}`)[0], epoch)
  assert.deepEqual(await sql`select kind, state from run_steps where run_id = ${runId}`, [
    { kind: 'tool', state: 'cut_off' },
  ])
  assert.equal((await terminal(runId)).length, 1)
})

proves('stop.subRuns', 'the runs below a run are stopped with it, each with its own event', async () => {
  const team = await seedTeam(service)
  const child = await seedAgent(team, asks)
  const parent = await seedAgent(team, block(`tool name=agents_run`, `{"agent": "${child}"}`), {
    subAgents: [child],
    plugins: ['agents'],
  })
  const runId = await startRun(team, parent)
  await drainRuns(service)
  const [below] = await sql<{ id: string; status: string }>`select id, status from runs where parent_run_id = ${runId}`
  assert.equal(below!.status, 'waiting')
  await stop(team, runId)
  for (const id of [runId, below!.id]) {
    assert.equal((await readRun(team, id)).status, 'stopped')
    assert.equal((await terminal(id)).length, 1)
  }
  const failed = await startRun(team, parent)
  await drainRuns(service)
  await sql`update runs set status = 'failed', completed_at = now() where id = ${failed}`
  assert.match((await stop(team, failed)).body.message, /had ended already \(failed\)/)
  const [left] = await sql`select status from runs where parent_run_id = ${failed}`
  assert.deepEqual(left, { status: 'waiting' })
})

proves('stop.race', 'fifty stops at once end the run once', async () => {
  const team = await seedTeam(service)
  const runId = await startRun(team, await seedAgent(team, asks))
  await drainRuns(service)
  const answers = await Promise.all(Array.from({ length: 50 }, () => stop(team, runId)))
  assert.ok(answers.every(({ status, body }) => status === 200 && body.status === 'stopped'))
  assert.equal(answers.filter(({ body }) => body.message === undefined).length, 1)
  assert.equal((await terminal(runId)).length, 1)
})

proves(
  'stop.agentDeleted',
  'deleting an agent stops its active runs in the same moment, also one that is started at the same time',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, asks)
    const others = await startRun(team, await seedAgent(team, asks))
    const waiting = await startRun(team, agentId)
    await drainRuns(service)
    const pending = await startRun(team, agentId)
    assert.equal((await team.call(`DELETE /v2/agents/${agentId}`)).status, 200)
    for (const runId of [waiting, pending]) {
      assert.equal((await readRun(team, runId)).status, 'stopped')
      assert.equal((await terminal(runId)).length, 1)
    }
    assert.equal((await readRun(team, others)).status, 'waiting')
    // a start that had seen the agent commits after the deletion: as if it had, this run is active again
    await sql`update runs set status = 'pending', completed_at = null, queued_at = now() where id = ${pending}`
    await sql`update admission set in_line = in_line + 1 where team_id = ${team.id}`
    await enqueueOn(sql)(stopStrayRuns, { team_id: team.id, agent_id: agentId })
    await service.drain()
    assert.equal((await readRun(team, pending)).status, 'stopped')
    assert.equal((await readRun(team, others)).status, 'waiting')
  },
)

proves('stop.subRuns', 'a run that is active below one that has ended is stopped with the run above both', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, asks)
  const [above, between, below] = [
    await startRun(team, agentId),
    await startRun(team, agentId),
    await startRun(team, agentId),
  ]
  await drainRuns(service)
  await stop(team, between)
  await sql`update runs set parent_run_id = ${above} where id = ${between}`
  await sql`update runs set parent_run_id = ${between} where id = ${below}`
  await stop(team, above)
  assert.equal((await readRun(team, below)).status, 'stopped')
})
