// Alerts as a team meets them: rules, what they measure, incidents that open and close once, who is told, and agents that are paused.
import assert from 'node:assert/strict'
import { after, beforeEach } from 'node:test'
import { seedArtifact, startArtifactRun } from '../../../test/kit/artifactRuns.ts'
import { seedCases, seedColleague, seedQueue } from '../../../test/kit/cases.ts'
import { startMailServer } from '../../../test/kit/mailServer.ts'
import { handled } from '../../../test/kit/plans.ts'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { insertRun } from '../../../test/kit/seedRuns.ts'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import type { Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { flatten } from '../../base/sql.ts'
import type { Context } from '../../kit/context.ts'
import type { Scope } from '../../kit/scopes.ts'
import { statementSlotsOf } from '../../kit/teamDatabase.ts'
import { issueApiKey } from '../credentials/apiKey.ts'
import { readBy } from '../notifications/incidentNews.ts'
import { drainMails } from '../notifications/mailer.ts'
import { listAlertIncidents } from './listAlertIncidents.ts'
import { listAlertRules } from './listAlertRules.ts'
import { previewAlertRule } from './previewAlertRule.ts'
import { measure } from './signals/measure.ts'
import { factsOf, signals, type Signal } from './signals/signal.ts'
import { watchRules } from './watchRules.ts'

const inbox = await startMailServer()
after(() => inbox.close())
const config = {
  smtp: { host: '127.0.0.1', port: inbox.port, isTls: false, user: undefined, password: undefined },
  mailFrom: { name: 'Runyard', address: 'runyard@example.com' },
  smtpTls: 'off' as const,
  smtpTimeoutS: 5,
  mailGapS: 0,
  publicUrl: 'https://yard.example.com',
}
const address = await testDatabase()
const service = await testApp({ address, config })
const { context } = service
const { sql } = context.db
/** What other tests left is in no mail of this one. */
beforeEach(async () => {
  await drainMails(context)
  inbox.arrived.splice(0)
})

const block = (word: string, body: string) => `\`\`\`${word}\n${body}\n\`\`\`\n`
const { signal } = new AbortController()

/** A run of the agent that began then, a moment ago unless given, and ended at once. */
async function ended(
  team: TestTeam,
  agentId: string,
  status: 'completed' | 'failed',
  at = new Date(),
): Promise<string> {
  const [build] = await sql<{ id: string }>`select id from builds where agent_id = ${agentId} and status = 'live'`
  return insertRun(sql, {
    team_id: team.id,
    agent_id: agentId,
    build_id: build!.id,
    status,
    created_at: at,
    started_at: at,
    completed_at: at,
    ...(status === 'failed' && { error: { code: 'no_paper', message: 'No paper.' } }),
  })
}

/** Measures every rule of the team now. */
async function watch(team: TestTeam, by: Context = context): Promise<void> {
  await sql`update alert_rules set next_at = now() - interval '1 second' where team_id = ${team.id} and next_at is not null`
  await watchRules({ context: by, signal })
}

async function make(team: TestTeam, body: object) {
  const made = await team.call('POST /v2/teams/:teamId/alert-rules', {
    body: { name: `Rule ${newId()}`, clear_minutes: 0, ...body },
  })
  assert.equal(made.status, 201, made.text)
  return made.body.alert_rule
}

const ruleOf = async (team: TestTeam, id: string) => (await team.call(`GET /v2/alert-rules/${id}`)).body.alert_rule
const incidentsOf = async (team: TestTeam, query = '') =>
  (await team.call(`GET /v2/teams/:teamId/incidents${query}`)).body.incidents

/** This many due times of a schedule were missed a moment ago, and no others: a signal that a test can turn at will. */
async function missed(team: TestTeam, times: number): Promise<void> {
  await sql`
    with before as (delete from schedule_misses where team_id = ${team.id})
    insert into schedule_misses (id, team_id, schedule_id, agent_id, reason)
    select gen_random_uuid(), ${team.id}, ${team.id}, ${team.id}, 'late' from generate_series(1, ${times}::int)`
}
const misses = { signal: 'schedule_misses', threshold: 10, clear_threshold: 5 }

/** Moves the moment back since which a rule is in its state, because the database's clock cannot be moved. */
const agoMinutes = (ruleId: string, minutes: number) => sql`
  update alert_rules set state_since = now() - make_interval(mins => ${minutes}) where id = ${ruleId}`

let people = 0
/** A member with a confirmed address who wants mails about alerts and nothing else. */
async function reader(team: TestTeam, role = 'viewer'): Promise<{ id: string; email: string }> {
  const email = `alerted${people++}@example.com`
  const body = { name: 'Reader', email, role }
  const { member_id: id } = (await team.call('POST /v2/teams/:teamId/members', { body })).body
  const { secret: key } = await issueApiKey(sql, { teamId: team.id, memberId: id, name: 'reader', scopes: ['*'] })
  await sql`update members set verified_email = email where id = ${id} and team_id = ${team.id}`
  await team.call('PATCH /v2/profile/notifications', { key, body: { mail: { alerts: 'at_once' } } })
  return { id, email }
}

proves('alerts.rules', 'a rule is made with its usual settings, listed, changed and deleted', async () => {
  const team = await seedTeam(service)
  const { status, body } = await team.call('POST /v2/teams/:teamId/alert-rules', {
    body: { name: 'Runs fail', signal: 'failure_rate', threshold: 50 },
  })
  assert.equal(status, 201)
  const { id, created_at, updated_at, state_since, ...rest } = body.alert_rule
  assert.equal(created_at, updated_at)
  assert.ok(state_since)
  assert.deepEqual(rest, {
    team_id: team.id,
    name: 'Runs fail',
    signal: 'failure_rate',
    scope: 'team',
    scope_id: null,
    scope_name: null,
    threshold: 50,
    clear_threshold: 40,
    window_minutes: 60,
    min_runs: 5,
    for_minutes: 0,
    clear_minutes: 5,
    remind_hours: null,
    tells: null,
    pause_agent: false,
    enabled: true,
    created_by: team.memberId,
    state: 'ok',
    measured_value: null,
    measured_at: null,
    problem: null,
    incident_id: null,
  })
  const listed = (await team.call('GET /v2/teams/:teamId/alert-rules')).body
  assert.deepEqual([listed.total, listed.alert_rules[0]], [1, body.alert_rule])
  const again = await team.call('POST /v2/teams/:teamId/alert-rules', {
    body: { name: 'Runs fail', signal: 'cost', threshold: 5 },
  })
  assert.equal(again.body.error, 'duplicate_name')
  const changed = await team.call(`PATCH /v2/alert-rules/${id}`, { body: { threshold: 30, clear_threshold: 10 } })
  assert.deepEqual([changed.body.alert_rule.threshold, changed.body.alert_rule.name], [30, 'Runs fail'])
  const followed = await team.call(`PATCH /v2/alert-rules/${id}`, { body: { threshold: 5 } })
  assert.equal(followed.body.alert_rule.clear_threshold, 4)
  const wrong = await team.call(`PATCH /v2/alert-rules/${id}`, { body: { clear_threshold: 6 } })
  assert.equal(wrong.status, 400)
  assert.equal((await team.call(`DELETE /v2/alert-rules/${id}`)).status, 200)
  assert.equal((await team.call(`GET /v2/alert-rules/${id}`)).status, 404)
})

proves('alerts.rules', 'a wrong rule is refused with every problem that it has', async () => {
  const [team, other] = [await seedTeam(service), await seedTeam(service)]
  const refused = async (body: object): Promise<string> => {
    const answer = await team.call('POST /v2/teams/:teamId/alert-rules', { body: { name: 'Wrong', ...body } })
    assert.equal(answer.status, 400, answer.text)
    return answer.body.message
  }
  const strange = await seeders['agent']!(other, {})
  const says = await refused({
    signal: 'queue_age',
    scope: 'agent',
    scope_id: strange,
    threshold: 0,
    clear_threshold: 7,
    window_minutes: 60,
    min_runs: 3,
    tells: [other.memberId],
  })
  for (const problem of [
    /scope must be queue with queue_age/,
    /clear_threshold must not be above threshold/,
    /window_minutes does not go with queue_age/,
    /min_runs goes only with failure_rate/,
    /threshold must be 1 min to 90 days/,
    /has no agent with this id/,
    /has no member/,
  ])
    assert.match(says, problem)
  assert.match(await refused({ signal: 'cost', threshold: 5, window_minutes: 90 }), /steps of 1440/)
  assert.match(await refused({ signal: 'cost', threshold: 5, pause_agent: true }), /pause_agent goes only/)
  assert.match(await refused({ signal: 'queue_age', threshold: 5 }), /scope must be queue/)
  assert.match(await refused({ signal: 'queue_age', scope: 'queue', threshold: 5 }), /scope_id must be the id/)
})

proves('alerts.rules', 'a team has at most 100 rules', async () => {
  const team = await seedTeam(service)
  await make(team, misses)
  await sql`
    insert into alert_rules (id, team_id, name, signal, scope, threshold, clear_threshold, for_minutes, clear_minutes, pause_agent, enabled, created_by)
    select gen_random_uuid(), ${team.id}, 'Copy ' || n, 'waiting_age', 'team', 5, 4, 0, 0, false, false, ${team.memberId} from generate_series(2, 100) n`
  const body = { name: 'One more', signal: 'cost', threshold: 5 }
  assert.equal((await team.call('POST /v2/teams/:teamId/alert-rules', { body })).status, 409)
})

proves('alerts.signals', 'the failure rate of an agent names the runs that failed', async () => {
  const team = await seedTeam(service)
  const failing = await seedAgent(team, block('output', 'done'))
  const well = await seedAgent(team, block('output', 'done'))
  const rule = await make(team, {
    signal: 'failure_rate',
    scope: 'agent',
    scope_id: failing,
    threshold: 50,
    min_runs: 2,
  })
  const whole = await make(team, { signal: 'failure_rate', threshold: 50, min_runs: 2 })
  const first = await ended(team, failing, 'failed')
  await watch(team)
  assert.equal((await ruleOf(team, rule.id)).measured_value, null, 'one run is no rate')
  const second = await ended(team, failing, 'failed')
  for (let n = 0; n < 3; n++) await ended(team, well, 'completed')
  await watch(team)
  const measured = await ruleOf(team, rule.id)
  assert.deepEqual([measured.measured_value, measured.scope_name], [100, 'Tested'])
  assert.equal((await ruleOf(team, whole.id)).measured_value, 40)
  const [incident, ...others] = await incidentsOf(team)
  assert.deepEqual(others, [])
  assert.deepEqual([incident.rule_id, incident.peak_value, incident.scope_name], [rule.id, 100, 'Tested'])
  assert.deepEqual(
    incident.behind.map(({ run_id }: { run_id: string }) => run_id),
    [second, first],
  )
  assert.match(incident.behind[0].says, /^Tested, run \d+: no_paper$/)
})

proves('alerts.signals', 'a request that nobody answers and a case that nobody takes grow old', async () => {
  const team = await seedTeam(service)
  const request = await seeders['request']!(team, {})
  await sql`update human_requests set created_at = now() - interval '90 minutes' where id = ${request} and team_id = ${team.id}`
  const [{ agent_id: agentId } = { agent_id: '' }] = await sql<{ agent_id: string }>`
    select r.agent_id from human_requests h join runs r on r.id = h.run_id where h.id = ${request} and h.team_id = ${team.id}`
  const queueId = await seedQueue(team)
  const [caseId] = await seedCases(team, queueId, 1)
  await sql`update cases set created_at = now() - interval '3 hours' where id = ${caseId} and team_id = ${team.id}`
  const rules = [
    await make(team, { signal: 'waiting_age', threshold: 60 }),
    await make(team, { signal: 'waiting_age', scope: 'agent', scope_id: agentId, threshold: 60 }),
    await make(team, { signal: 'queue_age', scope: 'queue', scope_id: queueId, threshold: 120 }),
  ]
  await watch(team)
  const found = new Map((await incidentsOf(team)).map((one: { rule_id: string }) => [one.rule_id, one]))
  const shown = rules.map(({ id }) => {
    const { peak_value, behind } = found.get(id) as { peak_value: number; behind: { kind: string; id: string }[] }
    return [Math.floor(peak_value), behind[0]!.kind, behind[0]!.id]
  })
  assert.deepEqual(shown, [
    [90, 'human_request', request],
    [90, 'human_request', request],
    [180, 'case', caseId],
  ])
})

proves(
  'alerts.signals',
  'cost is what billing adds up, and deliveries count that are to be repeated or were given up',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, block('output', 'done'))
    await sql`
    insert into usage_entries (team_id, agent_id, day, model, purpose, calls, cost_usd)
    values (${team.id}, ${agentId}, (now() at time zone 'utc')::date, 'm', 'run', 1, 3.5),
      (${team.id}, null, (now() at time zone 'utc')::date - 1, 'm', 'run', 1, 9)`
    const today = await make(team, { signal: 'cost', threshold: 100 })
    const ofAgent = await make(team, { signal: 'cost', scope: 'agent', scope_id: agentId, threshold: 3 })
    const twoDays = await make(team, { signal: 'cost', threshold: 100, window_minutes: 2880 })
    const subscription = await seeders['subscription']!(team, {})
    const other = await seeders['subscription']!(team, {})
    for (const [target, state] of [
      [subscription, 'retrying'],
      [subscription, 'dead'],
      [other, 'dead'],
      [other, 'delivered'],
    ] as const)
      await sql`
      insert into deliveries (id, team_id, target_id, event_id, event, created_at, state, attempts, settled_at, due_at)
      values (${newId()}, ${team.id}, ${target}, ${newId()}, 'run.failed', now(), ${state}, 1,
        ${state === 'retrying' ? null : new Date()}, ${state === 'retrying' ? new Date(Date.now() + 3_600_000) : null})`
    const all = await make(team, { signal: 'delivery_failures', threshold: 3 })
    const one = await make(team, {
      signal: 'delivery_failures',
      scope: 'webhook',
      scope_id: subscription,
      threshold: 5,
    })
    await watch(team)
    const values = await Promise.all(
      [today, ofAgent, twoDays, all, one].map(async ({ id }) => (await ruleOf(team, id)).measured_value),
    )
    assert.deepEqual(values, [3.5, 3.5, 12.5, 3, 2])
    const opened = (await incidentsOf(team, '?state=open')).map(({ rule_id }: { rule_id: string }) => rule_id)
    assert.deepEqual(new Set(opened), new Set([ofAgent.id, all.id]))
  },
)

proves('alerts.signals', 'what is behind a cost names no run of an artifact, which may be private', async () => {
  const team = await seedTeam(service)
  const runId = await startArtifactRun(service, team, await seedArtifact(service, team, { visibility: 'private' }))
  await drainRuns(service)
  const runs = [runId, await ended(team, await seedAgent(team, block('output', 'done')), 'completed')]
  await sql`update runs set cost_usd = 5 where id = any(${runs}::uuid[])`
  const colleague = await seedColleague(team, 'Colleague', ['*'])
  const body = { name: 'Costs', signal: 'cost', threshold: 1 }
  await sql`select note_model_use(${team.id}, ${newId()}, 'a:b', 1, 1, 10, 'run')`
  const { body: seen } = await colleague.call('POST /v2/teams/:teamId/alert-rules/preview', { body })
  assert.deepEqual([seen.value, seen.behind.map(({ id }: { id: string }) => id)], [10, [runs[1]]])
})

proves(
  'alerts.rules',
  'a rule about a webhook shows its host alone, also when its URL has a query and no path',
  async () => {
    const team = await seedTeam(service)
    for (const url of [
      'https://hooks.example.com?token=s3cret',
      'https://hooks.example.com#s3cret',
      'https://user:s3cret@hooks.example.com/path',
      'https://hooks.example.com/s3cret@elsewhere',
      'https://hooks.example.com',
    ]) {
      const webhook = await seeders['subscription']!(team, {})
      await sql`update delivery_targets set url = ${url} where id = ${webhook} and team_id = ${team.id}`
      const made = await make(team, { signal: 'delivery_failures', scope: 'webhook', scope_id: webhook, threshold: 1 })
      const { alert_rules: listed } = (await team.call('GET /v2/teams/:teamId/alert-rules')).body
      const names = [made.scope_name, listed.find(({ id }: { id: string }) => id === made.id).scope_name]
      assert.deepEqual(names, ['hooks.example.com', 'hooks.example.com'], url)
    }
  },
)

proves(
  'alerts.readBy',
  'a preview of a signal needs the scope that reads what it measures, and so do a rule over it and the records behind its incidents',
  async () => {
    const team = await seedTeam(service)
    const queue = await seedQueue(team)
    const needed: Record<Signal, Scope> = {
      failure_rate: 'runs:read',
      waiting_age: 'runs:read',
      cost: 'billing:read',
      queue_age: 'queues:read',
      delivery_failures: 'webhooks:manage',
      schedule_misses: 'agents:read',
    }
    const keyWith = async (wanted: Scope[]) =>
      (await issueApiKey(sql, { teamId: team.id, memberId: team.memberId, name: newId(), scopes: wanted })).secret
    const narrow = await keyWith(['runs:read', 'runs:write', 'agents:write'])
    for (const watched of signals) {
      const ofQueue = watched === 'queue_age' ? { scope: 'queue', scope_id: queue } : {}
      const body = { name: `Of ${watched}`, signal: watched, threshold: 1, ...ofQueue }
      const sufficient = await keyWith(['runs:read', 'agents:write', needed[watched]])
      for (const route of ['POST /v2/teams/:teamId/alert-rules/preview', 'POST /v2/teams/:teamId/alert-rules']) {
        const refused = await team.call(route, { key: narrow, body })
        const isRead = needed[watched] === 'runs:read'
        if (!isRead)
          assert.deepEqual([refused.status, refused.body.error], [403, 'insufficient_scope'], `${route} ${watched}`)
        const { status, text } = isRead ? refused : await team.call(route, { key: sufficient, body })
        assert.equal(status, route.endsWith('preview') ? 200 : 201, text)
      }
    }
    await missed(team, 12)
    const rule = await make(team, misses)
    await watch(team)
    const [incident] = await incidentsOf(team, `?rule_id=${rule.id}`)
    assert.equal(incident.behind.length, 12)
    const change = await team.call(`PATCH /v2/alert-rules/${rule.id}`, { key: narrow, body: { threshold: 5 } })
    assert.equal(change.status, 403)
    const shown = await Promise.all([
      team.call(`GET /v2/incidents/${incident.id}`, { key: narrow }),
      team.call(`POST /v2/incidents/${incident.id}/acknowledge`, { key: narrow, body: {} }),
    ])
    const listed = await team.call(`GET /v2/teams/:teamId/incidents?rule_id=${rule.id}`, { key: narrow })
    for (const seen of [...shown.map(({ body }) => body.incident), listed.body.incidents[0]]) {
      assert.deepEqual([seen.peak_value, seen.behind], [12, []])
    }
  },
)

proves(
  'alerts.value',
  'the latest value of a rule is null for a credential without the scope that reads its signal, and shown to others',
  async () => {
    const team = await seedTeam(service)
    await missed(team, 12)
    const rule = await make(team, misses)
    await watch(team)
    const shownTo = async (scopes: Scope[]) => {
      const { secret: key } = await issueApiKey(sql, {
        teamId: team.id,
        memberId: team.memberId,
        name: newId(),
        scopes,
      })
      const [{ body: alone }, { body: list }] = await Promise.all([
        team.call(`GET /v2/alert-rules/${rule.id}`, { key }),
        team.call('GET /v2/teams/:teamId/alert-rules', { key }),
      ])
      assert.deepEqual(list.alert_rules, [alone.alert_rule])
      return [alone.alert_rule.measured_value, alone.alert_rule.state]
    }
    assert.deepEqual(await shownTo(['runs:read', 'agents:read']), [12, 'open'])
    assert.deepEqual(await shownTo(['runs:read', 'billing:read']), [null, 'open'])
  },
)

proves(
  'alerts.readBy',
  'a mail names the records behind an incident only to those whose role may read them',
  async () => {
    assert.deepEqual(readBy, Object.fromEntries(signals.map((name) => [name, factsOf[name].readBy])))
    const team = await seedTeam(service)
    const [admin, viewer] = [await reader(team, 'admin'), await reader(team)]
    const webhook = await seeders['subscription']!(team, {})
    await sql`
    insert into deliveries (id, team_id, target_id, event_id, event, created_at, state, attempts, settled_at)
    values (${newId()}, ${team.id}, ${webhook}, ${newId()}, 'run.failed', now(), 'dead', 1, now())`
    await make(team, { signal: 'delivery_failures', threshold: 1 })
    await watch(team)
    await drainMails(context)
    const texts = new Map(inbox.arrived.map(({ to, text }) => [to[0], text]))
    assert.match(texts.get(admin.email)!, /up to 1, threshold 1\. Behind it: Given up/)
    assert.match(texts.get(viewer.email)!, /up to 1, threshold 1/)
    assert.doesNotMatch(texts.get(viewer.email)!, /Behind it|Given up/)
  },
)

proves(
  'alerts.signals',
  'what replays cost counts for the team and not for the agent, which they must not pause',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, block('output', 'done'))
    for (const [usd, purpose] of [
      [3, 'run'],
      [10, 'replay'],
    ])
      await sql`select note_model_use(${team.id}, ${agentId}, 'a:b', 1, 1, ${usd}, ${purpose})`
    const ofAgent = await make(team, {
      signal: 'cost',
      scope: 'agent',
      scope_id: agentId,
      threshold: 5,
      pause_agent: true,
    })
    const ofTeam = await make(team, { signal: 'cost', threshold: 5 })
    await watch(team)
    const values = await Promise.all([ofAgent, ofTeam].map(async ({ id }) => (await ruleOf(team, id)).measured_value))
    assert.deepEqual(values, [3, 13])
    const body = { name: 'Trial', signal: 'cost', scope: 'agent', scope_id: agentId, threshold: 5 }
    const { body: shown } = await team.call('POST /v2/teams/:teamId/alert-rules/preview', { body })
    assert.equal(shown.history.at(-1).value, 3)
    assert.equal((await team.call(`GET /v2/agents/${agentId}`)).body.agent.paused_at ?? null, null)
  },
)

proves('alerts.preview', 'a preview says what a rule would measure now, and makes nothing', async () => {
  const team = await seedTeam(service)
  await missed(team, 12)
  const body = { name: 'Trial', ...misses }
  const { status, body: shown } = await team.call('POST /v2/teams/:teamId/alert-rules/preview', { body })
  assert.equal(status, 200)
  assert.deepEqual([shown.value, shown.unit, shown.is_over, shown.behind.length], [12, 'count', true, 12])
  assert.equal(shown.says, 'Missed due times: 12, the threshold is 10.')
  assert.deepEqual([shown.history.length, shown.history.at(-1).value, shown.over_in_history], [168, 12, 1])
  assert.equal((await team.call('GET /v2/teams/:teamId/alert-rules')).body.total, 0)
})

proves(
  'alerts.preview',
  'the past of a failure rate and of cost is answered from what is stored, that of ages is not',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, block('output', 'done'))
    const now = service.clock.now()
    const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
    for (const status of ['failed', 'failed', 'completed'] as const) await ended(team, agentId, status, hoursAgo(30))
    await sql`
    insert into usage_entries (team_id, agent_id, day, model, purpose, calls, cost_usd)
    values (${team.id}, ${agentId}, ${hoursAgo(48).toISOString().slice(0, 10)}::date, 'm', 'run', 1, 7)`
    const preview = async (body: object) =>
      (await team.call('POST /v2/teams/:teamId/alert-rules/preview', { body: { name: 'Trial', ...body } })).body
    const rate = await preview({ signal: 'failure_rate', threshold: 50, min_runs: 3, window_minutes: 120 })
    const known = rate.history.flatMap(({ value }: { value: number | null }) => value ?? [])
    assert.deepEqual(
      known.map((value: number) => Math.round(value)),
      [67, 67],
      'each of the two hours of the window has seen them',
    )
    assert.equal(rate.over_in_history, 2)
    const cost = await preview({ signal: 'cost', threshold: 5, scope: 'agent', scope_id: agentId })
    assert.deepEqual(
      [
        cost.history.length,
        cost.history
          .map(({ value }: { value: number }) => value)
          .toSorted()
          .at(-1),
        cost.over_in_history,
      ],
      [7, 7, 1],
    )
    const age = await preview({ signal: 'waiting_age', threshold: 5 })
    assert.deepEqual([age.history, age.over_in_history], [null, null])
  },
)

proves(
  ['alerts.told', 'alerts.once'],
  'an incident is in one mail when it opens and in one when it closes, with a link, for those whom the rule names',
  async () => {
    const team = await seedTeam(service)
    const [named, other] = [await reader(team), await reader(team)]
    await make(team, { ...misses, name: 'Misses <b>', tells: [named.id] })
    await missed(team, 12)
    for (let times = 0; times < 3; times++) await watch(team)
    await drainMails(context)
    const [incident] = await incidentsOf(team)
    assert.equal(incident.state, 'open')
    assert.deepEqual(
      inbox.arrived.map(({ to, headers }) => [to[0], headers['subject']]),
      [[named.email, 'Alert: Opened: Misses <b>']],
    )
    assert.ok(inbox.arrived[0]!.text.includes(`https://yard.example.com/alerts?incident=${incident.id}\n`))
    assert.match(
      inbox.arrived[0]!.text,
      /up to 12, threshold 10\. Behind it: It was due while the service was not there/,
    )
    assert.doesNotMatch(inbox.arrived[0]!.html, /<b>/)
    await missed(team, 0)
    for (let times = 0; times < 3; times++) await watch(team)
    await drainMails(context)
    assert.equal(inbox.arrived[1]!.headers['subject'], 'Alert: Closed: Misses <b>')
    assert.equal(inbox.arrived.length, 2)
    assert.ok(!inbox.arrived.some(({ to }) => to[0] === other.email))
    const [closed] = await incidentsOf(team)
    assert.deepEqual(
      [closed.state, closed.closed_because, closed.peak_value, closed.last_value],
      ['closed', 'recovered', 12, 0],
    )
  },
)

proves('alerts.flapping', 'a signal that flaps between its thresholds and past them is one incident', async () => {
  const team = await seedTeam(service)
  const rule = await make(team, { ...misses, for_minutes: 2, clear_minutes: 5 })
  const now = async (times: number) => {
    await missed(team, times)
    await watch(team)
    return (await ruleOf(team, rule.id)).state
  }
  assert.equal(await now(12), 'pending')
  assert.equal(await now(3), 'ok', 'a single peak opens nothing')
  assert.equal(await now(12), 'pending')
  await agoMinutes(rule.id, 2)
  assert.equal(await now(12), 'open')
  for (let flap = 0; flap < 10; flap++) {
    assert.equal(await now(7), 'open', 'between the thresholds')
    assert.equal(await now(0), 'closing')
    assert.equal(await now(20), 'open')
  }
  assert.equal(await now(0), 'closing')
  await agoMinutes(rule.id, 5)
  assert.equal(await now(0), 'ok')
  const incidents = await incidentsOf(team)
  assert.equal(incidents.length, 1)
  assert.equal(incidents[0].peak_value, 20)
  const tellings = await sql<{
    what: string
  }>`select what from alert_tellings where team_id = ${team.id} order by told_at`
  assert.deepEqual(
    tellings.map(({ what }) => what),
    ['opened', 'closed'],
  )
})

proves(
  'alerts.once',
  'three processes watch at once and one is cut off before its commit: one incident, and nothing of the one cut off',
  async () => {
    const team = await seedTeam(service)
    const rule = await make(team, misses)
    await missed(team, 12)
    // dies with its work done and not committed, as a killed process does
    const dying: Context = {
      ...context,
      db: {
        ...context.db,
        transaction: (work) =>
          context.db.transaction(async (inside) => {
            const result = await work(inside)
            const left = await inside`select from alert_tellings where team_id = ${team.id}`
            if (left.length > 0) throw new Error('cut off')
            return result
          }),
      },
    }
    await watch(team, dying)
    assert.deepEqual(await incidentsOf(team), [])
    assert.match((await ruleOf(team, rule.id)).problem, /failed to measure/)
    const others = [await testApp({ address, config }), await testApp({ address, config })]
    await sql`update alert_rules set next_at = now() - interval '1 second' where id = ${rule.id}`
    await Promise.all([context, ...others.map((one) => one.context)].map((by) => watchRules({ context: by, signal })))
    assert.equal((await incidentsOf(team)).length, 1)
    assert.equal((await sql`select from alert_tellings where team_id = ${team.id}`).length, 1)
  },
)

proves('alerts.once', 'what was measured before a change of the rule counts for nothing', async () => {
  const team = await seedTeam(service)
  const rule = await make(team, misses)
  await missed(team, 12)
  const changing: Context = {
    ...context,
    db: {
      ...context.db,
      transaction: async (work) => {
        await team.call(`PATCH /v2/alert-rules/${rule.id}`, { body: { threshold: 50, clear_threshold: 40 } })
        return context.db.transaction(work)
      },
    },
  }
  await watch(team, changing)
  assert.deepEqual(await incidentsOf(team), [])
  assert.equal((await ruleOf(team, rule.id)).state, 'ok')
})

proves('alerts.once', 'what was measured before a later measurement was noted counts for nothing', async () => {
  const team = await seedTeam(service)
  const rule = await make(team, misses)
  await missed(team, 12)
  const slow: Context = {
    ...context,
    db: {
      ...context.db,
      transaction: async (work) => {
        const measured = await context.db.transaction(work)
        await missed(team, 0)
        await watch(team)
        return measured
      },
    },
  }
  await watch(team, slow)
  assert.deepEqual(await incidentsOf(team), [])
  const { state, measured_value } = await ruleOf(team, rule.id)
  assert.deepEqual([state, measured_value], ['ok', 0])
})

proves(
  'alerts.reminded',
  'an open incident is in another mail after its time, until somebody acknowledges it',
  async () => {
    const team = await seedTeam(service)
    await reader(team)
    await make(team, { ...misses, remind_hours: 4 })
    await missed(team, 12)
    await watch(team)
    const later = () => sql`update alert_tellings set told_at = told_at - interval '4 hours' where team_id = ${team.id}`
    await later()
    await watch(team)
    await watch(team)
    const tellings = async () =>
      (await sql<{ what: string }>`select what from alert_tellings where team_id = ${team.id} order by told_at`).map(
        ({ what }) => what,
      )
    assert.deepEqual(await tellings(), ['opened', 'reminder'])
    const [{ id }] = await incidentsOf(team)
    const { body } = await team.call(`POST /v2/incidents/${id}/acknowledge`, { body: { note: 'On it.' } })
    assert.deepEqual([body.incident.acknowledged_by, body.incident.note], [team.memberId, 'On it.'])
    await later()
    await watch(team)
    assert.deepEqual(await tellings(), ['opened', 'reminder'])
  },
)

proves(
  'alerts.reminded',
  'an incident that closes when a reminder is due is reported as closed and not as still open',
  async () => {
    const team = await seedTeam(service)
    await make(team, { ...misses, remind_hours: 4 })
    await missed(team, 12)
    await watch(team)
    await sql`update alert_tellings set told_at = now() - interval '5 hours' where team_id = ${team.id}`
    await missed(team, 0)
    await watch(team)
    const told = await sql<{ what: string }>`select what from alert_tellings where team_id = ${team.id} order by id`
    assert.deepEqual(told, [{ what: 'opened' }, { what: 'closed' }])
  },
)

proves(
  'alerts.over',
  'a rule that is switched off, deleted, or whose queue is gone closes its incident and says why',
  async () => {
    const team = await seedTeam(service)
    const queueId = await seedQueue(team)
    const [caseId] = await seedCases(team, queueId, 1)
    await sql`update cases set created_at = now() - interval '3 hours' where id = ${caseId} and team_id = ${team.id}`
    await missed(team, 12)
    const off = await make(team, misses)
    const deleted = await make(team, misses)
    const gone = await make(team, { signal: 'queue_age', scope: 'queue', scope_id: queueId, threshold: 60 })
    await watch(team)
    assert.equal((await incidentsOf(team, '?state=open')).length, 3)
    await team.call(`PATCH /v2/alert-rules/${off.id}`, { body: { enabled: false } })
    await team.call(`DELETE /v2/alert-rules/${deleted.id}`)
    await team.call(`DELETE /v2/queues/${queueId}`)
    await watch(team)
    const because = new Map(
      (await incidentsOf(team, '?state=closed')).map((one: { rule_id: string; closed_because: string }) => [
        one.rule_id,
        one.closed_because,
      ]),
    )
    assert.deepEqual(
      [off, deleted, gone].map(({ id }) => because.get(id)),
      ['rule_disabled', 'rule_deleted', 'scope_gone'],
    )
    const left = await ruleOf(team, gone.id)
    assert.deepEqual([left.enabled, left.problem], [false, 'The queue that it was about is gone.'])
    assert.equal((await ruleOf(team, off.id)).incident_id, null)
  },
)

proves('alerts.pause', 'an incident pauses its agent, and only a person resumes it', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, block('output', 'done'))
  const rule = await make(team, {
    name: 'Paper',
    signal: 'failure_rate',
    scope: 'agent',
    scope_id: agentId,
    threshold: 50,
    min_runs: 1,
    pause_agent: true,
  })
  await ended(team, agentId, 'failed')
  await watch(team)
  const [incident] = await incidentsOf(team)
  assert.equal(incident.paused_agent_id, agentId)
  const agent = async () => (await team.call(`GET /v2/agents/${agentId}`)).body.agent
  assert.deepEqual(
    [(await agent()).paused_by, (await agent()).paused_by_incident_id, (await agent()).paused_reason],
    [null, incident.id, 'The rule “Paper” paused it: Failure rate 100 %.'],
  )
  const log = (await team.call('GET /v2/teams/:teamId/audit-log?operation=pauseAgent')).body.entries
  assert.deepEqual(
    log.map((entry: Record<string, unknown>) => [
      entry['credential_type'],
      entry['credential_id'],
      entry['target_id'],
      entry['user_id'],
    ]),
    [['service', incident.id, agentId, null]],
  )
  const refused = await team.call('POST /v2/teams/:teamId/runs', { body: { agent_id: agentId } })
  assert.deepEqual([refused.status, refused.body.error], [409, 'agent_paused'])
  assert.match(refused.body.message, /Tested is paused: The rule “Paper”/)
  await sql`update runs set created_at = created_at - interval '2 hours' where team_id = ${team.id}`
  await watch(team)
  assert.deepEqual([(await incidentsOf(team))[0].state, (await ruleOf(team, rule.id)).state], ['closed', 'ok'])
  assert.notEqual((await agent()).paused_at, null, 'the end of the incident resumes nothing')
  await team.call(`POST /v2/agents/${agentId}/resume`)
  assert.equal((await agent()).paused_at, null)
  await startRun(team, agentId)
})

proves('alerts.fair', 'the one rule of a team is measured in the first round, however many another has', async () => {
  const [busy, quiet] = [await seedTeam(service), await seedTeam(service)]
  await make(busy, misses)
  await sql`
    insert into alert_rules (id, team_id, name, signal, scope, threshold, clear_threshold, window_minutes, for_minutes, clear_minutes, pause_agent,
      enabled, created_by, next_at)
    select gen_random_uuid(), ${busy.id}, 'Copy ' || n, 'schedule_misses', 'team', 5, 4, 60, 0, 0, false, true, ${busy.memberId}, now() - interval '1 hour'
    from generate_series(1, 99) n`
  const rule = await make(quiet, misses)
  const measured: string[] = []
  const stopping = new AbortController()
  const noting: Context = {
    ...context,
    db: {
      ...context.db,
      transaction: async (work) => {
        const result = await context.db.transaction(work)
        const done = await sql<{
          id: string
        }>`select id from alert_rules where measured_at is not null and team_id = ${quiet.id}`
        measured.push(...done.map(({ id }) => id))
        if (measured.length > 0) stopping.abort()
        return result
      },
    },
  }
  await watchRules({ context: noting, signal: stopping.signal })
  assert.ok(measured.includes(rule.id))
  const [{ count } = { count: 0 }] = await sql<{ count: number }>`
    select count(*) from alert_rules where measured_at is not null and team_id = ${busy.id}`
  assert.ok(count <= 2, `${count} rules of the other team were measured before it`)
})

proves('alerts.fair', 'a rule whose agent somebody holds waits, and the rules of others are measured', async () => {
  const [held, other] = [await seedTeam(service), await seedTeam(service)]
  const agentId = await seedAgent(held, block('output', 'done'))
  const pausing = {
    signal: 'failure_rate',
    scope: 'agent',
    scope_id: agentId,
    threshold: 50,
    min_runs: 1,
    pause_agent: true,
  }
  await make(held, pausing)
  await ended(held, agentId, 'failed')
  const rule = await make(other, misses)
  const impatient: Context['db']['transaction'] = (work) =>
    context.db.transaction(async (inside) => {
      await inside`set local lock_timeout = 20`
      return work(inside)
    })
  const hasty = { ...context, db: { ...context.db, transaction: impatient } }
  await context.db.transaction(async (inside) => {
    await inside`select id from agents where id = ${agentId} for no key update`
    await watchRules({ context: hasty, signal })
  })
  assert.notEqual((await ruleOf(other, rule.id)).measured_at, null)
  assert.deepEqual(await incidentsOf(held), [])
  await watch(held)
  assert.equal((await incidentsOf(held))[0].paused_agent_id, agentId)
})

proves('alerts.fair', 'a preview measures in a slot of its team among the connections of requests', async () => {
  const team = await seedTeam(service)
  const held: number[] = []
  const transaction: Context['db']['transaction'] = (work) => {
    held.push(statementSlotsOf(mine).taken(team.id))
    return context.db.transaction(work)
  }
  const mine: Context = { ...context, parts: new Map(context.parts), db: { ...context.db, transaction } }
  const body = { name: 'Costs', signal: 'cost', threshold: 1 }
  await handled(previewAlertRule, { sql, team, context: mine, found: { body } })
  assert.deepEqual(held, [1])
})

proves('alerts.idle', 'while no rule is due, a beat asks only what all loops ask together', async () => {
  const { context: idle } = await testApp()
  const asked: string[] = []
  const counted: Context = {
    ...idle,
    parts: new Map(idle.parts),
    db: {
      ...idle.db,
      sql: (strings, ...values) => {
        asked.push(strings.join('?'))
        return idle.db.sql(strings, ...values)
      },
      transaction: () => assert.fail('nothing is measured'),
    },
  }
  await watchRules({ context: counted, signal })
  assert.equal(asked.length, 1)
  assert.match(asked[0]!, /^select array\[/)
})

/** What each statement of the work is planned as, with the settings that the service has. */
async function plansOf(work: (sql: Sql) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = []
  await work(async (strings, ...values) => {
    const { statement, parameters } = flatten(strings, values)
    const { rows } = await context.db.pool.query<{ 'QUERY PLAN': string }>(
      `explain (costs off) ${statement.text}`,
      parameters,
    )
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
    return sql(strings, ...values)
  })
  return plans
}

proves('alerts.plan', 'no signal, and no list of rules and incidents, reads a table whole', async () => {
  const team = await seedTeam(service)
  const scopeOf = {
    failure_rate: 'agent',
    waiting_age: 'agent',
    cost: 'agent',
    queue_age: 'queue',
    delivery_failures: 'webhook',
    schedule_misses: 'schedule',
  } as const
  const plans: string[] = []
  for (const of of signals) {
    for (const scope of new Set([...(of === 'queue_age' ? [] : ['team' as const]), scopeOf[of]])) {
      const asked = {
        team_id: team.id,
        signal: of,
        scope,
        scope_id: scope === 'team' ? null : newId(),
        window_minutes: of === 'cost' ? 1440 : 60,
        min_runs: 1,
      }
      plans.push(
        ...(await plansOf(async (explained) => measure({ transaction: (work) => work(explained) }, asked, () => true))),
      )
    }
  }
  for (const list of [listAlertRules, listAlertIncidents])
    plans.push(
      ...(await plansOf((explained) =>
        handled(list, { sql: explained, team, context, query: { limit: 20, offset: 0, state: 'open' } }),
      )),
    )
  assert.ok(plans.length > 30, `${plans.length} statements`)
  for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan/, plan)
})
