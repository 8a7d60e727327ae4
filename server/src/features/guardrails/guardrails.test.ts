// The rules of a team as callers set, read and restore them.
import assert from 'node:assert/strict'
import { plansOn, handled } from '../../../test/kit/plans.ts'
import { seedColleague } from '../../../test/kit/cases.ts'
import { proves } from '../../../test/kit/proves.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { listGuardrailStops } from './listGuardrailStops.ts'
import { listGuardrailVersions } from './listGuardrailVersions.ts'

const service = await testApp()
const { sql } = service.context.db

const set = (team: TestTeam, body: object) => team.call('PUT /v2/teams/:teamId/guardrails', { body })
const read = async (team: TestTeam) => (await team.call('GET /v2/teams/:teamId/guardrails')).body

proves('guardrails.set', 'rules become a version that is live, with who made it and why', async () => {
  const team = await seedTeam(service)
  const before = await read(team)
  assert.deepEqual([before.guardrails.version, before.guardrails.created_at], [0, null])
  assert.deepEqual([before.today.runs, before.today.outside_calls, before.today.cost_usd], [0, 0, '0'])
  const rules = {
    always_ask: ['browser_*', 'browser_*'],
    allowed_hosts: ['API.Example.com.', '*.example.org'],
    cost_usd_per_day: 12.5,
    quiet_hours: [{ days: ['sun', 'sat'], from: '22:00', to: '06:00' }],
    time_zone: 'Europe/Berlin',
  }
  const made = await set(team, { rules, comment: 'After the incident.' })
  assert.equal(made.status, 200, made.text)
  const { guardrails } = await read(team)
  assert.deepEqual(guardrails, made.body.guardrails)
  assert.deepEqual(
    [guardrails.version, guardrails.comment, guardrails.user_id, guardrails.restores],
    [1, 'After the incident.', team.memberId, null],
  )
  assert.deepEqual(guardrails.rules, {
    always_ask: ['browser_*'],
    two_person: [],
    allowed_hosts: ['api.example.com', '*.example.org'],
    allowed_connections: null,
    cost_usd_per_day: '12.5',
    runs_per_day: null,
    outside_calls_per_day: null,
    quiet_hours: [{ days: ['sat', 'sun'], from: '22:00', to: '06:00' }],
    time_zone: 'Europe/Berlin',
  })
  assert.equal((await set(team, { rules })).body.guardrails.version, 1, 'the same rules are no new version')
  const other = await seedTeam(service)
  assert.equal((await read(other)).guardrails.version, 0)
})

proves('guardrails.set', 'only whoever manages keys sets them, and every member reads them', async () => {
  const team = await seedTeam(service)
  const colleague = await seedColleague(team, 'Operator', ['team:read', 'agents:write'])
  const refused = await set(colleague, { rules: { always_ask: ['*'] } })
  assert.deepEqual([refused.status, refused.body.error], [403, 'insufficient_scope'])
  assert.equal((await read(colleague)).guardrails.version, 0)
})

proves('guardrails.problems', 'every problem is named at once', async () => {
  const team = await seedTeam(service)
  const stranger = newId()
  const rules = {
    two_person: ['bank__*'],
    allowed_hosts: ['https://example.com/', 'example.com:443', 'ok.example.com', 'a b', '*'],
    allowed_connections: [stranger],
    quiet_hours: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '00:00', to: '24:00' }],
    time_zone: 'Mars/Olympus',
  }
  const { status, body } = await set(team, { rules })
  assert.deepEqual([status, body.error], [400, 'invalid_request'])
  for (const words of [
    'rules.allowed_hosts[0]',
    'rules.allowed_hosts[1]',
    'rules.allowed_hosts[3]',
    'rules.allowed_hosts[4]',
    'rules.time_zone',
    'rules.quiet_hours: they cover the whole week',
    `this team has no connection ${stranger}`,
    'fewer than two members',
  ]) {
    assert.ok(body.message.includes(words), `${words} in ${body.message}`)
  }
  assert.doesNotMatch(body.message, /allowed_hosts\[2\]/)
  const misfit = await set(team, {
    rules: { always_ask: ['a tool'], runs_per_day: -1, quiet_hours: [{ days: [], from: '25:00' }] },
  })
  assert.equal(misfit.status, 400)
  for (const words of ['always_ask', 'runs_per_day', 'quiet_hours'])
    assert.ok(misfit.body.message.includes(words), misfit.text)
  assert.equal((await read(team)).guardrails.version, 0)
})

proves('guardrails.restore', 'an earlier version becomes the newest one, and stays in the history', async () => {
  const team = await seedTeam(service)
  await set(team, { rules: { runs_per_day: 10 } })
  await set(team, { rules: { runs_per_day: 20 }, expected_version: 1 })
  const late = await set(team, { rules: { runs_per_day: 30 }, expected_version: 1 })
  assert.deepEqual([late.status, late.body.error], [409, 'conflict'])
  const restore = (version: number) => team.call('POST /v2/teams/:teamId/guardrails/restore', { body: { version } })
  const { status, body } = await restore(1)
  assert.equal(status, 200)
  assert.deepEqual([body.guardrails.version, body.guardrails.restores, body.guardrails.rules.runs_per_day], [3, 1, 10])
  assert.equal((await restore(3)).body.error, 'conflict')
  assert.equal((await restore(9)).status, 404)
  const { versions, total } = (await team.call('GET /v2/teams/:teamId/guardrails/versions')).body
  assert.deepEqual(
    versions.map((one: { version: number; rules: { runs_per_day: number } }) => [one.version, one.rules.runs_per_day]),
    [
      [3, 10],
      [2, 20],
      [1, 10],
    ],
  )
  assert.equal(total, 3)
})

proves('guardrails.plan', 'the lists go by indexes, however many rows other teams have', async () => {
  const teams = await Promise.all(Array.from({ length: 20 }, () => seedTeam(service)))
  const ids = teams.map(({ id }) => id)
  await sql`
    insert into guardrail_stops (run_id, step, rule, team_id, tool, way, version, says, at)
    select gen_random_uuid(), 1, 'allowed_hosts', t, 'http_request', 'refused', 1, '', now() - n * interval '1 s'
    from generate_series(1, 500) n, unnest(${ids}::uuid[]) t`
  await sql`
    insert into guardrails (team_id, version, rules, created_at)
    select t, n, '{}', now() - n * interval '1 hour' from generate_series(1, 300) n, unnest(${ids}::uuid[]) t`
  await sql`analyze guardrail_stops, guardrails`
  const other = await seedTeam(service)
  const explain = await plansOn(service.context.db)
  const { context } = service
  const page = { limit: 50, offset: 0 }
  const plans = await explain(async (explained) => {
    await handled(listGuardrailStops, { sql: explained, team: other, context, query: page })
    await handled(listGuardrailStops, { sql: explained, team: other, context, query: { ...page, rule: 'quiet_hours' } })
    await handled(listGuardrailVersions, { sql: explained, team: other, context, query: page })
  })
  assert.equal(plans.length, 6)
  for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan on guardrail/)
})
