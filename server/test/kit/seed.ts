// Teams and records for tests, made the way users make them wherever there is a way.
import { randomBytes } from 'node:crypto'
import type { Sql } from '../../src/base/db.ts'
import { newId } from '../../src/base/ids.ts'
import { providerNames } from '../../src/drivers/model/models.ts'
import { issueApiKey } from '../../src/features/credentials/apiKey.ts'
import { canonicalHash } from '../../src/engine/builds/canonicalHash.ts'
import { examplePath } from '../../src/features/sandboxes/files/requestPath.ts'
import { createTeam } from '../../src/features/teams/team.ts'
import { artifactThatAsks, attachedConnection, seedArtifact } from './artifactSeeds.ts'
import type { Answer, CallOptions, TestApp } from './testApp.ts'

export interface TestTeam {
  id: string
  memberId: string
  key: string
  keyId: string
  /** A call with this team's key; `:teamId` in the route stands for its id. */
  call: (route: string, options?: CallOptions) => Promise<Answer>
  /** For what no user can do. */
  sql: Sql
}

export async function seedTeam(app: TestApp, options: { scopes?: string[]; name?: string } = {}): Promise<TestTeam> {
  const { teamId, memberId, keyId, key } = await app.context.db.transaction(async (sql) => {
    const team = await createTeam(sql, { name: options.name ?? 'Test team', memberName: 'Tester' })
    const scopes = options.scopes ?? ['*']
    const { apiKey, secret } = await issueApiKey(sql, { ...team, name: 'test', scopes })
    return { ...team, keyId: apiKey.id, key: secret }
  })
  return {
    id: teamId,
    memberId,
    key,
    keyId,
    call: (route, callOptions) => app.call(route.replace(':teamId', teamId), { key, ...callOptions }),
    sql: app.context.db.sql,
  }
}

/** The provider for which the settings of outside.ts have a client. Here, since that file loads more than most tests need. */
export const configuredProvider = 'github'

let modelKeysMade = 0

const unique = () => randomBytes(4).toString('hex')

/** The records that stand before this one in a path, by their nouns: what it is made below. */
type Above = Readonly<Record<string, string>>

/** For each resource that a path can name: makes one and gives its id. A feature with a new resource adds a line here. */
export const seeders: Record<string, (team: TestTeam, above: Above) => Promise<string>> = {
  member: async (team) => {
    const { body } = await team.call('POST /v2/teams/:teamId/members', { body: { name: `Member ${unique()}` } })
    return body.member_id
  },
  key: async (team) => {
    const { body } = await team.call('POST /v2/teams/:teamId/api-keys', { body: { name: `Key ${unique()}` } })
    return body.key_id
  },
  client: async (team) => {
    const { body } = await team.call('POST /v2/teams/:teamId/oauth-clients', { body: { name: `Client ${unique()}` } })
    return body.client_id
  },
  member_session: async (team) => {
    const headers = { 'x-runyard-client': 'test', host: '127.0.0.1', origin: 'http://127.0.0.1' }
    await team.call('POST /auth/sign-in', { body: { api_key: team.key }, headers })
    const { body } = await team.call('GET /v2/teams/:teamId/sessions?limit=1')
    return body.sessions[0].id
  },
  agent: async (team) => {
    const { body } = await team.call('POST /v2/teams/:teamId/agents', { body: { name: `Agent ${unique()}` } })
    return body.agent_id
  },
  build: async (team, above) => {
    const agentId = above['agent'] ?? (await seeders['agent']!(team, above))
    const { body } = await team.call(`POST /v2/agents/${agentId}/revisions`, { body: { name: `Build ${unique()}` } })
    return body.build_id
  },
  /** A team has one for each provider, so they take turns. */
  model_key: async (team) => {
    const { body } = await team.call('POST /v2/teams/:teamId/model-keys', {
      body: { provider: providerNames[modelKeysMade++ % providerNames.length], key: `sk-${unique()}-0123456789` },
    })
    return body.model_key_id
  },
  schedule: async (team, above) => {
    const agentId = above['agent'] ?? (await seeders['agent']!(team, above))
    const body = { frequency: 'daily', time: '09:00', message: `Report ${unique()}` }
    const made = await team.call(`POST /v2/agents/${agentId}/schedules`, { body })
    return made.body.schedule_id
  },
  /** One that waits for an answer. */
  builder_run: async (team, above) => {
    const { builder_run_id } = await generate(team, above)
    const asked = { questions: [{ question: 'When is the work done?' }] }
    await team.sql`
      update builder_runs set status = 'waiting', started_at = now(), pending_user_questions = ${JSON.stringify(asked)}::jsonb
      where id = ${builder_run_id} and team_id = ${team.id}`
    return builder_run_id
  },
  path: async (team, above) => {
    if (above['skill'] !== undefined) return 'notes/extra.md'
    const path = `notes/${unique()} 1.md`
    const route = `PUT /v2/agents/${above['agent']}/memory/files/${encodeURIComponent(path)}`
    const { body } = await team.call(route, { body: { content: 'One thing to remember.' } })
    return body.path
  },
  /** One that has ended: most of what can be done to a run needs that. */
  run: async (team, above) => {
    const agentId = above['agent'] ?? (await seeders['agent']!(team, above))
    const { body } = await team.call('POST /v2/teams/:teamId/runs', {
      body: { agent_id: agentId, message: `Check invoice ${unique()}`, metadata: { from: 'seed' } },
    })
    await team.call(`POST /v2/runs/${body.run_id}/stop`)
    return body.run_id
  },
  /** The number of a step that has its result. */
  seq: async (team, above) => {
    await team.sql`
      insert into run_steps (run_id, seq, turn, kind, tool, arguments, state, result, started_at, completed_at)
      values (${above['run']}, 1, 1, 'tool', 'http_request', '{"url": "https://example.com/orders/88214"}', 'done', '{"status": 200}', now(), now())
      on conflict do nothing`
    return '1'
  },
  /** An approval that its run waits for, as the engine leaves both. */
  request: async (team, above) => {
    const runId = above['run'] ?? (await seeders['run']!(team, above))
    const id = newId()
    await waitFor(team, runId, id)
    const action = { tool: 'human_approve', arguments: { title: 'Pay invoice 4711?' }, hash: 'a'.repeat(64) }
    await team.sql`
      insert into human_requests (id, team_id, run_id, step, type, title, action)
      values (${id}, ${team.id}, ${runId}, 1, 'approval', 'Pay invoice 4711?', ${JSON.stringify(action)}::jsonb)`
    return id
  },
  subscription: async (team) => {
    await makeRoomForWebhook(team)
    const body = { url: 'https://hooks.example.com/seed', events: ['*'] }
    return (await team.call('POST /v2/teams/:teamId/webhooks', { body })).body.subscription_id
  },
  /** A dead letter: most of what can be done to a delivery needs one that has ended. */
  delivery: async (team, above) => {
    const subscriptionId = above['subscription'] ?? (await seeders['subscription']!(team, above))
    const { body } = await team.call(`POST /v2/webhooks/${subscriptionId}/test`)
    await team.sql`
      update deliveries set state = 'dead', settled_at = now(), reason = 'The last attempt failed.'
      where id = ${body.delivery_id} and team_id = ${team.id}`
    return body.delivery_id
  },
  session: async (team, above) => {
    const id = newId()
    const runId = above['run'] ?? (await seeders['run']!(team, above))
    await team.sql`insert into browser_sessions (id, team_id, run_id) values (${id}, ${team.id}, ${runId})`
    return id
  },
  login: async (team) => {
    const body = { domain: 'shop.example.com', username: unique(), password: `word-${unique()}` }
    return (await team.call('POST /v2/teams/:teamId/logins', { body })).body.login_id
  },
  skill: async (team) => {
    const content = `---\nname: skill-${unique()}\ndescription: Adds two numbers.\n---\nAdd them.\n`
    const { body } = await team.call('POST /v2/teams/:teamId/skills', { body: { content } })
    await team.call(`PUT /v2/skills/${body.skill_id}/files/notes/extra.md`, { body: { content: 'More.' } })
    return body.skill_id
  },
  file: async (team) => {
    const body = { name: `reference/${unique()}.csv`, content: 'a,b' }
    return (await team.call('POST /v2/teams/:teamId/files', { body })).body.file_id
  },
  secret: async (team) => {
    const body = { name: `set_${unique()}`, values: { TOKEN: `value-${unique()}` } }
    return (await team.call('POST /v2/teams/:teamId/secrets', { body })).body.secret_id
  },
  connection: async (team) => {
    const wanted = {
      name: `Connection ${unique()}`,
      type: 'custom_mcp',
      server_url: 'https://8.8.8.8/mcp',
      api_key: unique(),
    }
    const { body } = await team.call('POST /v2/teams/:teamId/connections', { body: wanted })
    return body.connection_id
  },
  /** One whose page is there, and on which nothing works: most of what can be done to an artifact needs that. */
  artifact: seedArtifact,
  revision: async (team, above) => {
    const { body } = await team.call(`GET /v2/artifacts/${above['artifact']}/revisions`)
    return body.current_revision_id
  },
  provider: async () => configuredProvider,
  queue: async (team) => {
    const { body } = await team.call('POST /v2/teams/:teamId/queues', { body: { name: `Queue ${unique()}` } })
    return body.queue_id
  },
  case: async (team, above) => {
    const queueId = above['queue'] ?? (await seeders['queue']!(team, above))
    const made = { title: `Invoice ${unique()}`, data: '{"amount": 120.5}' }
    const { body } = await team.call(`POST /v2/queues/${queueId}/cases`, { body: { case: made } })
    return body.added_cases[0].id
  },
  /** One that is done. */
  dry_run: async (team) => {
    const id = newId()
    const rules = (await team.call('GET /v2/teams/:teamId/guardrails')).body.guardrails.rules
    await team.sql`
      insert into guardrail_dry_runs (id, team_id, user_id, rules, status, since, until, completed_at)
      values (${id}, ${team.id}, ${team.memberId}, ${JSON.stringify(rules)}::jsonb, 'done', now() - interval '30 days', now(), now())`
    return id
  },
  view: async (team) => {
    const body = { screen: 'runs', name: `View ${unique()}`, filter: { status: 'failed' } }
    return (await team.call('POST /v2/teams/:teamId/views', { body })).body.view_id
  },
  alert_rule: async (team) => {
    await makeRoomForRule(team)
    const body = { name: `Rule ${unique()}`, signal: 'failure_rate', threshold: 50 }
    return (await team.call('POST /v2/teams/:teamId/alert-rules', { body })).body.alert_rule_id
  },
  /** An open one of a rule that is gone. */
  incident: async (team) => {
    const id = newId()
    await team.sql`
      insert into alert_incidents (id, team_id, rule_id, rule_name, signal, scope, scope_name, threshold, last_value, peak_value)
      values (${id}, ${team.id}, ${newId()}, 'Runs fail', 'failure_rate', 'team', 'the team', 50, 60, 60)`
    return id
  },
  label: async (team, above) => {
    const queueId = above['queue'] ?? (await seeders['queue']!(team, above))
    const { body } = await team.call(`POST /v2/queues/${queueId}/labels`, { body: { key: 'batch', value: unique() } })
    return body.label_id
  },
  case_trigger: async (team, above) => {
    const agentId = above['agent'] ?? (await seeders['agent']!(team, above))
    const wanted = { case_queue_id: await seeders['queue']!(team, above), enabled: false }
    const { body } = await team.call(`POST /v2/agents/${agentId}/case-triggers`, { body: wanted })
    return body.trigger_id
  },
  trigger: async (team, above) => {
    const agentId = above['agent'] ?? (await seeders['agent']!(team, above))
    const { body } = await team.call(`POST /v2/agents/${agentId}/triggers`, {
      body: { kind: 'webhook', name: unique() },
    })
    return body.trigger_id
  },
  /** One that has ended. */
  trigger_delivery: async (team, above) => {
    const id = newId()
    const triggerId = above['trigger'] ?? (await seeders['trigger']!(team, above))
    await team.sql`
      insert into trigger_deliveries (id, team_id, trigger_id, content, size_bytes, state, settled_at)
      values (${id}, ${team.id}, ${triggerId}, '{"body": {"number": 4711}, "headers": {}, "query": {}}', 53, 'filtered', now())`
    return id
  },
  /** One that has ended. */
  bulk_action: async (team, above) => {
    const id = newId()
    const queueId = above['queue'] ?? (await seeders['queue']!(team, above))
    await team.sql`
      insert into bulk_actions (id, team_id, queue_id, kind, settings, status, until_created_at, completed_at)
      values (${id}, ${team.id}, ${queueId}, 'delete', '{}', 'completed', now(), now())`
    return id
  },
  rubric: async (team, above) => {
    const agentId = above['agent'] ?? (await seeders['agent']!(team, above))
    const wanted = { title: `Rubric ${unique()}`, description: 'The run says what it did and leaves nothing open.' }
    return (await team.call(`POST /v2/agents/${agentId}/eval-rubrics`, { body: wanted })).body.rubric_id
  },
  /** Without recordings. */
  replay_set: async (team, above) => {
    const agentId = above['agent'] ?? (await seeders['agent']!(team, above))
    const body = { name: `Set ${unique()}` }
    return (await team.call(`POST /v2/agents/${agentId}/replay-sets`, { body })).body.replay_set_id
  },
  recording: async (team, above) => {
    const agent = above['agent'] ?? (await seeders['agent']!(team, above))
    const setId = above['replay_set'] ?? (await seeders['replay_set']!(team, { ...above, agent }))
    const id = newId()
    await team.sql`
      insert into replay_recordings (id, team_id, set_id, run_id, run_number, run_title, run_status, run_ended_at, calls, content, size_bytes)
      values (${id}, ${team.id}, ${setId}, ${newId()}, 4711, 'Check invoice', 'completed', now(), 0, '{}', 2)`
    return id
  },
  /** One that runs: no process takes what it replays. */
  replay: async (team, above) => (await seedReplay(team, above)).replayId,
  replay_run: async (team, above) => (await seedReplay(team, above)).replayRunId,
  /** One that a person may decide. */
  suggestion: (team, above) => seedSuggestion(team, above),
  /** With the file of which the examples of the document speak. */
  sandbox: async (team) => {
    const { body } = await team.call('POST /v2/sandboxes')
    await uploadExample(team, body.sandbox_id)
    return body.sandbox_id
  },
}

/** Where an operation needs a record in another state than the others do: by its id, then by the noun. */
const seedersOf: Record<string, typeof seeders> = {
  getRevisionBuilderRun: { build: (team, above) => buildInReview(team, above) },
  acceptRevision: { build: (team, above) => buildInReview(team, above) },
  discardRevision: { build: (team, above) => buildInReview(team, above) },
  createWebhook: { team: (team) => makeRoomForWebhook(team) },
  withdrawApproval: { request: (team, above) => requestApprovedOnce(team, above) },
  restoreGuardrails: { team: (team) => twoVersionsOfGuardrails(team) },
  startGuardrailDryRun: { team: (team) => endDryRuns(team) },
  createAlertRule: { team: (team) => makeRoomForRule(team) },
  approveConnectionTools: { connection: (team, above) => connectionWithTool(team, above) },
  answerArtifact: { artifact: artifactThatAsks },
  detachArtifactConnection: {
    connection: async (team, above) => attachedConnection(team, above, await seeders['connection']!(team, above)),
  },
  testConnection: { connection: (team, above) => connectionToNowhere(team, above) },
  previewAgentCaseTriggerConflicts: { agent: (team, above) => agentWithTrigger(team, above) },
  releaseCase: { case: (team, above) => claimedCase(team, above) },
  takeOverCase: { case: (team, above) => claimedCase(team, above) },
  assignCase: { case: (team, above) => claimedCase(team, above) },
  startReplay: { replay_set: (team, above) => filledSet(team, above) },
  stopBulkAction: { bulk_action: (team, above) => runningBulkAction(team, above) },
  listRecentCaseRunMessages: { run: (team, above) => runOfCase(team, above) },
  listRunSandboxFiles: { run: (team, above) => runWithFile(team, above) },
  listRunSandboxFilesByRun: { run: (team, above) => runWithFile(team, above) },
  getRunSandboxFileContent: { run: (team, above) => runWithFile(team, above) },
  getRunSandboxFileContentByRun: { run: (team, above) => runWithFile(team, above) },
}

export const seederFor = (operationId: string, noun: string) => seedersOf[operationId]?.[noun] ?? seeders[noun]

/** One of two approvals is given, by the team's own member. */
async function requestApprovedOnce(team: TestTeam, above: Above): Promise<string> {
  const id = await seeders['request']!(team, above)
  const approvals = JSON.stringify([{ user_id: team.memberId, at: new Date().toISOString() }])
  await team.sql`
    update human_requests set approvals_needed = 2, approvals = ${approvals}::jsonb where id = ${id} and team_id = ${team.id}`
  return id
}

/** The first can be restored, and the second is live. */
async function twoVersionsOfGuardrails(team: TestTeam): Promise<string> {
  for (const runs_per_day of [1_000_000, 2_000_000]) {
    await team.call('PUT /v2/teams/:teamId/guardrails', { body: { rules: { runs_per_day } } })
  }
  return team.id
}

/** A team has at most three under way. */
async function endDryRuns(team: TestTeam): Promise<string> {
  await team.sql`update guardrail_dry_runs set status = 'done', completed_at = now() where team_id = ${team.id}`
  return team.id
}

/** With a draft as its live build is. */
async function seedSuggestion(team: TestTeam, above: Above): Promise<string> {
  const agent = above['agent'] ?? (await seeders['agent']!(team, above))
  const { body } = await team.call(`POST /v2/agents/${agent}/revisions`)
  const [id, builderRun] = [newId(), newId()]
  await team.sql`
    insert into builder_runs (id, team_id, agent_id, build_id, status, model, prompt, checkpoint_config)
    values (${builderRun}, ${team.id}, ${agent}, ${body.build_id}, 'completed', 'builtin:runbook', '', '{}')`
  await team.sql`
    insert into suggestions (id, team_id, agent_id, flag, label, failed_runs, of_runs, base_build_id, draft_build_id, builder_run_id, state,
      config_hash, replay_runs)
    select ${id}::uuid, ${team.id}::uuid, ${agent}::uuid, ${`custom__${unique()}`}, 'Stays polite', 3, 10, id, ${body.build_id}::uuid, ${builderRun}::uuid,
      'open', ${canonicalHash(body.build.config)}, 10
    from builds where agent_id = ${agent} and team_id = ${team.id} and status = 'live'`
  return id
}

async function seedReplay(team: TestTeam, above: Above): Promise<{ replayId: string; replayRunId: string }> {
  const agent = above['agent'] ?? (await seeders['agent']!(team, above))
  const build = above['build'] ?? (await seeders['build']!(team, { ...above, agent }))
  const set = above['replay_set'] ?? (await seeders['replay_set']!(team, { ...above, agent }))
  const recording = await seeders['recording']!(team, { ...above, agent, replay_set: set })
  const [replayId, replayRunId] = [newId(), newId()]
  await team.sql`
    insert into replays (id, team_id, agent_id, set_id, set_version, build_id, config, config_hash, runs)
    values (${replayId}, ${team.id}, ${agent}, ${set}, 1, ${build}, '{}', ${'a'.repeat(64)}, 1)`
  await team.sql`
    insert into replay_runs (id, team_id, replay_id, recording_id, run_id, run_number, run_title)
    values (${replayRunId}, ${team.id}, ${replayId}, ${recording}, ${newId()}, 4711, 'Check invoice')`
  return { replayId, replayRunId }
}

/** With a recording, for what needs one. */
async function filledSet(team: TestTeam, above: Above): Promise<string> {
  const set = await seeders['replay_set']!(team, above)
  await seeders['recording']!(team, { ...above, replay_set: set })
  return set
}

/** A team has at most 50: the oldest goes in time. */
async function makeRoomForWebhook(team: TestTeam): Promise<string> {
  const { webhooks } = (await team.call('GET /v2/teams/:teamId/webhooks')).body
  if (webhooks.length >= 40) await team.call(`DELETE /v2/teams/:teamId/webhooks/${webhooks[0].id}`)
  return team.id
}

/** A team has at most 100: the oldest goes in time. */
async function makeRoomForRule(team: TestTeam): Promise<string> {
  const { alert_rules: rules } = (await team.call('GET /v2/teams/:teamId/alert-rules')).body
  if (rules.length >= 80) await team.call(`DELETE /v2/alert-rules/${rules[0].id}`)
  return team.id
}

/** As its server listed them, with the tool of the document's example. */
async function connectionWithTool(team: TestTeam, above: Above): Promise<string> {
  const id = await seeders['connection']!(team, above)
  const listed = { title: null, description: 'Finds invoices.', input_schema: { type: 'object' }, annotations: null }
  await team.sql`
    insert into connection_tools (connection_id, name, position, listed, listed_hash)
    values (${id}, 'search_invoices', 0, ${JSON.stringify(listed)}::jsonb, ${'a'.repeat(64)})`
  return id
}

/** Nothing listens there, which is known at once. */
async function connectionToNowhere(team: TestTeam, above: Above): Promise<string> {
  const id = await seeders['connection']!(team, above)
  await team.sql`
    update connections set server_url = 'http://127.0.0.1:9/', type = 'api' where id = ${id} and team_id = ${team.id}`
  return id
}

/** No job carries it out, so it runs until it is stopped. */
async function runningBulkAction(team: TestTeam, above: Above): Promise<string> {
  const id = await seeders['bulk_action']!(team, above)
  await team.sql`
    update bulk_actions set status = 'running', completed_at = null where id = ${id} and team_id = ${team.id}`
  return id
}

async function agentWithTrigger(team: TestTeam, above: Above): Promise<string> {
  const agent = await seeders['agent']!(team, above)
  await seeders['case_trigger']!(team, { agent })
  return agent
}

async function claimedCase(team: TestTeam, above: Above): Promise<string> {
  const caseId = await seeders['case']!(team, above)
  await team.call(`POST /v2/cases/${caseId}/claim`)
  return caseId
}

/** As dispatch leaves both. */
async function runOfCase(team: TestTeam, above: Above): Promise<string> {
  const runId = await seeders['run']!(team, above)
  await team.sql`update runs set case_id = ${above['case']} where id = ${runId} and team_id = ${team.id}`
  return runId
}

async function uploadExample(team: TestTeam, sandboxId: string): Promise<void> {
  await team.call(`POST /v2/sandboxes/${sandboxId}/files?path=${examplePath}`, { body: '# Report' })
}

/** A run that has ended, with a workspace as its tools leave it. */
export async function runWithFile(team: TestTeam, above: Above): Promise<string> {
  const runId = await seeders['run']!(team, above)
  const sandboxId = newId()
  await team.sql`insert into sandboxes (id, team_id, run_id) values (${sandboxId}, ${team.id}, ${runId})`
  await uploadExample(team, sandboxId)
  return runId
}

async function generate(team: TestTeam, above: Above): Promise<{ build_id: string; builder_run_id: string }> {
  const buildId = above['build'] ?? (await seeders['build']!(team, above))
  const { body } = await team.call(`POST /v2/revisions/${buildId}/generate`, { body: { prompt: 'Sort the invoices.' } })
  return body
}

/** A draft for which a procedure is proposed. */
async function buildInReview(team: TestTeam, above: Above): Promise<string> {
  const { build_id, builder_run_id } = await generate(team, above)
  await team.sql`
    update builder_runs set status = 'review', started_at = now(), diff = 'a diff',
      proposed_config = jsonb_set(checkpoint_config, '{data,input}', '"Sort the invoices."')
    where id = ${builder_run_id} and team_id = ${team.id}`
  return build_id
}

/** Takes an ended run through the states to where it waits for this request. */
async function waitFor({ sql, id: teamId }: TestTeam, runId: string, requestId: string): Promise<void> {
  const waitingOn = { kind: 'human', detail: { human_request_id: requestId, title: 'Pay invoice 4711?' } }
  const since = new Date().toISOString()
  await sql`update runs set status = 'pending', completed_at = null where id = ${runId} and team_id = ${teamId}`
  await sql`update runs set status = 'running', started_at = now() where id = ${runId} and team_id = ${teamId}`
  await sql`
    update runs set status = 'waiting', waiting_on = ${JSON.stringify({ ...waitingOn, since })}::jsonb
    where id = ${runId} and team_id = ${teamId}`
  await sql`
    insert into run_steps (run_id, seq, turn, kind, tool, arguments, state, result, started_at)
    values (${runId}, 1, 1, 'human', 'human_approve', '{"title": "Pay invoice 4711?"}', 'waiting',
      ${JSON.stringify({ waiting_on: waitingOn })}::jsonb, now())`
}
