// The durable run from start to end: what each state leaves, and that a crash at any point changes nothing of it.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { newId } from '../base/ids.ts'
import { startReceiver } from '../../test/kit/receiver.ts'
import { drainRuns, readEvents, readRun, seedAgent, startRun } from '../../test/kit/runs.ts'
import { seedTeam } from '../../test/kit/seed.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { recount } from './admission/admission.ts'
import { claimRuns, reviveRuns } from './admission/claim.ts'
import { applyChanges } from './ledger/apply.ts'
import { addMessage, newChange } from './ledger/change.ts'
import { proves } from '../../test/kit/proves.ts'

const service = await testApp({ config: { allowPrivateHosts: ['127.0.0.1'] } })
const { sql } = service.context.db

const fenced = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`
const small = `# Keep\n\n${fenced('memory path=last.md', 'Last: {{ message }}')}\n${fenced('output', 'kept {{ message }}')}`

suite('a run', () => {
  proves('runs.whole', 'goes from its start to its output, and its log tells all of it in order', async () => {
    const team = await seedTeam(service)
    const runId = await startRun(team, await seedAgent(team, small), { message: 'hello' })
    assert.equal((await readRun(team, runId)).status, 'pending')
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.deepEqual([run.status, run.output, run.usage.steps], ['completed', 'kept hello', 1])
    const events = await readEvents(service, runId)
    assert.deepEqual(
      events.map(({ event }) => event),
      [
        'run.message.created',
        'run.started',
        'run.message.created',
        'run.message.created',
        'run.tool_call.completed',
        'run.message.created',
        'run.completed',
      ],
    )
    assert.deepEqual(events.at(-1)!.data.usage, run.usage)
    const { body } = await team.call(`GET /v2/agents/${run.agent_id}/memory/files/last.md`)
    assert.deepEqual([body.content, body.source_type, body.source_run_id], ['Last: hello', 'run', runId])
  })

  proves('runs.approval', 'waits for a person as rows only, and continues with their answer', async () => {
    const team = await seedTeam(service)
    const procedure = `${fenced('approve', 'Pay 12 EUR?\nTo: somebody')}\n${fenced('output', 'paid')}`
    const runId = await startRun(team, await seedAgent(team, procedure))
    await drainRuns(service)
    const { body } = await team.call(`GET /v2/runs/${runId}`)
    assert.deepEqual([body.status, body.run.waiting_on.kind], ['waiting', 'human'])
    const request = body.pending_human_request
    assert.deepEqual([request.type, request.title, request.status], ['approval', 'Pay 12 EUR?', 'pending'])
    const [row] = await sql`select worker, admitted_at from runs where id = ${runId}`
    assert.deepEqual(row, { worker: null, admitted_at: null })

    const answer = await team.call(`POST /v2/runs/${runId}/human-requests/${request.id}/respond`, {
      body: { approved: true },
    })
    assert.equal(answer.status, 200, answer.text)
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).output, 'paid')
    const names = (await readEvents(service, runId)).map(({ event }) => event)
    assert.equal(names.filter((name) => name === 'run.paused').length, 1)
    assert.ok(names.indexOf('human_request.created') < names.indexOf('run.paused'))
    assert.ok(names.indexOf('human_request.responded') < names.indexOf('run.completed'))
  })

  proves('runs.wait', 'puts itself off until a time, and the clock wakes it', async () => {
    const team = await seedTeam(service)
    const runId = await startRun(team, await seedAgent(team, `${fenced('wait', '1h')}\n${fenced('output', 'later')}`))
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.deepEqual([run.status, run.waiting_on.kind], ['waiting', 'time'])
    assert.ok(Date.parse(run.postponed_to) > Date.now() + 3_500_000)
    const past = new Date(Date.now() - 1000).toISOString()
    await sql`
      update run_steps set result = jsonb_set(result, '{waiting_on,due_at}', to_jsonb(${past}::text)) where run_id = ${runId}`
    await sql`update runs set due_at = ${past} where id = ${runId}`
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).output, 'later')
  })

  proves('runs.subRun', 'starts another agent’s run, waits for it, and takes over its output', async () => {
    const team = await seedTeam(service)
    const child = await seedAgent(team, fenced('output', 'child says {{ message }}'))
    await team.call(`PATCH /v2/agents/${child}`, { body: { name: 'Child' } })
    const procedure = `${fenced('agent name=Child id=ask', 'do it')}\n${fenced('output', 'got {{ steps.ask.output.output }}')}`
    const runId = await startRun(team, await seedAgent(team, procedure, { subAgents: [child] }))
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.deepEqual([run.status, run.output], ['completed', 'got child says do it'])
    const [sub] = await sql`select source, parent_run_id, depth from runs where parent_run_id = ${runId}`
    assert.deepEqual(sub, { source: 'agent', parent_run_id: runId, depth: 1 })
  })

  proves(
    'runs.outputSchema',
    'of a runbook whose output does not fit its schema fails with the place that does not',
    async () => {
      const team = await seedTeam(service)
      const output_schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
      const misfit = await startRun(team, await seedAgent(team, fenced('output', '{"n": "many"}'), { output_schema }))
      const fit = await startRun(team, await seedAgent(team, fenced('output', '{"n": 3}'), { output_schema }))
      await drainRuns(service)
      const run = await readRun(team, misfit)
      assert.deepEqual([run.status, run.error.code], ['failed', 'output_invalid'])
      assert.match(run.error.message, /\/n/)
      assert.deepEqual((await readRun(team, fit)).output, { n: 3 })
    },
  )

  proves('runs.limits', 'fails at its limit of steps, and a start can only tighten it', async () => {
    const team = await seedTeam(service)
    const procedure = Array.from({ length: 5 }, (_, n) => fenced(`memory path=${n}.md`, 'x')).join('\n')
    const agentId = await seedAgent(team, procedure, { limits: { max_steps: 4 } })
    const loose = await startRun(team, agentId, { limits: { max_steps: 100 } })
    const tight = await startRun(team, agentId, { limits: { max_steps: 2 } })
    await drainRuns(service)
    for (const [runId, steps] of [
      [loose, 4],
      [tight, 2],
    ] as const) {
      const run = await readRun(team, runId)
      assert.deepEqual([run.status, run.error.code, run.usage.steps], ['failed', 'limit_reached', steps])
    }
  })
})

suite('a message to a run', () => {
  proves('runs.messages', 'starts an ended run again from its procedure, with its numbers going on', async () => {
    const team = await seedTeam(service)
    const runId = await startRun(team, await seedAgent(team, small), { message: 'one' })
    await drainRuns(service)
    const before = (await readEvents(service, runId)).length
    const { status, body } = await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'two' } })
    assert.deepEqual([status, body.status], [201, 'pending'])
    await drainRuns(service)
    const run = await readRun(team, runId)
    assert.deepEqual([run.status, run.output, run.usage.steps], ['completed', 'kept two', 2])
    const after = await readEvents(service, runId)
    assert.ok(after.length > before)
    assert.equal(after.filter(({ event }) => event === 'run.started').length, 1)
    assert.equal(after.filter(({ event }) => event === 'run.completed').length, 2)
  })

  proves('runs.messageKeepsWait', 'does not end a wait', async () => {
    const team = await seedTeam(service)
    const runId = await startRun(team, await seedAgent(team, `${fenced('approve', 'Go?')}\n${fenced('output', 'x')}`))
    await drainRuns(service)
    const { body } = await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'hurry' } })
    assert.equal(body.status, 'waiting')
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).status, 'waiting')
  })
})

const post = (url: string) => fenced('http id=pay', `POST ${url}/pay\n\nnow`)

/** A run that a worker has claimed; what the worker would write next is up to the test. */
async function claimedRun(procedure: string) {
  const team = await seedTeam(service)
  const runId = await startRun(team, await seedAgent(team, procedure, { plugins: ['http', 'human'] }))
  const worker = newId()
  await claimRuns(sql, worker, 100)
  const [run] = await sql<{ epoch: number }>`select epoch from runs where id = ${runId}`
  return { team, runId, worker, epoch: run!.epoch }
}

suite('a worker that dies', () => {
  proves('runs.fenced', 'can write nothing once its run was taken from it', async () => {
    const { team, runId, worker, epoch } = await claimedRun(small)
    await reviveRuns(sql, { id: worker, role: 'worker', is_news: true })
    const change = newChange({ id: runId, team_id: team.id, epoch, message_seq: 0 }, 1)
    addMessage(change, { type: 'text', role: 'assistant', text_content: 'from the grave' })
    const { applied } = await applyChanges(sql, [change])
    assert.equal(applied[0]!.outcome, 'fenced')
    await drainRuns(service)
    assert.equal((await readRun(team, runId)).status, 'completed')
    const { body } = await team.call(`GET /v2/runs/${runId}/messages`)
    assert.ok(!JSON.stringify(body).includes('from the grave'))
  })

  proves(
    'runs.inDoubt',
    'leaves a POST in doubt: a person is asked, and it is made again only if they say so',
    async () => {
      const receiver = await startReceiver()
      const { team, runId, worker } = await claimedRun(`${post(receiver.url)}\n${fenced('output', 'done')}`)
      await sql`
      insert into run_steps (run_id, seq, turn, kind, tool, arguments, state, started_at)
      values (${runId}, 1, 1, 'tool', 'http_request', ${JSON.stringify({ method: 'POST', url: `${receiver.url}/pay`, body: 'now' })}, 'intent', now())`
      await sql`
      insert into run_messages (run_id, seq, id, turn, type, role, tool_call, "timestamp")
      values (${runId}, 1, ${newId()}, 1, 'tool_call', 'assistant',
        ${JSON.stringify({ id: `${runId}:1`, name: 'http_request', arguments: {} })}, now())`
      await sql`update runs set message_seq = 1, steps = 1 where id = ${runId}`
      await reviveRuns(sql, { id: worker, role: 'worker', is_news: true })
      await drainRuns(service)
      const { body } = await team.call(`GET /v2/runs/${runId}`)
      assert.equal(body.status, 'waiting')
      assert.equal(body.pending_human_request.title, 'Outcome unknown: http_request')
      assert.equal(receiver.received.length, 0)

      const [question] = body.pending_human_request.questions
      const answers = { [question.question]: question.options[1].label }
      await team.call(`POST /v2/runs/${runId}/human-requests/${body.pending_human_request.id}/respond`, {
        body: { answers },
      })
      await drainRuns(service)
      assert.deepEqual([receiver.received.length, receiver.received[0]!.headers['idempotency-key']], [1, `${runId}:1`])
      assert.equal((await readRun(team, runId)).output, 'done')
    },
  )
})

suite('places', () => {
  proves('runs.places', 'bound how many runs of a team work at once, and the others follow', async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, small)
    await startRun(team, agentId)
    await sql`update admission set places = 2 where team_id = ${team.id}`
    await drainRuns(service)
    const ids = []
    for (let n = 0; n < 5; n++) ids.push(await startRun(team, agentId, { message: `${n}` }))
    const [counts] = await sql`
      select (count(*) filter (where admitted_at is not null))::int as held, (count(*) filter (where queued_at is not null))::int as in_line
      from runs where team_id = ${team.id}`
    assert.deepEqual(counts, { held: 2, in_line: 3 })
    await drainRuns(service)
    for (const id of ids) assert.equal((await readRun(team, id)).status, 'completed')
    const [left] = await sql`select held, in_line from admission where team_id = ${team.id}`
    assert.deepEqual(left, { held: 0, in_line: 0 })
  })

  proves(
    'runs.uncounted',
    'that nobody lived to count are counted by whoever starts a run next, or by the sweep',
    async () => {
      const team = await seedTeam(service)
      const agentId = await seedAgent(team, small)
      await startRun(team, agentId)
      await drainRuns(service)
      // as a process leaves them that dies after the commit of two endings
      const die = () => sql`
      with full_ as (update admission set places = 2, held = 2 where team_id = ${team.id})
      insert into places_left (team_id, places) values (${team.id}, 2)`
      await die()
      const next = await startRun(team, agentId)
      const [row] = await sql`
      select admitted_at is not null as is_admitted, (select held from admission where team_id = ${team.id}) as held,
        (select count(*) from places_left where team_id = ${team.id}) as uncounted
      from runs where id = ${next}`
      assert.deepEqual(row, { is_admitted: true, held: 1, uncounted: 0 })
      await drainRuns(service)
      await die()
      await recount(service.context.db)
      const [counted] = await sql`select held from admission where team_id = ${team.id}`
      assert.equal(counted!.held, 0)
      assert.deepEqual(await sql`select from places_left where team_id = ${team.id}`, [])
    },
  )
})
