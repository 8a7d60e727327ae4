// Every query parameter of every reading operation is honoured: it changes the answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../src/base/ids.ts'
import { drainEvaluations } from '../src/features/evaluations/evaluator.ts'
import { confirmationMail } from './kit/mailSeeds.ts'
import { drainRuns, seedAgent, startRun } from './kit/runs.ts'
import { runWithFile, seeders, seedTeam } from './kit/seed.ts'
import { testApp } from './kit/testApp.ts'
import { provesTogether } from './kit/proves.ts'

const service = await testApp()
const team = await seedTeam(service)
const { sql } = team

const seed = (noun: string, above: Record<string, string> = {}) => seeders[noun]!(team, above)
const nobody = newId()
const long = { since: '2020-01-01T00:00:00Z', until: '2020-02-01T00:00:00Z', future: '2100-01-01T00:00:00Z' }

/** An agent with a run that failed and is evaluated, and a newer run that has not ended. */
const agent = await seedAgent(team, '```tool name=case_complete\n{}\n```\n')
const ended = await startRun(team, agent, { message: 'Check invoice 47' })
await drainRuns(service)
await drainEvaluations(service.context)
await team.call(`PUT /v2/runs/${ended}/mark`, { body: { verdict: 'good' } })
const open = await startRun(team, agent, { message: 'Check the weather' })
// older than the ended run: the two orders differ
await sql`update runs set created_at = created_at - interval '1 hour' where id = ${open} and team_id = ${team.id}`
const draft = await seed('build', { agent })
await team.call(`PATCH /v2/revisions/${draft}`, {
  body: { config: { version: 'v2', data: { input: 'Something else.' } } },
})
await team.call(`POST /v2/agents/${agent}/eval-rubrics`, {
  body: { title: 'Only there', description: 'The run says what it did and leaves nothing open.', build_id: draft },
})
await seed('schedule', { agent })
const replaySet = await seed('replay_set', { agent })
const replay = await seed('replay', { agent, build: draft, replay_set: replaySet })
await seed('suggestion', { agent })

const queue = await seed('queue')
const cases = [await seed('case', { queue }), await seed('case', { queue })]
await team.call(`PATCH /v2/cases/${cases[0]}`, { body: { title: 'Changed lately', priority: 'high' } })
await seed('label', { queue })
await seed('bulk_action', { queue })
await seed('bulk_action', { queue })
await seed('queue')
const caseRun = ended
await sql`update runs set case_id = ${cases[0]} where id = ${caseRun} and team_id = ${team.id}`
const worker = await seed('agent')
const rival = await seed('agent')
await team.call(`POST /v2/agents/${rival}/case-triggers`, { body: { case_queue_id: queue, enabled: true } })

const sandbox = await seed('sandbox')
await team.call(`POST /v2/sandboxes/${sandbox}/files?path=other.md`, { body: 'Other' })
const fileRun = await runWithFile(team, { agent })
await seed('request')
const urgent = await seed('request')
await sql`update human_requests set expires_at = now() + interval '1 hour' where id = ${urgent} and team_id = ${team.id}`
await seed('view')
await sql`insert into drills (id, state, runs, kills) values (${newId()}, 'held', 1, 0), (${newId()}, 'held', 2, 0)`
for (const runs_per_day of [1000, 2000])
  await team.call('PUT /v2/teams/:teamId/guardrails', { body: { rules: { runs_per_day } } })
await sql`
  insert into guardrail_stops (run_id, step, rule, team_id, tool, way, version, says)
  select ${fileRun}, n, 'allowed_hosts', ${team.id}, 'http_request', 'refused', 1, 'No.' from generate_series(1, 2) n`
await seed('delivery')
const trigger = await seed('trigger', { agent })
await seed('trigger_delivery', { trigger })
await seed('connection')
for (const noun of ['secret', 'login', 'file', 'alert_rule', 'incident']) for (const _ of [1, 2]) await seed(noun)
const skill = await seed('skill')
await team.call(`PUT /v2/skills/${skill}/files/notes/extra.md`, { body: { content: 'Other.' } })
await seed('skill')
await seed('member')
await confirmationMail(team)
await team.call('POST /v2/teams/:teamId/members', { body: { name: 'Ada', email: 'ada@example.com', role: 'viewer' } })
await seed('client')
await seed('member_session')

const hours = (from: number): string => new Date(Date.now() + from * 3_600_000).toISOString()

/** Two artifacts, the older one with messages and with a page. */
const artifact = await seed('artifact')
const revision = await seed('revision', { artifact })
await seed('artifact')

const page = { limit: '0', offset: '1' }
const theme = { theme: 'dark' }
const path = { path: 'out' }

/** For each operation: its path, and for each parameter a value that must change the answer. */
const asked: Record<string, { at: string; with: Record<string, string>; always?: string }> = {
  listMembers: { at: '/v2/teams/:teamId/members', with: { search: 'ADA example', role: 'viewer', ...page } },
  listApiKeys: { at: '/v2/teams/:teamId/api-keys', with: page },
  listOauthClients: { at: '/v2/teams/:teamId/oauth-clients', with: page },
  listSessions: { at: '/v2/teams/:teamId/sessions', with: page },
  listAuditLog: {
    at: '/v2/teams/:teamId/audit-log',
    with: { operation: 'createQueue', user_id: nobody, since: long.future, until: long.until, ...page },
  },
  listAgents: { at: '/v2/teams/:teamId/agents', with: { include_schedules: 'true', ...page } },
  searchAgents: {
    at: '/v2/teams/:teamId/agent-search',
    with: { search: 'no such agent', ...page },
  },
  listAgentFigures: { at: '/v2/teams/:teamId/agent-figures', with: { agent_ids: agent, ...page } },
  listSecrets: { at: '/v2/teams/:teamId/secrets', with: { search: 'no such secret', ...page } },
  listLogins: { at: '/v2/teams/:teamId/logins', with: { search: 'no such login', ...page } },
  listTeamFiles: { at: '/v2/teams/:teamId/files', with: { search: 'no such file', ...page } },
  listSkills: { at: '/v2/teams/:teamId/skills', with: { search: 'no such skill', ...page } },
  listSkillVersions: { at: `/v2/skills/${skill}/versions`, with: page },
  getSkill: { at: `/v2/skills/${skill}`, with: { version: '1' } },
  getSkillFile: { at: `/v2/skills/${skill}/files/notes/extra.md`, with: { version: '2' } },
  downloadSkill: { at: `/v2/skills/${skill}/download`, with: { version: '1' } },
  listDrills: { at: '/v2/system/drills', with: page },
  listMails: { at: '/v2/profile/mails', with: page },
  listGuardrailVersions: { at: '/v2/teams/:teamId/guardrails/versions', with: page },
  listGuardrailStops: { at: '/v2/teams/:teamId/guardrails/stops', with: { rule: 'quiet_hours', ...page } },
  listAlertRules: { at: '/v2/teams/:teamId/alert-rules', with: page },
  listAlertIncidents: {
    at: '/v2/teams/:teamId/incidents',
    with: { state: 'closed', rule_id: nobody, ...page },
  },
  listViews: { at: '/v2/teams/:teamId/views', with: { screen: 'cases', ...page } },
  listReplaySets: { at: `/v2/agents/${agent}/replay-sets`, with: page },
  listRecordings: { at: `/v2/replay-sets/${replaySet}/recordings`, with: page },
  listReplays: { at: `/v2/agents/${agent}/replays`, with: { build_id: agent, ...page } },
  listReplayRuns: { at: `/v2/replays/${replay}/runs`, with: { verdict: 'same', ...page } },
  listSuggestions: { at: `/v2/agents/${agent}/suggestions`, with: { state: 'rejected', ...page } },
  listAgentRevisions: { at: `/v2/agents/${agent}/revisions`, with: page },
  getAgentInputs: { at: `/v2/agents/${agent}/inputs`, with: { build_id: draft } },
  diffRevisions: { at: `/v2/agents/${agent}/revisions/${draft}/diff`, with: { against: draft } },
  listSandboxes: { at: '/v2/sandboxes', with: { made_by: 'run', ...page } },
  listSandboxFiles: { at: `/v2/sandboxes/${sandbox}/files`, with: path },
  getSandboxFileContent: {
    at: `/v2/sandboxes/${sandbox}/files/content`,
    with: { path: 'out/report.md' },
    always: 'path=other.md',
  },
  listRunSandboxFiles: { at: `/v2/agents/${agent}/runs/${fileRun}/sandbox/files`, with: path },
  listRunSandboxFilesByRun: { at: `/v2/runs/${fileRun}/sandbox/files`, with: path },
  getRunCounts: {
    at: '/v2/teams/:teamId/run-counts',
    with: {
      agent_id: worker,
      status: 'pending',
      since: hours(-2),
      until: hours(2),
      user_id: nobody,
      case_queue_id: queue,
      source: 'schedule',
      search: 'invoice',
      has_issues: 'true',
      issue_severity: 'critical',
      interval: 'minute',
      time_zone: 'Asia/Kolkata',
      compare: 'true',
    },
    always: `since=${hours(-3)}&until=${hours(1)}`,
  },
  listRuns: {
    at: '/v2/teams/:teamId/runs',
    with: {
      agent_id: agent,
      status: 'pending',
      since: long.future,
      until: long.until,
      user_id: nobody,
      case_queue_id: queue,
      source: 'schedule',
      search: 'weather',
      has_issues: 'true',
      issue_severity: 'critical',
      count_only: 'true',
      sort_by: 'completed_at',
      sort_order: 'asc',
      ...page,
    },
  },
  listRunDetails: { at: '/v2/teams/:teamId/run-details', with: { run_ids: ended } },
  listRunEvents: { at: `/v2/runs/${ended}/event-log`, with: page },
  listTeamEvents: {
    at: '/v2/teams/:teamId/event-log',
    with: {
      event: 'run.failed',
      run_id: ended,
      since: long.future,
      before: '0_0_0_0_00000000-0000-0000-0000-000000000000',
      limit: '1',
    },
  },
  listRunSteps: { at: `/v2/runs/${ended}/steps`, with: page },
  listRunMessages: { at: `/v2/runs/${ended}/messages`, with: page },
  listHumanRequests: {
    at: '/v2/teams/:teamId/human-requests',
    with: { status: 'responded', assignee_user_id: team.memberId, agent_id: worker, sort: 'deadline', ...page },
  },
  listQueues: { at: '/v2/teams/:teamId/queues', with: { search: 'no such queue', ...page } },
  listCases: {
    at: `/v2/queues/${queue}/cases`,
    with: {
      status: 'completed',
      priority: 'high',
      search: 'lately',
      created_at_from: long.future,
      updated_at_from: long.future,
      sort_by: 'updated_at',
      sort_order: 'asc',
      ...page,
    },
  },
  listRecentCaseRunMessages: { at: `/v2/cases/${cases[0]}/runs/${caseRun}/recent-messages`, with: { limit: '1' } },
  listBulkActions: { at: `/v2/queues/${queue}/bulk-actions`, with: page },
  listLabels: { at: `/v2/queues/${queue}/labels`, with: page },
  previewAgentCaseTriggerConflicts: {
    at: `/v2/agents/${worker}/case-triggers/conflict-preview`,
    with: { case_queue_id: queue },
  },
  listConnections: {
    at: '/v2/teams/:teamId/connections',
    with: { type: 'api', provider: 'github', status: 'disabled', search: 'nowhere', ...page },
  },
  getBillingUsageHistory: {
    at: '/v2/teams/:teamId/billing/usage/history',
    with: { since: long.until, until: long.until },
    always: `since=${long.since}`,
  },
  listEvaluatedRuns: {
    at: `/v2/agents/${agent}/evaluated-runs`,
    with: { since: long.future, until: long.until, build_id: draft, flag: 'no_such_check', ...page },
  },
  getMarkAgreement: { at: `/v2/agents/${agent}/mark-agreement`, with: { since: long.future } },
  listAgentScores: { at: '/v2/teams/:teamId/agent-scores', with: { since: long.future } },
  listModelUsage: {
    at: '/v2/teams/:teamId/billing/usage/models',
    with: { since: long.until, until: long.until },
    always: `since=${long.since}`,
  },
  getEvalScores: {
    at: `/v2/agent/${agent}/eval-scores`,
    with: { since: long.future, scope: 'custom', revision_id: draft },
  },
  listBuildScores: { at: `/v2/agents/${agent}/build-scores`, with: page },
  getEvalRubrics: { at: `/v2/agents/${agent}/eval-rubrics`, with: { build_id: draft } },
  listArtifacts: { at: '/v2/artifacts', with: { scope: 'shared', search: 'nothing', ...page } },
  listArtifactMessages: { at: `/v2/artifacts/${artifact}/messages`, with: { limit: '0', before: nobody } },
  renderArtifact: { at: `/v2/artifacts/${artifact}/render`, with: theme },
  renderSelectableArtifact: { at: `/v2/artifacts/${artifact}/render/selectable`, with: theme },
  renderArtifactRevision: { at: `/v2/artifacts/${artifact}/revisions/${revision}/render`, with: theme },
  exportArtifactHtml: { at: `/v2/artifacts/${artifact}/export/html`, with: theme },
  listTriggerDeliveries: { at: `/v2/triggers/${trigger}/deliveries`, with: { status: 'failed', ...page } },
  listWebhookDeliveries: {
    at: '/v2/teams/:teamId/webhook-deliveries',
    with: { status: 'delivered', event: 'run.failed', subscription_id: nobody, run_id: ended, ...page },
  },
}

const provedElsewhere = new Set([
  // a run with one file gives it without a path: what a path changes is proved in features/sandboxes/files/runFiles.test.ts
  'getRunSandboxFileContent',
  'getRunSandboxFileContentByRun',
  'streamTeamEvents',
  // a bundle is made anew each time, so it always differs: features/evidence/evidence.test.ts
  'getRunEvidence',
  'getCaseEvidence',
  // needs a browser: features/artifacts/exports.test.ts
  'exportArtifactPdf',
  // tables and Markdown have no theme; they take it so that one URL serves every kind of export
  'exportArtifactCsv',
  'exportArtifactXlsx',
  'exportArtifactMd',
])

interface Described {
  operationId: string
  parameters: { in?: string; name: string }[]
}

const { body: document } = await service.call('GET /openapi.json')
const reading = Object.entries(document.paths as Record<string, { get?: Described }>).flatMap(([at, { get }]) =>
  get && !provedElsewhere.has(get.operationId) && get.parameters.some((one) => one.in === 'query')
    ? [{ at, ...get }]
    : [],
)

/** The result without the echoed paging. */
async function ask(at: string, query: string): Promise<object> {
  const { status, body, text } = await team.call(`GET ${at}?${query}`)
  assert.equal(status, 200, `${at}?${query} ${text}`)
  if (body === undefined) return { text }
  const { limit: _limit, offset: _offset, ...found } = body
  return found
}

provesTogether('filters.honoured', 'a query parameter changes the answer:', () => {
  for (const { operationId, parameters } of reading) {
    const names = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
    test(`${operationId} by ${names.join(', ')}`, async () => {
      const one = asked[operationId]
      assert.ok(one, `this test needs a line for ${operationId}`)
      assert.deepEqual(Object.keys(one.with).toSorted(), names.toSorted(), 'each parameter has a value here')
      const before = await ask(one.at, one.always ?? '')
      for (const [name, value] of Object.entries(one.with)) {
        const others = (one.always ?? '').split('&').filter((pair) => pair !== '' && !pair.startsWith(`${name}=`))
        const after = await ask(one.at, [...others, `${name}=${encodeURIComponent(value)}`].join('&'))
        assert.notDeepEqual(after, before, `${name} makes no difference`)
      }
    })
  }
})
