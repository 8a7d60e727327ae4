// Replays of a team with guardrails: nothing stops, asks about or counts a replay, and what they did to the recorded run is part of the record.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startFakeAnthropic } from '../../../test/fakes/anthropic.ts'
import { seedColleague } from '../../../test/kit/cases.ts'
import { setRules, stopsOf } from '../../../test/kit/guardrails.ts'
import { proves } from '../../../test/kit/proves.ts'
import { startReceiver } from '../../../test/kit/receiver.ts'
import { draftOf, recordedSet, replayed, reportsOf } from '../../../test/kit/replays.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'

const provider = await startFakeAnthropic()
after(() => provider.close())
const receiver = await startReceiver()
const service = await testApp({
  config: { allowPrivateHosts: ['127.0.0.1'], anthropicKey: 'sk-ant-canary-1234567890', anthropicUrl: provider.url },
})
const { sql } = service.context.db
const block = (words: string, body: string): string => `\`\`\`${words}\n${body}\n\`\`\`\n\n`
const sends = block('http id=it', `POST ${receiver.url}/it`) + block('output', 'sent {{ steps.it.output.status }}')
const names = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const weekday = new Date().getUTCDay()
/** Quiet hours may not cover the whole week. */
const daysAround = [-1, 0, 1].map((days) => names[(weekday + days + 7) % 7])

/** Everything that guardrails count, note or open. */
async function judged(team: TestTeam): Promise<object> {
  const { today } = (await team.call('GET /v2/teams/:teamId/guardrails')).body
  const [counts] = await sql`
    select (select count(*) from human_requests where team_id = ${team.id}) as requests,
      (select count(*) from guardrail_holds where team_id = ${team.id}) as holds`
  return { today, stops: await stopsOf(team), ...counts, calls: receiver.received.length }
}

const kindsOf = ({ report }: { report: { findings: { kind: string }[] } }) => report.findings.map(({ kind }) => kind)

proves('replays.guardrails', 'no rule stops, counts or asks about a replay', async () => {
  const team = await seedTeam(service)
  // two people can be asked only where there are two
  await seedColleague(team, 'Colleague', ['*'])
  const agentId = await seedAgent(team, sends)
  await startRun(team, agentId)
  await drainRuns(service)
  const setId = await recordedSet(team, agentId)
  await setRules([service], team, {
    always_ask: ['http_*'],
    two_person: ['http_request'],
    allowed_hosts: ['api.example.com'],
    runs_per_day: 1,
    outside_calls_per_day: 1,
    cost_usd_per_day: '0.01',
    quiet_hours: [{ days: daysAround, from: '00:00', to: '24:00' }],
    time_zone: 'UTC',
  })
  const before = await judged(team)
  const replay = await replayed(service, team, setId)
  assert.deepEqual([replay.runs_same, replay.match], [1, 1], JSON.stringify(await reportsOf(team, replay.id)))
  assert.deepEqual(await judged(team), before)
})

proves('replays.guardrails', 'where guardrails asked or refused, the build is not said to differ', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, sends)
  await setRules([service], team, { always_ask: ['http_*'] })
  const asked = await startRun(team, agentId)
  await drainRuns(service)
  const { id } = (await team.call(`GET /v2/runs/${asked}`)).body.pending_human_request
  await team.call(`POST /v2/runs/${asked}/human-requests/${id}/respond`, { body: { approved: true } })
  await drainRuns(service)
  assert.equal((await readRun(team, asked)).output, 'sent 200')
  await setRules([service], team, { allowed_hosts: ['api.example.com'] })
  const refused = await startRun(team, agentId)
  await drainRuns(service)
  assert.equal((await readRun(team, refused)).status, 'failed')
  const setId = await recordedSet(team, agentId)
  const replay = await replayed(service, team, setId)
  const reports = await reportsOf(team, replay.id)
  assert.equal(replay.runs_same, 2, JSON.stringify(reports.map(kindsOf)))
  const build_id = await draftOf(team, agentId, sends, { approvals: { http_request: 'always' } })
  const asking = await reportsOf(team, (await replayed(service, team, setId, { build_id })).id)
  assert.deepEqual(
    asking.map(kindsOf),
    [[], ['approval_added']],
    'a build that asks adds nothing where people were asked anyway',
  )
})

const answer = () => provider.answer({ text: 'Done.', usage: { input: 1000, output: 1000 } })

proves('replays.guardrails', 'what models cost in a replay is not part of the day’s money', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, 'Do it.', { models: { agent: { model: 'anthropic:claude-sonnet-4-5' } } })
  answer()
  const runId = await startRun(team, agentId)
  await drainRuns(service)
  const { usage } = await readRun(team, runId)
  const setId = await recordedSet(team, agentId)
  await setRules([service], team, { cost_usd_per_day: String(usage.cost_usd) })
  const before = await judged(team)
  answer()
  const replay = await replayed(service, team, setId)
  assert.deepEqual([replay.runs_same, Number(replay.cost_usd)], [1, Number(usage.cost_usd)])
  assert.deepEqual(await judged(team), before)
})
