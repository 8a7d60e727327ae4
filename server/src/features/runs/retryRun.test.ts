// Retrying: a new run of what the old one was asked, from the start or from one of its steps, with the same past for its model.
import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { newId } from '../../base/ids.ts'
import { entriesOf, readMessages } from '../../engine/ledger/history.ts'
import { drainRuns, readEvents, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { sql } = service.context.db

const block = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`
/** Steps 1 (memory), 2 (approval), 3 (memory), then the output. */
const procedure = [
  block('memory path=first.md', 'For {{ message }}'),
  block('approve id=ok', 'Go on?'),
  block('memory path=second.md', 'Allowed: {{ steps.ok.output.approved }}'),
  block('output', '{{ message }} {{ steps.ok.output.comment }}'),
].join('\n')

const retry = (team: TestTeam, runId: string, body: object = {}) => team.call(`POST /v2/runs/${runId}/retry`, { body })

async function respond(team: TestTeam, runId: string, body: object): Promise<void> {
  const { pending_human_request } = (await team.call(`GET /v2/runs/${runId}`)).body
  const answer = await team.call(`POST /v2/runs/${runId}/human-requests/${pending_human_request.id}/respond`, { body })
  assert.equal(answer.status, 200, answer.text)
  await drainRuns(service)
}

/** A run of the procedure that has come to its end. */
async function endedRun(team: TestTeam) {
  const agentId = await seedAgent(team, procedure, { limits: { max_steps: 50 } })
  const runId = await startRun(team, agentId, {
    message: 'Invoice 1',
    title: 'One',
    metadata: { a: 1 },
    limits: { max_steps: 20 },
  })
  await drainRuns(service)
  await respond(team, runId, { approved: true, comment: 'yes' })
  assert.equal((await readRun(team, runId)).output, 'Invoice 1 yes')
  return { agentId, runId }
}

/** What the model of a run is fed with, up to a turn, with the calls' ids as they would be in another run. */
async function pastOf(runId: string, asOf: string, turn = Infinity) {
  const messages = (await readMessages(sql, runId, 0)).filter((message) => message.turn < turn)
  return JSON.stringify(entriesOf(messages)).replaceAll(`${runId}:`, `${asOf}:`)
}

const origin = ({ retry_of_run_id, retried_from_step }: Record<string, unknown>) => ({
  retry_of_run_id,
  retried_from_step,
})

describe('a retry', () => {
  proves('retry.start', 'from the start is a new run with what the old one was given', async () => {
    const team = await seedTeam(service)
    const { runId } = await endedRun(team)
    const { status, body } = await retry(team, runId)
    assert.equal(status, 201)
    assert.equal(body.run_id, body.run.id)
    const old = await readRun(team, runId)
    for (const field of ['agent_id', 'build_id', 'message', 'title', 'metadata', 'limits', 'callback_url']) {
      assert.deepEqual(body.run[field], old[field], field)
    }
    assert.deepEqual([body.status, body.run.source, body.run.usage.steps], ['pending', 'retry', 0])
    assert.deepEqual([body.run.retry_of_run_id, body.run.retried_from_step], [runId, null])
    await drainRuns(service)
    await respond(team, body.run_id, { approved: true, comment: 'again' })
    assert.equal((await readRun(team, body.run_id)).output, 'Invoice 1 again')
    assert.deepEqual(await readRun(team, runId), old)
  })

  proves(
    'retry.fromStep',
    'from a step has the same past up to that turn, takes the turn again, and asks nobody twice',
    async () => {
      const team = await seedTeam(service)
      const { runId } = await endedRun(team)
      // what a provider's driver left with the first turn must come back to it unread and unchanged
      const opaque = { model: 'x:y', seen: 1, parts: [{ kind: 'call', id: 'call_ü', meta: { p: { sig: 'AbC==' } } }] }
      await sql`
      update run_messages set opaque = ${JSON.stringify(opaque)}::jsonb where run_id = ${runId} and type = 'tool_call' and turn = 1`
      const { status, body, text } = await retry(team, runId, { from_step: 3 })
      assert.equal(status, 201, text)
      const id = body.run_id
      const past = await pastOf(id, id)
      assert.equal(past, await pastOf(runId, id, 3))
      assert.ok(past.includes('call_ü') && !past.includes(runId))
      const steps = (run: string) => sql`
      select seq, turn, kind, tool, arguments, state, attempt, result, error from run_steps where run_id = ${run} and turn < 3 order by seq`
      assert.deepEqual(await steps(id), await steps(runId))
      const [row] = await sql`select message_seq, event_seq, steps, input_tokens from runs where id = ${id}`
      assert.deepEqual(row, { message_seq: 5, event_seq: 1, steps: 2, input_tokens: 0 })
      await drainRuns(service)
      const run = await readRun(team, id)
      assert.deepEqual([run.status, run.output, run.usage.steps], ['completed', 'Invoice 1 yes', 3])
      assert.deepEqual(await sql`select id from human_requests where run_id = ${id}`, [])
      const messages = await sql<{ seq: number }>`select seq from run_messages where run_id = ${id} order by seq`
      assert.deepEqual(
        messages.map(({ seq }) => seq),
        messages.map((_, index) => index + 1),
      )
      const told = await readEvents(service, id)
      assert.deepEqual(
        told.slice(0, 3).map(({ event, data }) => [event, data.message?.seq]),
        [
          ['run.message.created', 1],
          ['run.started', undefined],
          ['run.message.created', 6],
        ],
      )
    },
  )

  proves('retry.fromStep', 'from a step of a later stretch takes the earlier ones with it', async () => {
    const team = await seedTeam(service)
    const { runId } = await endedRun(team)
    await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'Invoice 2' } })
    await drainRuns(service)
    await team.call(`POST /v2/runs/${runId}/messages`, { body: { message: 'not before the answer' } })
    await respond(team, runId, { approved: true, comment: 'second' })
    assert.equal((await readRun(team, runId)).output, 'Invoice 2 second')
    const [step] = await sql<{ turn: number }>`select turn from run_steps where run_id = ${runId} and seq = 5`
    const { body } = await retry(team, runId, { from_step: 5 })
    assert.equal(await pastOf(body.run_id, body.run_id), await pastOf(runId, body.run_id, step!.turn))
    await drainRuns(service)
    await respond(team, body.run_id, { approved: true, comment: 'third' })
    assert.equal((await readRun(team, body.run_id)).output, 'Invoice 2 third')
  })

  proves('retry.fromStep', 'of a run without a message, and from its first step, begins with nothing', async () => {
    const team = await seedTeam(service)
    const runId = await startRun(team, await seedAgent(team, `${block('approve', 'Go?')}\n${block('output', 'done')}`))
    await drainRuns(service)
    await respond(team, runId, { approved: true })
    const { body } = await retry(team, runId, { from_step: 1 })
    const [row] = await sql`select message_seq, event_seq, steps from runs where id = ${body.run_id}`
    assert.deepEqual(row, { message_seq: 0, event_seq: 0, steps: 0 })
    await drainRuns(service)
    await respond(team, body.run_id, { approved: true })
    assert.equal((await readRun(team, body.run_id)).output, 'done')
  })

  proves('retry.origin', 'names its origin, and other runs have none', async () => {
    const team = await seedTeam(service)
    const { runId } = await endedRun(team)
    const { body } = await retry(team, runId, { from_step: 3 })
    assert.deepEqual(origin(await readRun(team, body.run_id)), { retry_of_run_id: runId, retried_from_step: 3 })
    assert.deepEqual(origin(await readRun(team, runId)), { retry_of_run_id: null, retried_from_step: null })
    const [row] = await sql`select copied_steps from runs where id = ${body.run_id}`
    assert.deepEqual(row, { copied_steps: 2 })
  })

  proves('retry.build', 'can continue with another build of the agent, and with no other’s', async () => {
    const team = await seedTeam(service)
    const { agentId, runId } = await endedRun(team)
    const config = {
      version: 'v2',
      data: { input: procedure.replace('{{ message }} ', 'Mended: '), limits: { max_steps: 10 } },
    }
    const draft = await team.call(`POST /v2/agents/${agentId}/revisions`, { body: { config } })
    const { body } = await retry(team, runId, { from_step: 3, build_id: draft.body.build_id })
    assert.deepEqual([body.run.build_id, body.run.limits.max_steps], [draft.body.build_id, 10])
    await drainRuns(service)
    assert.equal((await readRun(team, body.run_id)).output, 'Mended: yes')
    const other = await team.call('POST /v2/teams/:teamId/agents', { body: {} })
    for (const build_id of [other.body.build_id, newId(), 'none']) {
      assert.equal((await retry(team, runId, { build_id })).status, 404)
    }
  })

  proves(
    'retry.refused',
    'is refused while the run is active, for a step that is not a call, and when agent or log are gone',
    async () => {
      const team = await seedTeam(service)
      const { agentId, runId } = await endedRun(team)
      for (const from_step of [4, 99]) {
        const none = await retry(team, runId, { from_step })
        assert.deepEqual([none.status, none.body.error], [400, 'invalid_request'])
        assert.match(none.body.message, /from_step/)
      }
      for (const from_step of [0, -1, 1.5, '3']) assert.equal((await retry(team, runId, { from_step })).status, 400)
      await sql`update run_steps set kind = 'model' where run_id = ${runId} and seq = 1`
      assert.equal((await retry(team, runId, { from_step: 1 })).status, 400)
      const active = await startRun(team, agentId)
      assert.deepEqual((await retry(team, active)).body.error, 'conflict')
      await sql`update runs set log_erased_at = now() where id = ${runId}`
      assert.equal((await retry(team, runId, { from_step: 3 })).body.error, 'conflict')
      assert.equal((await retry(team, runId)).status, 201)
      await team.call(`DELETE /v2/agents/${agentId}`)
      assert.equal((await retry(team, runId)).body.error, 'conflict')
    },
  )
})
