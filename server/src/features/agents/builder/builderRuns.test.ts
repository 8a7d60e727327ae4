// Builder runs as users meet them, with the builder that needs no model: begun, asked, answered, accepted, discarded.
import assert from 'node:assert/strict'
import { newId } from '../../../base/ids.ts'
import { enqueueOn } from '../../../kit/job.ts'
import { drainRuns, seedAgent, startRun } from '../../../../test/kit/runs.ts'
import { generate, newDraft, readBuilderRun } from '../../../../test/kit/builder.ts'
import { seedTeam, type TestTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { finishQuestion, goalQuestion } from './deterministicBuilder.ts'
import { procedureTemplate } from '../builds/procedureTemplate.ts'
import { reviveBuilderRuns } from './reviveBuilderRuns.job.ts'
import { proves } from '../../../../test/kit/proves.ts'

const service = await testApp()
const { sql } = service.context.db

const wish = 'Sort the invoices. Check every amount. Done when all are filed.'

const readBuild = async (team: TestTeam, agentId: string, buildId: string) =>
  (await team.call(`GET /v2/agents/${agentId}/revisions/${buildId}`)).body.build

proves(
  'builder.generate',
  'a draft gets a proposal with its diff, which changes nothing before it is accepted',
  async () => {
    const team = await seedTeam(service)
    const { agentId, buildId } = await newDraft(team, procedureTemplate, { options: { colour: 'blue' } })
    const begun = await team.call(`POST /v2/revisions/${buildId}/generate`, { body: { prompt: `  ${wish}\n` } })
    assert.equal(begun.status, 202)
    const { builder_run, builder_run_id, build_id, status } = begun.body
    assert.deepEqual([builder_run.id, builder_run.build_id, builder_run.status], [builder_run_id, build_id, status])
    assert.deepEqual([build_id, status, builder_run.prompt], [buildId, 'pending', wish])
    assert.deepEqual([builder_run.started_at, builder_run.proposed_config, builder_run.progress], [null, null, []])
    await service.drain()
    const run = await readBuilderRun(team, builder_run_id)
    assert.equal(run.status, 'review')
    assert.notEqual(run.started_at, null)
    assert.equal(run.completed_at, null)
    const procedure = run.proposed_config.data.input
    assert.match(procedure, /^# Clerk\n\n## Goal\n\nSort the invoices\.\n\n## Steps\n\n1\. Check every amount\.\n/)
    assert.deepEqual(run.proposed_config.data.options, { colour: 'blue' })
    assert.deepEqual(run.checkpoint_config.data.input, procedureTemplate)
    assert.match(run.diff, /^--- current\n\+\+\+ proposed\n@@ /)
    assert.match(run.diff, /\n\+Sort the invoices\.\n/)
    assert.deepEqual((await team.call(`GET /v2/revisions/${buildId}/builder-run`)).body, {
      builder_run: run,
      builder_run_id,
      build_id: buildId,
      status: 'review',
    })
    const unchanged = await readBuild(team, agentId, buildId)
    assert.deepEqual([unchanged.config.data.input, unchanged.builder_run_id], [procedureTemplate, builder_run_id])

    const accepted = await team.call(`POST /v2/revisions/${buildId}/accept`)
    assert.equal(accepted.status, 200)
    assert.deepEqual([accepted.body.success, accepted.body.build_id], [true, buildId])
    assert.deepEqual(accepted.body.build.config, run.proposed_config)
    const ended = await readBuilderRun(team, builder_run_id)
    assert.equal(ended.status, 'completed')
    assert.notEqual(ended.completed_at, null)
  },
)

proves(
  'builder.generateCopies',
  'of a live or historic build a draft is made first, and that is what is written',
  async () => {
    const team = await seedTeam(service)
    const { agentId, buildId } = await newDraft(team, procedureTemplate)
    const { body } = await team.call(`GET /v2/agents/${agentId}`)
    const liveId = body.agent.live_build_id
    const first = await team.call(`POST /v2/revisions/${liveId}/generate`, { body: { prompt: wish } })
    const second = await team.call(`POST /v2/revisions/${liveId}/generate`, { body: { prompt: wish } })
    assert.deepEqual([first.status, second.status], [202, 202])
    assert.equal(new Set([liveId, buildId, first.body.build_id, second.body.build_id]).size, 4)
    const draft = await readBuild(team, agentId, first.body.build_id)
    assert.deepEqual([draft.status, draft.parent_build_id, draft.name], ['draft', liveId, 'Clerk'])
    assert.equal((await team.call(`POST /v2/revisions/${buildId}/promote`)).status, 200)
    const ofHistoric = await team.call(`POST /v2/revisions/${liveId}/generate`)
    assert.notEqual(ofHistoric.body.build_id, liveId)
  },
)

proves(
  'builder.oneActive',
  'a build has one active builder run, which blocks its promotion and its changes',
  async () => {
    const team = await seedTeam(service)
    const { buildId } = await newDraft(team, procedureTemplate)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => team.call(`POST /v2/revisions/${buildId}/generate`, { body: { prompt: wish } })),
    )
    const statuses = answers.map(({ status }) => status)
    assert.deepEqual(
      [statuses.filter((one) => one === 202).length, statuses.filter((one) => one === 409).length],
      [1, 7],
    )
    const refusedWith = async (route: string, body?: object) => {
      const answer = await team.call(route, { ...(body && { body }) })
      return [answer.status, answer.body.error]
    }
    const config = { version: 'v2', data: { input: 'Wait.' } }
    const active = [409, 'builder_run_active']
    assert.deepEqual(await refusedWith(`POST /v2/revisions/${buildId}/generate`), active)
    assert.deepEqual(await refusedWith(`POST /v2/revisions/${buildId}/promote`), active)
    assert.deepEqual(await refusedWith(`PATCH /v2/revisions/${buildId}`, { config }), active)
    assert.equal((await team.call(`PATCH /v2/revisions/${buildId}`, { body: { revision_name: 'New' } })).status, 200)
    await service.drain()
    assert.deepEqual(await refusedWith(`POST /v2/revisions/${buildId}/promote`), active)
    assert.equal((await team.call(`POST /v2/revisions/${buildId}/accept`)).status, 200)
    assert.equal((await team.call(`PATCH /v2/revisions/${buildId}`, { body: { config } })).status, 200)
    assert.equal((await team.call(`POST /v2/revisions/${buildId}/generate`)).status, 202)
    await team.call(`POST /v2/revisions/${buildId}/discard`)
    assert.equal((await team.call(`POST /v2/revisions/${buildId}/promote`)).status, 200)
  },
)

proves('builder.promoteRace', 'of a promotion and a generation at the same moment, either sees the other', async () => {
  const team = await seedTeam(service)
  for (let round = 0; round < 5; round++) {
    const { agentId, buildId } = await newDraft(team, procedureTemplate)
    const [promoted, begun] = await Promise.all([
      team.call(`POST /v2/revisions/${buildId}/promote`),
      team.call(`POST /v2/revisions/${buildId}/generate`, { body: { prompt: wish } }),
    ])
    const { status } = await readBuild(team, agentId, buildId)
    if (promoted.status === 200) assert.deepEqual([status, begun.body.build_id === buildId], ['live', false])
    else assert.deepEqual([status, promoted.body.error, begun.body.build_id], ['draft', 'builder_run_active', buildId])
  }
})

proves('builder.ask', 'a builder run asks what is unclear and continues when every question is answered', async () => {
  const team = await seedTeam(service)
  const { buildId } = await newDraft(team, procedureTemplate)
  const id = await generate(team, buildId, { prompt: '- Open the mailbox\n- Sort it' })
  await service.drain()
  const waiting = await readBuilderRun(team, id)
  assert.equal(waiting.status, 'waiting')
  assert.deepEqual(waiting.pending_user_questions, {
    questions: [
      { question: goalQuestion, header: 'Goal' },
      { question: finishQuestion, header: 'Finish' },
    ],
  })
  const resume = (answers: unknown) => team.call(`POST /v2/builder-runs/${id}/resume`, { body: { answers } })
  for (const answers of [{}, { [goalQuestion]: 'Tidy.' }, { [goalQuestion]: 'Tidy.', [finishQuestion]: [' '] }]) {
    const refused = await resume(answers)
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_request'])
    assert.ok(refused.body.message.includes(finishQuestion))
  }
  assert.equal((await resume('yes')).status, 400)
  const accepted = await team.call(`POST /v2/revisions/${buildId}/accept`)
  assert.deepEqual([accepted.status, accepted.body.error], [409, 'conflict'])
  assert.match(accepted.body.message, /waits for your answers/)

  const resumed = await resume({ [goalQuestion]: 'A tidy mailbox.', [finishQuestion]: 'It is empty.', else: 'ignored' })
  assert.deepEqual([resumed.status, resumed.body.status], [200, 'pending'])
  assert.equal(resumed.body.builder_run.pending_user_questions, null)
  assert.deepEqual((await resume({})).body.error, 'builder_run_not_waiting')
  await service.drain()
  const run = await readBuilderRun(team, id)
  assert.equal(run.status, 'review')
  assert.match(run.proposed_config.data.input, /A tidy mailbox\.[^]*3\. Done when: It is empty\./)
  assert.equal((await resume({ [goalQuestion]: 'x' })).status, 409)
})

proves('builder.ask', 'of two that answer at once, one is heard', async () => {
  const team = await seedTeam(service)
  const { buildId } = await newDraft(team, procedureTemplate)
  const id = await generate(team, buildId, { prompt: 'Sort the mails.' })
  await service.drain()
  const resumed = await Promise.all(
    ['When it is noon.', 'When it is night.'].map((answer) =>
      team.call(`POST /v2/builder-runs/${id}/resume`, { body: { answers: { [finishQuestion]: answer } } }),
    ),
  )
  assert.deepEqual(new Set(resumed.map(({ status }) => status)), new Set([200, 409]))
})

proves(
  'builder.discard',
  'discarding a proposal, or a builder run that waits or has not begun, leaves the draft as it was',
  async () => {
    const team = await seedTeam(service)
    const { agentId, buildId } = await newDraft(team, procedureTemplate)
    const prompts = { review: wish, waiting: '- Open it', pending: wish }
    for (const [status, prompt] of Object.entries(prompts)) {
      const id = await generate(team, buildId, { prompt })
      if (status !== 'pending') await service.drain()
      assert.equal((await readBuilderRun(team, id)).status, status)
      const { body } = await team.call(`POST /v2/revisions/${buildId}/discard`)
      assert.equal(body.build.config.data.input, procedureTemplate)
      await service.drain()
      const ended = await readBuilderRun(team, id)
      assert.equal(ended.status, 'discarded')
      assert.notEqual(ended.completed_at, null)
      assert.equal(ended.pending_user_questions, null)
    }
    assert.equal((await readBuild(team, agentId, buildId)).config.data.input, procedureTemplate)
    for (const verb of ['accept', 'discard']) {
      const refused = await team.call(`POST /v2/revisions/${buildId}/${verb}`)
      assert.deepEqual([refused.status, refused.body.error], [409, 'conflict'], verb)
    }
  },
)

proves('builder.stale', 'a decision on another builder run than the one that was read is refused', async () => {
  const team = await seedTeam(service)
  const { buildId } = await newDraft(team, procedureTemplate)
  const old = await generate(team, buildId, { prompt: wish })
  await team.call(`POST /v2/revisions/${buildId}/discard`)
  const id = await generate(team, buildId, { prompt: wish })
  await service.drain()
  const { started_at } = await readBuilderRun(team, id)
  const decide = async (verb: string, body: object) => {
    const answer = await team.call(`POST /v2/revisions/${buildId}/${verb}`, { body })
    return [answer.status, answer.body.error]
  }
  for (const verb of ['accept', 'discard']) {
    assert.deepEqual(await decide(verb, { builder_run_id: old }), [409, 'stale_review'])
    assert.deepEqual(await decide(verb, { expected_started_at: '2026-01-01T00:00:00Z' }), [409, 'stale_review'])
    assert.deepEqual(await decide(verb, { builder_run_id: newId() }), [404, 'not_found'])
    assert.deepEqual(await decide(verb, { expected_started_at: 'yesterday' }), [400, 'invalid_request'])
  }
  const offset = started_at.replace('Z', '+00:00')
  assert.deepEqual(await decide('accept', { builder_run_id: id, expected_started_at: offset }), [200, undefined])
})

proves(
  'builder.acceptChecks',
  'a config that the server no longer takes is refused when its proposal is accepted',
  async () => {
    const team = await seedTeam(service)
    const { agentId, buildId } = await newDraft(team, procedureTemplate)
    await generate(team, buildId, { prompt: wish })
    await service.drain()
    await sql`
    update builder_runs set proposed_config = jsonb_set(proposed_config, '{data,plugins}', '["gone"]') where build_id = ${buildId}`
    const refused = await team.call(`POST /v2/revisions/${buildId}/accept`)
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_request'])
    assert.match(refused.body.message, /"gone" is not a plugin/)
    assert.equal((await readBuild(team, agentId, buildId)).config.data.input, procedureTemplate)
    assert.equal((await team.call(`POST /v2/revisions/${buildId}/discard`)).status, 200)
  },
)

proves('builder.lesson', 'a builder run learns only from runs of the same agent', async () => {
  const team = await seedTeam(service)
  const { agentId, buildId } = await newDraft(team, 'Sort the mails well.\n\n```output\n{{ message }}\n```\n')
  const runId = await startRun(team, agentId, { message: 'all sorted' })
  await drainRuns(service)
  const elsewhere = await startRun(team, await seedAgent(team, procedureTemplate))
  for (const run_id of [elsewhere, newId(), 'no-id']) {
    const refused = await team.call(`POST /v2/revisions/${buildId}/generate`, { body: { run_id } })
    assert.deepEqual([refused.status, refused.body.error], [404, 'not_found'])
    assert.match(refused.body.message, /run_id/)
  }
  const id = await generate(team, buildId, { run_id: runId })
  await service.drain()
  const run = await readBuilderRun(team, id)
  assert.deepEqual([run.status, run.run_id, run.prompt], ['review', runId, ''])
  assert.match(run.diff, /\n\+- Run \d+ left this output: all sorted Its evaluation: \d+ of \d+ passed\.\n/)
})

proves('builder.lesson', 'a credential that may not read runs cannot have one learned from', async () => {
  const team = await seedTeam(service)
  const { agentId, buildId } = await newDraft(team, 'Sort the mails well.\n\n```output\n{{ message }}\n```\n')
  const run_id = await startRun(team, agentId, { message: 'in confidence' })
  await drainRuns(service)
  const asks = async (scopes: string[]) => {
    const made = await team.call('POST /v2/teams/:teamId/api-keys', { body: { name: scopes.join(), scopes } })
    const answer = await team.call(`POST /v2/revisions/${buildId}/generate`, {
      key: made.body.secret,
      body: { run_id },
    })
    return [answer.status, answer.body.error]
  }
  assert.deepEqual(await asks(['agents:read', 'agents:write']), [403, 'insufficient_scope'])
  assert.deepEqual(await sql`select 1 from builder_runs where build_id = ${buildId}`, [])
  assert.deepEqual(await asks(['agents:write', 'runs:read']), [202, undefined])
})

proves('builder.forgets', 'what was read of a run is kept only while it is needed, and goes with the run', async () => {
  const team = await seedTeam(service)
  const { agentId, buildId } = await newDraft(team, procedureTemplate)
  const runId = await startRun(team, agentId, { message: 'a secret' })
  await drainRuns(service)
  const id = await generate(team, buildId, { run_id: runId, prompt: '- Open it' })
  const kept = async () =>
    (await sql<{ text: string }>`select lesson::text || messages::text as text from builder_runs where id = ${id}`)[0]!
      .text
  assert.match(await kept(), /a secret/)
  assert.equal((await team.call(`DELETE /v2/runs/${runId}`)).status, 200)
  assert.equal(await kept(), null)
  await service.drain()
  assert.equal((await readBuilderRun(team, id)).status, 'waiting')
})

proves(
  'builder.nothing',
  'fails with a reason when there is nothing to change, or the words cannot become a procedure',
  async () => {
    const team = await seedTeam(service)
    const { buildId } = await newDraft(team, 'Sort the mails well.\n\n```output\ndone\n```\n')
    const nothing = await generate(team, buildId)
    await service.drain()
    const unchanged = await readBuilderRun(team, nothing)
    assert.deepEqual([unchanged.status, unchanged.error.code], ['failed', 'nothing_to_change'])
    assert.match(unchanged.error.message, /Give a prompt/)
    assert.notEqual(unchanged.completed_at, null)
    const id = await generate(team, buildId, { prompt: 'Then wait:\n\n```wait\nfor ever\n```' })
    await service.drain()
    const broken = await readBuilderRun(team, id)
    assert.deepEqual([broken.status, broken.error.code], ['failed', 'invalid_proposal'])
    assert.match(broken.error.message, /line 12: .*for ever/)
    assert.equal((await team.call(`POST /v2/revisions/${buildId}/generate`)).status, 202)
  },
)

proves('builder.agentDeleted', 'ends with its agent', async () => {
  const team = await seedTeam(service)
  const { agentId, buildId } = await newDraft(team, procedureTemplate)
  const id = await generate(team, buildId, { prompt: wish })
  await team.call(`DELETE /v2/agents/${agentId}`)
  await service.drain()
  const [row] = await sql`select status, completed_at is not null as ended from builder_runs where id = ${id}`
  assert.deepEqual(row, { status: 'discarded', ended: true })
  assert.equal((await team.call(`GET /v2/builder-runs/${id}/status`)).status, 404)
})

proves('builder.revived', 'one whose job is gone gets another', async () => {
  const team = await seedTeam(service)
  const { buildId } = await newDraft(team, procedureTemplate)
  const id = await generate(team, buildId, { prompt: wish })
  await sql`select graphile_worker.remove_job(${`builder ${id}`})`
  const revive = () => enqueueOn(sql)(reviveBuilderRuns, {}).then(service.drain)
  await revive()
  assert.equal((await readBuilderRun(team, id)).status, 'pending')
  await sql`update builder_runs set updated_at = now() - interval '6 minutes' where id = ${id}`
  await revive()
  assert.equal((await readBuilderRun(team, id)).status, 'review')
})

proves('builder.latest', 'a build without a builder run has none to read', async () => {
  const team = await seedTeam(service)
  const { buildId } = await newDraft(team, procedureTemplate)
  assert.equal((await team.call(`GET /v2/revisions/${buildId}/builder-run`)).status, 404)
  const first = await generate(team, buildId, { prompt: wish })
  await team.call(`POST /v2/revisions/${buildId}/discard`)
  const second = await generate(team, buildId, { prompt: wish })
  assert.notEqual(first, second)
  assert.equal((await team.call(`GET /v2/revisions/${buildId}/builder-run`)).body.builder_run_id, second)
})
