// A paused agent: what is refused, what is skipped, what waits, and what continues.
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { seedCases, seedQueue, seedWorker } from '../../../test/kit/cases.ts'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { dispatcherOf } from '../queues/dispatch/dispatcher.ts'
import { fireSchedules } from '../schedules/fireSchedules.ts'
import { startDeliveries } from '../triggers/startDeliveries.ts'

const service = await testApp({ config: { triggerRateLimit: 0 } })
const { context } = service
const { sql } = context.db
const block = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`
const echo = block('output', '{{ message }}')
const { signal } = new AbortController()

const pause = (team: TestTeam, agentId: string, body: object = {}) =>
  team.call(`POST /v2/agents/${agentId}/pause`, { body })
const resume = (team: TestTeam, agentId: string) => team.call(`POST /v2/agents/${agentId}/resume`)
const start = (team: TestTeam, body: object) => team.call('POST /v2/teams/:teamId/runs', { body })
const runsOf = (agentId: string) =>
  sql<{ id: string }>`select id from runs where agent_id = ${agentId} order by run_number`

proves(
  'agents.pause',
  'a start of a paused agent is refused with its reason at once, also where the agent is remembered, and a draft starts',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, echo)
    const before = await startRun(team, agentId)
    const paused = await pause(team, agentId, { reason: 'It pays twice.' })
    assert.deepEqual(
      [paused.status, paused.body.agent.paused_reason, paused.body.agent.paused_by],
      [200, 'It pays twice.', team.memberId],
    )
    const refused = await start(team, { agent_id: agentId })
    assert.deepEqual([refused.status, refused.body.error], [409, 'agent_paused'])
    assert.equal(refused.body.message, 'Tested is paused: It pays twice. A member can resume it.')
    await pause(team, agentId, { reason: 'Another.' })
    assert.equal((await team.call(`GET /v2/agents/${agentId}`)).body.agent.paused_reason, 'It pays twice.')
    const { body: draft } = await team.call(`POST /v2/agents/${agentId}/revisions`, { body: { name: 'Fix' } })
    assert.equal((await start(team, { agent_id: agentId, build_id: draft.build_id })).status, 201)
    await drainRuns(service)
    assert.equal((await readRun(team, before)).status, 'completed', 'what was under way continues')
    const again = await team.call(`POST /v2/runs/${before}/retry`, { body: {} })
    assert.deepEqual([again.status, again.body.error], [409, 'agent_paused'])
    assert.equal((await resume(team, agentId)).body.agent.paused_at, null)
    assert.equal((await start(team, { agent_id: agentId })).status, 201)
  },
)

proves(
  ['agents.pause', 'schedules.misses'],
  'a schedule of a paused agent skips its due time and says so, and is not disabled by it',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, echo)
    const cron = `${(new Date().getUTCMinutes() + 30) % 60} * * * *`
    const body = { frequency: 'custom', cron, message: 'hello' }
    const { body: made } = await team.call(`POST /v2/agents/${agentId}/schedules`, { body })
    const due = () => sql`update schedules set next_run_at = now() - interval '1 second' where id = ${made.id}`
    await due()
    await fireSchedules({ context, signal })
    assert.equal((await runsOf(agentId)).length, 1)
    await drainRuns(service)
    await pause(team, agentId)
    for (let times = 0; times < 12; times++) {
      await due()
      await fireSchedules({ context, signal })
    }
    assert.equal((await runsOf(agentId)).length, 1)
    const [schedule] = (await team.call(`GET /v2/agents/${agentId}/schedules`)).body.schedules
    assert.equal(schedule.enabled, true)
    assert.equal(schedule.last_skipped_reason, 'Tested is paused. A member can resume it.')
    const misses = await sql<{ reason: string }>`select reason from schedule_misses where schedule_id = ${made.id}`
    assert.deepEqual(new Set(misses.map(({ reason }) => reason)), new Set(['paused']))
    assert.equal(misses.length, 12)
    await resume(team, agentId)
    await drainRuns(service)
    await due()
    await fireSchedules({ context, signal })
    assert.equal((await runsOf(agentId)).length, 2)
  },
)

proves(
  'schedules.misses',
  'a due time that was found too late, or finds no live build, is noted with its reason',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, echo)
    const cron = `${(new Date().getUTCMinutes() + 30) % 60} * * * *`
    const make = async (more: object) => {
      const body = { frequency: 'custom', cron, message: 'hello', ...more }
      return (await team.call(`POST /v2/agents/${agentId}/schedules`, { body })).body.id as string
    }
    const late = await make({ catch_up: 'none' })
    const inTime = await make({ catch_up: 'last' })
    await sql`update schedules set next_run_at = now() - interval '5 minutes' where id in (${late}, ${inTime})`
    await fireSchedules({ context, signal })
    const noted = await sql<{ schedule_id: string; reason: string }>`
    select schedule_id, reason from schedule_misses where team_id = ${team.id}`
    assert.deepEqual(noted, [{ schedule_id: late, reason: 'late' }])
    await sql`update builds set status = 'historic' where agent_id = ${agentId} and status = 'live'`
    await sql`update schedules set next_run_at = now() - interval '1 second' where id = ${inTime}`
    await drainRuns(service)
    await fireSchedules({ context, signal })
    const [last] = await sql<{ reason: string }>`
    select reason from schedule_misses where schedule_id = ${inTime} order by missed_at desc limit 1`
    assert.equal(last!.reason, 'no_live_build')
  },
)

proves(
  'agents.pause',
  'what comes in for a trigger of a paused agent waits, and starts when it is resumed',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, echo)
    const { body } = await team.call(`POST /v2/agents/${agentId}/triggers`, { body: { kind: 'webhook' } })
    await pause(team, agentId)
    const { pathname } = new URL(body.trigger.webhook.url)
    assert.equal((await service.call(`POST ${pathname}`, { body: { number: 4711 } })).status, 202)
    await startDeliveries({ context, signal })
    const states = async () =>
      (await team.call(`GET /v2/triggers/${body.trigger_id}/deliveries`)).body.deliveries.map(
        ({ status }: { status: string }) => status,
      )
    assert.deepEqual([await states(), (await runsOf(agentId)).length], [['waiting'], 0])
    await resume(team, agentId)
    await startDeliveries({ context, signal })
    assert.deepEqual([await states(), (await runsOf(agentId)).length], [['started'], 1])
  },
)

proves(
  'agents.pause',
  'cases of a paused agent wait, the queue says why, and they start when it is resumed',
  async () => {
    const team = await seedTeam(service)
    const queueId = await seedQueue(team)
    const agentId = await seedWorker(team, queueId)
    await pause(team, agentId)
    await seedCases(team, queueId, 2)
    const work = dispatcherOf(context).work()
    await work.poll()
    const { body } = await team.call(`GET /v2/queues/${queueId}/why`)
    assert.deepEqual(
      [body.facts.agents[0].state, body.reasons[0].says],
      ['agent_paused', 'The agent is paused: Tested. Resume it.'],
    )
    assert.equal((await runsOf(agentId)).length, 0)
    await resume(team, agentId)
    while ((await runsOf(agentId)).length < 2) {
      await work.poll()
      await turn()
    }
    await work.stop()
  },
)

proves('agents.pause', 'a run that starts a paused agent reads why it was not started', async () => {
  const team = await seedTeam(service)
  const helper = await seedAgent(team, echo)
  await sql`update agents set name = 'Helper' where id = ${helper}`
  const caller = await seedAgent(team, block('agent name=Helper', 'Go.'), { subAgents: [helper] })
  await pause(team, helper, { reason: 'Closed today.' })
  const run = await startRun(team, caller)
  await drainRuns(service)
  const { status, error } = await readRun(team, run)
  assert.equal(status, 'failed')
  assert.match(error.message, /Helper is paused: Closed today/)
})
