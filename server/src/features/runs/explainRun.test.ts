// Why a run is where it is: one case for every state.
import assert from 'node:assert/strict'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { insertRun, insertStep, type RunRow } from '../../../test/kit/seedRuns.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { spanOf } from './duration.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const team = await seedTeam(service)
const { body: made } = await team.call('POST /v2/teams/:teamId/agents', { body: { name: 'Triage' } })
// in whole hours, so that no second that a test takes shows in a sentence
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000)
const ahead = (hours: number) => new Date(Date.now() + hours * 3_600_000 + 30_000)

const runIn = (row: Omit<RunRow, 'team_id' | 'agent_id' | 'build_id'>, owner: TestTeam = team, agent = made) =>
  insertRun(team.sql, { team_id: owner.id, agent_id: agent.agent_id, build_id: agent.build_id, ...row })

async function explained(id: string, owner: TestTeam = team) {
  const { body } = await owner.call(`GET /v2/runs/${id}/why`)
  assert.equal(body.run_id, id)
  return body
}

const why = async (id: string): Promise<string> => (await explained(id)).why

async function processOf(role: string): Promise<string> {
  const id = newId()
  await team.sql`insert into processes (id, role, host, pid) values (${id}, ${role}, 'alpha', 4711)`
  return id
}

proves(
  'runs.whyPending',
  'pending: on the waitlist with its position and what is before it, or with a slot and no worker yet',
  async () => {
    const other = await seedTeam(service)
    const { body: agent } = await other.call('POST /v2/teams/:teamId/agents', { body: { name: 'Busy' } })
    await team.sql`insert into admission (team_id, places, held, in_line) values (${other.id}, 2, 2, 3)`
    await runIn({ status: 'pending', queued_at: ago(9) }, other, agent)
    await runIn({ status: 'waiting', queued_at: ago(1), is_woken: true }, other, agent)
    const id = await runIn({ status: 'pending', queued_at: ago(3) }, other, agent)
    await runIn({ status: 'pending', queued_at: ago(2) }, other, agent)
    const { why: sentence, facts } = await explained(id, other)
    assert.equal(
      sentence,
      'It has waited for a slot for 3 h, as number 3: all 2 slots of the team are held (max_concurrent_runs).',
    )
    assert.deepEqual(facts.line, {
      position: 3,
      places_held: 2,
      places_total: 2,
      agent_places_held: 0,
      agent_places_total: null,
    })
    assert.match(facts.ended_by, /a run of the team that ends/)

    const ready = await runIn({ status: 'pending', admitted_at: ago(5) })
    assert.match(await why(ready), /^It has a slot, but no living worker takes it: start a process/)
    const worker = await processOf('worker')
    assert.equal(await why(ready), 'It has a slot and has waited for a free worker for 5 h.')
    assert.equal((await explained(ready)).facts.workers, 1)
    await team.sql`delete from processes where id = ${worker}`
    assert.match(await why(await runIn({ status: 'pending' })), /^It was just created/)
  },
)

proves('runs.whyPending', 'pending: a build that limits how many of its runs work at once is named', async () => {
  const config = { version: 'v2', data: { input: 'Do it.', limits: { max_concurrent_runs: 1 } } }
  const { body: agent } = await team.call('POST /v2/teams/:teamId/agents', { body: { build: { config } } })
  await team.sql`insert into admission (team_id) values (${team.id}) on conflict do nothing`
  await runIn({ status: 'running', admitted_at: ago(9) }, team, agent)
  const id = await runIn({ status: 'pending', queued_at: ago(3) }, team, agent)
  assert.equal(
    await why(id),
    'It has waited for a slot for 3 h, as number 1: its build lets 1 of its agent’s runs work at once, and 1 do.',
  )
  await team.sql`update runs set queued_at = null where id = ${id}`
})

proves('runs.whyRunning', 'running: who works on it, since when, and on what', async () => {
  const worker = await processOf('all')
  const id = await runIn({ status: 'running', worker, admitted_at: ago(6), running_since: ago(6) })
  assert.equal(await why(id), 'Process 4711 on alpha has worked on it for 6 h and is between two steps.')
  await insertStep(team.sql, {
    run_id: id,
    seq: 1,
    kind: 'tool',
    tool: 'http_request',
    state: 'intent',
    started_at: ago(4),
  })
  assert.equal(
    await why(id),
    'Process 4711 on alpha has worked on it for 6 h; its step 1, http_request, has been under way for 4 h.',
  )
  const asking = await runIn({ status: 'running', worker, running_since: ago(20) })
  await insertStep(team.sql, {
    run_id: asking,
    seq: 1,
    kind: 'model',
    tool: 'openai:some',
    state: 'intent',
    attempt: 3,
    error: 'It answered 429.',
    started_at: ago(15),
  })
  const { why: sentence, facts } = await explained(asking)
  assert.equal(
    sentence,
    'Process 4711 on alpha has worked on it for 20 h; it has been asking openai:some for 15 h (attempt 3, after: It answered 429).',
  )
  assert.deepEqual([facts.worker.id, facts.step.attempt, facts.step.last_error], [worker, 3, 'It answered 429.'])
  await team.sql`delete from processes where id = ${worker}`
  assert.match(await why(asking), /^The process that worked on it is gone/)
})

proves('runs.whyWaiting', 'waiting: for a person, by name, with what happens when nobody answers', async () => {
  const waiting = { kind: 'human', since: ago(2), detail: {} }
  const id = await runIn({ status: 'waiting', waiting_on: waiting })
  assert.match(await why(id), /has answered, and it is about to continue/)
  const expires = ahead(3)
  await team.sql`
    insert into human_requests (id, team_id, run_id, step, type, title, expires_at, on_timeout, assignee_user_id)
    values (${newId()}, ${team.id}, ${id}, 1, 'approval', 'Pay invoice 4711?', ${expires}, 'reject', ${team.memberId})`
  const { why: sentence, facts } = await explained(id)
  assert.equal(
    sentence,
    `It has waited for 2 h for Tester to answer: “Pay invoice 4711?” (approval); if nobody answers until ${expires.toISOString()}, it counts as refused.`,
  )
  assert.deepEqual([facts.until, facts.human_request.assignee_name], [expires.toISOString(), 'Tester'])
  assert.match(facts.ended_by, /approvals:write/)
})

proves(
  'runs.whyWaiting',
  'waiting: for a time, for a model in trouble, for another run, for a connection, for a place',
  async () => {
    const until = ahead(7)
    const timed = await runIn({
      status: 'waiting',
      waiting_on: { kind: 'time', since: ago(5), detail: {} },
      due_at: until,
    })
    assert.equal(await why(timed), `It postponed itself 5 h ago and resumes at ${until.toISOString()}, in 7 h.`)

    const detail = { reason: 'model_unavailable', message: 'The provider answered 529.' }
    const troubled = await runIn({
      status: 'waiting',
      waiting_on: { kind: 'time', since: ago(5), detail },
      due_at: until,
    })
    await insertStep(team.sql, {
      run_id: troubled,
      seq: 1,
      kind: 'model',
      tool: 'anthropic:some',
      state: 'waiting',
      attempt: 4,
    })
    assert.equal(
      await why(troubled),
      `anthropic:some is in trouble (The provider answered 529); attempt 4 follows at ${until.toISOString()}, in 7 h.`,
    )

    const parent = await runIn({ status: 'waiting' })
    const child = await runIn({ status: 'running', parent_run_id: parent, title: 'Below' })
    const onChild = { kind: 'sub_run', since: ago(25), detail: { run_id: child, agent_name: 'Triage' } }
    await team.sql`update runs set waiting_on = ${JSON.stringify(onChild)}::jsonb where id = ${parent}`
    assert.equal(await why(parent), `It has waited for 1 d 1 h for the run ${child} of Triage, which is running.`)
    assert.equal((await explained(parent)).facts.sub_run.id, child)

    const broken = { connection_id: newId(), name: 'Our CRM', provider: 'github', reason: 'The grant was revoked.' }
    const connection = await runIn({
      status: 'waiting',
      waiting_on: { kind: 'connection', since: ago(8), detail: broken },
    })
    assert.equal(
      await why(connection),
      'It has waited for 8 h for the connection Our CRM to be authorised again: The grant was revoked.',
    )

    const capacity = { kind: 'capacity', since: ago(4), detail: { after: { kind: 'human' } } }
    const inLine = await runIn({ status: 'waiting', waiting_on: capacity, queued_at: ago(4), is_woken: true })
    assert.match(await why(inLine), /^What it waited for has come. It has waited for a slot for 4 h, as number 1: /)
    const admitted = await runIn({ status: 'waiting', waiting_on: onChild, admitted_at: ago(1) })
    assert.match(await why(admitted), /^What it waited for has come; it has a slot/)
  },
)

proves('runs.whyEnded', 'ended: when, and in plain words what went wrong or who stopped it', async () => {
  const ended = { started_at: ago(100), completed_at: ago(11) }
  assert.equal(await why(await runIn({ status: 'completed', ...ended })), 'It completed 11 h ago.')
  const error = {
    code: 'limit_reached',
    message: 'The run has taken 200 steps, and its limit max_steps is 200.',
    step: 200,
  }
  const failed = await explained(await runIn({ status: 'failed', ...ended, error }))
  assert.equal(
    failed.why,
    'It failed at step 200 11 h ago: The run has taken 200 steps, and its limit max_steps is 200 ' +
      '(raise that limit in its build, or give it less to do).',
  )
  assert.deepEqual(failed.facts.error, error)
  assert.match(await why(await runIn({ status: 'stopped', ...ended })), /who asked for that is not on record/)

  const stopped = await runIn({ status: 'waiting', waiting_on: { kind: 'sub_run', since: ago(1), detail: {} } })
  const below = await runIn({ status: 'pending', parent_run_id: stopped })
  await team.call(`POST /v2/runs/${stopped}/stop`)
  assert.match(await why(stopped), /^Tester stopped it \d+ m?s ago\.$/)
  assert.match(await why(below), /together with the run that had started it/)

  const agentId = await seeders['agent']!(team, {})
  const orphan = await runIn({ status: 'pending' }, team, { agent_id: agentId, build_id: made.build_id })
  await team.call(`DELETE /v2/agents/${agentId}`)
  assert.match(await why(orphan), /because its agent was deleted/)
})

proves('runs.why', 'spans of time are said in their two largest units', () => {
  assert.deepEqual([0, 340, 1000, 61_000, 3_600_000, 7_500_000, 90_000_000, 86_400_000 * 3 + 5000].map(spanOf), [
    '0 ms',
    '340 ms',
    '1 s',
    '1 min 1 s',
    '1 h',
    '2 h 5 min',
    '1 d 1 h',
    '3 d',
  ])
})
