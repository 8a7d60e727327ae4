// Suggestions as people meet them: made from failing runs, replayed, accepted, rejected, stale, held back.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startFakeAnthropic } from '../../../../test/fakes/anthropic.ts'
import type { FakeAnswer } from '../../../../test/fakes/fakeProvider.ts'
import { untilBlocked } from '../../../../test/kit/heldTransaction.ts'
import { proves } from '../../../../test/kit/proves.ts'
import { draftOf } from '../../../../test/kit/replays.ts'
import { seedAgent } from '../../../../test/kit/runs.ts'
import { seeders, seedTeam, type TestTeam } from '../../../../test/kit/seed.ts'
import {
  brittle,
  failingAgent,
  proposes,
  readSuggestion,
  runAll,
  sturdy,
  suggestAll,
  suggestionsOf,
  suggestRound,
  switchOn,
} from '../../../../test/kit/suggestions.ts'
import { testApp } from '../../../../test/kit/testApp.ts'

const provider = await startFakeAnthropic()
after(() => provider.close())
const service = await testApp({
  config: { anthropicKey: 'sk-ant-1234567890', anthropicUrl: provider.url, model: 'anthropic:claude-sonnet-4-5' },
})
const { sql } = service.context.db

/** What the model of every builder says, also of those that other tests left at work. */
let said = sturdy
function speak(): FakeAnswer {
  provider.answer(speak)
  return proposes(said)
}
provider.answer(speak)

/** An agent with one suggestion that a person may decide. */
async function suggested(team: TestTeam, procedure = sturdy) {
  said = procedure
  const agentId = await failingAgent(service, team)
  await suggestAll(service)
  const [listed] = await suggestionsOf(team, agentId)
  return { agentId, suggestion: await readSuggestion(team, listed.id) }
}

const liveOf = async (agentId: string) => {
  const [live] = await sql<{ id: string; input: string }>`
    select id, config #>> '{data,input}' as input from builds where agent_id = ${agentId} and status = 'live'`
  return live!
}

const reject = (team: TestTeam, id: string, reason = 'It is meant to fail.') =>
  team.call(`POST /v2/suggestions/${id}/reject`, { body: { reason } })

proves(
  'suggestions.made',
  'two failed runs of three make a draft, which is replayed and shown, and nothing becomes live',
  async () => {
    const team = await seedTeam(service)
    const { agentId, suggestion } = await suggested(team)
    assert.deepEqual(
      [suggestion.state, suggestion.flag, suggestion.label, suggestion.failed_runs, suggestion.of_runs],
      ['open', 'ended_by_itself', 'Ended by itself', 2, 3],
      JSON.stringify(suggestion),
    )
    assert.deepEqual(suggestion.runs.map((run: { run_number: number }) => run.run_number).toSorted(), [2, 3])
    assert.match(suggestion.runs[0].comment, /^The run failed: /)
    assert.match(suggestion.diff.procedure, /^-\{\{ message \| number \}\}\n\+\{\{ message \}\}$/m)
    assert.deepEqual([suggestion.is_changed, suggestion.questions, suggestion.replay_problem], [false, [], null])
    const live = await liveOf(agentId)
    assert.deepEqual([live.id, live.input], [suggestion.base_build_id, brittle])
    const asked = JSON.stringify(provider.requests.at(-1)!.body)
    assert.match(asked, /A check fails again and again/)
    assert.match(asked, /failed_check/)
    const [used] =
      await sql`select sum(calls)::int as calls from usage_entries where team_id = ${team.id} and purpose = 'builder'`
    assert.deepEqual(used, { calls: 1 })
  },
)

proves(
  'suggestions.readers',
  'titles of runs and what a check said are shown only to a credential that may read runs and evaluations',
  async () => {
    const team = await seedTeam(service)
    const { suggestion } = await suggested(team)
    for (const scopes of [[], ['runs:read'], ['evals:read']]) {
      const body = { name: 'reader', scopes: ['agents:read', ...scopes] }
      const { body: key } = await team.call('POST /v2/teams/:teamId/api-keys', { body })
      const read = await team.call(`GET /v2/suggestions/${suggestion.id}`, { key: key.secret })
      assert.deepEqual(
        read.body.suggestion.runs,
        suggestion.runs.map((run: { run_title: string; comment: string }) => ({
          ...run,
          run_title: scopes.includes('runs:read') ? run.run_title : null,
          comment: scopes.includes('evals:read') ? run.comment : null,
        })),
      )
    }
    assert.ok(suggestion.runs.every((run: { run_title: string; comment: string }) => run.run_title && run.comment))
  },
)

proves(
  'suggestions.verdict',
  'the replay says that the check passes in the runs behind it, and that nothing is worse',
  async () => {
    const team = await seedTeam(service)
    const { suggestion } = await suggested(team)
    const { state, says, runs, behind_replayed, behind_passed, runs_worse } = suggestion.replay
    assert.deepEqual(
      [state, says, runs, behind_replayed, behind_passed, runs_worse],
      ['completed', 'helps', 3, 2, 2, 0],
    )
    const useless = await suggested(await seedTeam(service), brittle.replace('# Double', '# Twice'))
    assert.deepEqual([useless.suggestion.replay.says, useless.suggestion.replay.behind_passed], ['no_difference', 0])
  },
)

proves(
  'suggestions.verdict',
  'a draft that makes other runs fail harms, and the verdict of a judged check is unknown',
  async () => {
    const team = await seedTeam(service)
    const { suggestion } = await suggested(team, brittle.replace('message | number', 'message | parse'))
    assert.deepEqual([suggestion.replay.says, suggestion.replay.runs_worse], ['no_difference', 0])
    await sql`update replay_runs set report = jsonb_set(report, '{replayed,failed_checks}', '["limits_kept", "ended_by_itself"]')
    where replay_id = ${suggestion.replay_id}`
    assert.equal((await readSuggestion(team, suggestion.id)).replay.says, 'harms')
    await sql`update suggestions set flag = 'custom__polite' where id = ${suggestion.id}`
    await sql`update replay_runs set report = jsonb_set(report, '{replayed,failed_checks}', '[]') where replay_id = ${suggestion.replay_id}`
    const { replay } = await readSuggestion(team, suggestion.id)
    assert.deepEqual([replay.says, replay.behind_passed], ['unknown', null])
  },
)

proves(
  'suggestions.accept',
  'accepted, the draft becomes live with its event and its audit row, and the recordings go',
  async () => {
    const team = await seedTeam(service)
    const { agentId, suggestion } = await suggested(team)
    const accepted = await team.call(`POST /v2/suggestions/${suggestion.id}/accept`, { body: {} })
    assert.equal(accepted.status, 200, accepted.text)
    const live = await liveOf(agentId)
    assert.deepEqual([live.id, live.input], [suggestion.draft_build_id, sturdy])
    const decided = await readSuggestion(team, suggestion.id)
    assert.deepEqual([decided.state, decided.decided_by, decided.replay.says], ['accepted', team.memberId, 'helps'])
    const [published] = await sql`
    select count(*)::int as events from events
    where team_id = ${team.id} and event = 'assignment.build.published' and data::jsonb ->> 'build_id' = ${live.id}`
    assert.deepEqual(published, { events: 1 })
    const [audited] =
      await sql`select count(*)::int as rows from audit_log where team_id = ${team.id} and operation = 'acceptSuggestion'`
    assert.deepEqual(audited, { rows: 1 })
    const [left] = await sql`select count(*)::int as recordings from replay_recordings where team_id = ${team.id}`
    assert.deepEqual(left, { recordings: 0 })
    const again = await team.call(`POST /v2/suggestions/${suggestion.id}/accept`, { body: {} })
    assert.deepEqual([again.status, again.body.error], [409, 'conflict'])
  },
)

proves('suggestions.accept', 'a closed gate refuses it and leaves it open, and a reason passes the gate', async () => {
  const team = await seedTeam(service)
  const { agentId, suggestion } = await suggested(team)
  await team.call(`PUT /v2/agents/${agentId}/promotion-gate`, { body: { min_score: 0.9 } })
  const refused = await team.call(`POST /v2/suggestions/${suggestion.id}/accept`, { body: {} })
  assert.deepEqual([refused.status, refused.body.error], [409, 'gate_not_met'])
  assert.equal((await readSuggestion(team, suggestion.id)).state, 'open')
  const body = { force_reason: 'The replay is enough.' }
  assert.equal((await team.call(`POST /v2/suggestions/${suggestion.id}/accept`, { body })).status, 200)
})

proves('suggestions.accept', 'a draft that somebody changed after its replay is not accepted', async () => {
  const team = await seedTeam(service)
  const { suggestion } = await suggested(team)
  const body = { config: { version: 'v2', data: { input: '```output\n1\n```\n' } } }
  await team.call(`PATCH /v2/revisions/${suggestion.draft_build_id}`, { body })
  const refused = await team.call(`POST /v2/suggestions/${suggestion.id}/accept`, { body: {} })
  assert.deepEqual([refused.status, refused.body.error], [409, 'conflict'])
  assert.match(refused.body.message, /changed after its replay began/)
  assert.equal((await readSuggestion(team, suggestion.id)).is_changed, true)
})

proves('suggestions.accept', 'a draft that somebody changes at the same moment is not accepted either', async () => {
  const team = await seedTeam(service)
  const { agentId, suggestion } = await suggested(team)
  const { accepting } = await service.context.db.transaction(async (inside) => {
    await inside`
      update builds set config = jsonb_set(config, '{data,input}', to_jsonb(${brittle}::text)) where id = ${suggestion.draft_build_id}`
    const answer = team.call(`POST /v2/suggestions/${suggestion.id}/accept`, { body: {} })
    await untilBlocked(sql, inside, answer)
    return { accepting: answer }
  })
  const refused = await accepting
  assert.deepEqual([refused.status, refused.body.error], [409, 'conflict'], refused.text)
  assert.match(refused.body.message, /changed after its replay began/)
  assert.equal((await liveOf(agentId)).id, suggestion.base_build_id)
  assert.equal((await readSuggestion(team, suggestion.id)).state, 'open')
})

proves(
  'suggestions.reject',
  'rejected with a reason, it is not made again for the same build and check, but for the next build',
  async () => {
    const team = await seedTeam(service)
    const { agentId, suggestion } = await suggested(team)
    const rejected = await reject(team, suggestion.id)
    assert.equal(rejected.status, 200, rejected.text)
    const { state, reason, decided_by } = rejected.body.suggestion
    assert.deepEqual([state, reason, decided_by], ['rejected', 'It is meant to fail.', team.memberId])
    await runAll(service, team, agentId, ['three', 'four'])
    await suggestAll(service)
    assert.equal((await suggestionsOf(team, agentId)).length, 1)
    const next = await draftOf(team, agentId, brittle.replace('# Double', '# Next'), {
      models: { agent: { model: 'builtin:runbook' } },
    })
    assert.equal((await team.call(`POST /v2/revisions/${next}/promote`, { body: {} })).status, 200)
    await suggestRound(service.context)
    assert.equal((await suggestionsOf(team, agentId)).length, 1, 'the runs of the former build do not count')
    await runAll(service, team, agentId, ['five', 'six'])
    await suggestRound(service.context)
    const [newest] = await suggestionsOf(team, agentId)
    assert.deepEqual([newest.state, newest.base_build_id], ['drafting', next])
  },
)

proves('suggestions.reject', 'rejected before its draft is ready, its builder run ends', async () => {
  const team = await seedTeam(service)
  const agentId = await failingAgent(service, team)
  await suggestRound(service.context)
  const [{ id, state, builder_run_id }] = await suggestionsOf(team, agentId)
  assert.equal(state, 'drafting')
  const early = await team.call(`POST /v2/suggestions/${id}/accept`, { body: {} })
  assert.deepEqual([early.status, early.body.error], [409, 'conflict'])
  assert.equal((await reject(team, id)).status, 200)
  const { body } = await team.call(`GET /v2/builder-runs/${builder_run_id}/status`)
  assert.equal(body.status, 'discarded')
  assert.equal((await reject(team, id)).status, 409)
  assert.equal((await reject(team, id, '')).status, 400)
})

proves('suggestions.stale', 'another build that becomes live makes it stale, and its builder run ends', async () => {
  const team = await seedTeam(service)
  const agentId = await failingAgent(service, team)
  await suggestRound(service.context)
  const [{ id, builder_run_id }] = await suggestionsOf(team, agentId)
  await team.call(`POST /v2/revisions/${await draftOf(team, agentId, sturdy)}/promote`, { body: {} })
  assert.equal((await readSuggestion(team, id)).state, 'stale')
  await suggestRound(service.context)
  const { body } = await team.call(`GET /v2/builder-runs/${builder_run_id}/status`)
  assert.equal(body.status, 'discarded')
})

proves('suggestions.stale', 'its draft that is promoted like any other is an accepted suggestion', async () => {
  const team = await seedTeam(service)
  const { suggestion } = await suggested(team)
  await team.call(`POST /v2/revisions/${suggestion.draft_build_id}/promote`, { body: {} })
  const decided = await readSuggestion(team, suggestion.id)
  assert.deepEqual([decided.state, decided.decided_by], ['accepted', team.memberId])
})

proves(
  'suggestions.settings',
  'they are off until somebody switches them on, and can be switched off again',
  async () => {
    const team = await seedTeam(service)
    const agentId = await failingAgent(service, team)
    const off = await team.call(`PUT /v2/agents/${agentId}/suggestion-settings`, { body: { is_on: false } })
    const { is_on, failures, of_runs, replay_runs, max_replay_cost_usd } = off.body.suggestion_settings
    assert.deepEqual([is_on, failures, of_runs, replay_runs, max_replay_cost_usd], [false, 3, 10, 10, '1'])
    await suggestRound(service.context)
    assert.deepEqual(await suggestionsOf(team, agentId), [])
    await switchOn(team, agentId, { failures: 3 })
    await suggestRound(service.context)
    assert.deepEqual(await suggestionsOf(team, agentId), [], 'two failed runs are fewer than three')
    for (const wrong of [
      {},
      { is_on: true, failures: 6, of_runs: 5 },
      { is_on: true, of_runs: 0 },
      { is_on: true, max_replay_cost_usd: 'much' },
    ])
      assert.equal((await team.call(`PUT /v2/agents/${agentId}/suggestion-settings`, { body: wrong })).status, 400)
  },
)

proves(
  'suggestions.settings',
  'a credential that may not read runs and evaluations cannot switch them on, but off',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, 'Do it.')
    const sets = async (scopes: string[], is_on: boolean) => {
      const made = await team.call('POST /v2/teams/:teamId/api-keys', { body: { name: scopes.join(), scopes } })
      const answer = await team.call(`PUT /v2/agents/${agentId}/suggestion-settings`, {
        key: made.body.secret,
        body: { is_on },
      })
      return [answer.status, answer.body.error]
    }
    assert.deepEqual(await sets(['agents:write'], true), [403, 'insufficient_scope'])
    assert.deepEqual(await sets(['agents:write', 'runs:read'], true), [403, 'insufficient_scope'])
    assert.deepEqual(await sets(['agents:write', 'runs:read', 'evals:read'], true), [200, undefined])
    assert.deepEqual(await sets(['agents:write'], false), [200, undefined])
  },
)

proves('suggestions.once', 'two rounds at once make one', async () => {
  const team = await seedTeam(service)
  const agentId = await failingAgent(service, team)
  await Promise.all([1, 2, 3, 4].map(() => suggestRound(service.context)))
  await suggestRound(service.context)
  assert.equal((await suggestionsOf(team, agentId)).length, 1)
  const [made] = await sql`select count(*)::int as drafts from builds where agent_id = ${agentId} and status = 'draft'`
  assert.deepEqual(made, { drafts: 1 })
})

proves(
  'suggestions.once',
  'an agent with three that nobody has decided gets no fourth, until one is decided',
  async () => {
    const team = await seedTeam(service)
    const agentId = await failingAgent(service, team)
    const [first] = [
      await seeders['suggestion']!(team, { agent: agentId }),
      await seeders['suggestion']!(team, { agent: agentId }),
    ]
    await seeders['suggestion']!(team, { agent: agentId })
    await suggestRound(service.context)
    assert.equal((await suggestionsOf(team, agentId)).length, 3)
    const { body } = await team.call(`GET /v2/agents/${agentId}/suggestion-settings`)
    assert.match(body.suggestion_settings.held_back, /3 suggestions that nobody has decided/)
    assert.equal((await reject(team, first)).status, 200)
    await suggestRound(service.context)
    assert.equal((await suggestionsOf(team, agentId)).length, 4)
  },
)

proves('suggestions.once', 'a team that has spent its month gets none, and reads why', async () => {
  const team = await seedTeam(service)
  const agentId = await failingAgent(service, team)
  await sql`insert into entitlements (team_id, key, value) values (${team.id}, 'monthly_cost_usd', 0)`
  await suggestRound(service.context)
  assert.deepEqual(await suggestionsOf(team, agentId), [])
  const { body } = await team.call(`GET /v2/agents/${agentId}/suggestion-settings`)
  assert.match(body.suggestion_settings.held_back, /monthly_cost_usd/)
  await sql`delete from entitlements where team_id = ${team.id}`
  await suggestRound(service.context)
  assert.equal((await suggestionsOf(team, agentId)).length, 1)
  const now = await team.call(`GET /v2/agents/${agentId}/suggestion-settings`)
  assert.equal(now.body.suggestion_settings.held_back, null)
})

proves(
  'suggestions.once',
  'a builder that finds nothing to change leaves a failed one, and is not asked again for a day',
  async () => {
    const team = await seedTeam(service)
    const { agentId, suggestion } = await suggested(team, brittle)
    assert.deepEqual([suggestion.state, suggestion.replay], ['failed', null])
    assert.match(suggestion.reason, /proposes no change/)
    await suggestRound(service.context)
    assert.equal((await suggestionsOf(team, agentId)).length, 1)
    await sql`update suggestions set updated_at = now() - interval '25 hours' where id = ${suggestion.id}`
    await suggestRound(service.context)
    assert.equal((await suggestionsOf(team, agentId)).length, 2)
  },
)

proves('suggestions.erasure', 'a deleted run leaves the suggestion, and a deleted agent takes it along', async () => {
  const team = await seedTeam(service)
  const { agentId, suggestion } = await suggested(team)
  const [{ run_id: runId }, other] = suggestion.runs
  const deleted = await team.call(`DELETE /v2/runs/${runId}`)
  assert.equal(deleted.status, 200, deleted.text)
  assert.deepEqual((await readSuggestion(team, suggestion.id)).runs, [other])
  await team.call(`DELETE /v2/agents/${agentId}`)
  assert.equal((await team.call(`GET /v2/suggestions/${suggestion.id}`)).status, 404)
  await suggestRound(service.context)
  const [state] = await sql`select state, is_cleared from suggestions where id = ${suggestion.id}`
  assert.deepEqual(state, { state: 'stale', is_cleared: true })
})
