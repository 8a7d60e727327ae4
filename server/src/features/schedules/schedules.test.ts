// Schedules as callers see them: made, changed, paused, listed, previewed, deleted, and refused with a reason.
import assert from 'node:assert/strict'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { typedClient } from '../../../test/kit/typedClient.ts'
import { proves } from '../../../test/kit/proves.ts'
import { createSchedule } from './createSchedule.ts'
import { getSchedulePreview } from './getSchedulePreview.ts'
import { updateSchedule } from './updateSchedule.ts'

const service = await testApp()

async function seed(): Promise<{ team: TestTeam; agentId: string; path: string }> {
  const team = await seedTeam(service)
  const agentId = await seeders['agent']!(team, {})
  return { team, agentId, path: `/v2/agents/${agentId}/schedules` }
}

proves('schedules.create', 'a schedule is answered bare, with its defaults and its next time', async () => {
  const { team, agentId, path } = await seed()
  service.clock.set('2026-07-17T12:00:00.000Z')
  const { status, body } = await team.call(`POST ${path}`, { body: { frequency: 'workday', time: '09:00' } })
  assert.equal(status, 200)
  const { id, created_at, updated_at, ...rest } = body
  assert.equal(created_at, updated_at)
  assert.deepEqual(rest, {
    schedule_id: id,
    agent_id: agentId,
    user_id: team.memberId,
    enabled: true,
    frequency: 'workday',
    time: '09:00',
    day: null,
    day_of_month: null,
    cron: null,
    timezone: 'UTC',
    message: null,
    recurring: true,
    overlap: 'skip',
    catch_up: 'last',
    next_run_at: '2026-07-20T09:00:00.000Z',
    last_run_at: null,
    last_run_id: null,
    auto_disabled_at: null,
    auto_disabled_reason: null,
    last_skipped_at: null,
    last_skipped_reason: null,
  })
})

proves('schedules.fields', 'each frequency takes its own fields and no others, and says which', async () => {
  const { team, path } = await seed()
  const refused: [object, RegExp][] = [
    [{}, /frequency is missing/],
    [{ frequency: 'yearly' }, /frequency must be one of: every_5_minutes, .*custom/],
    [{ frequency: 'daily' }, /time is missing: frequency daily needs it \(HH:MM, such as 09:00\)/],
    [{ frequency: 'daily', time: '9:00' }, /time /],
    [{ frequency: 'daily', time: '24:00' }, /time /],
    [
      { frequency: 'hourly', time: '09:00' },
      /time does not go with frequency hourly, only with daily, workday, weekly, monthly/,
    ],
    [{ frequency: 'weekly', time: '09:00' }, /day is missing: frequency weekly needs it \(monday to sunday\)/],
    [{ frequency: 'weekly', time: '09:00', day: 'mon' }, /day must be one of: monday, .*sunday/],
    [{ frequency: 'daily', time: '09:00', day: 'monday' }, /day does not go with frequency daily, only with weekly/],
    [{ frequency: 'monthly', time: '09:00' }, /day_of_month is missing: frequency monthly needs it \(1 to 31\)/],
    [{ frequency: 'monthly', time: '09:00', day_of_month: 32 }, /day_of_month /],
    [{ frequency: 'custom' }, /cron is missing: frequency custom needs it/],
    [
      { frequency: 'daily', time: '09:00', cron: '0 9 * * *' },
      /cron does not go with frequency daily, only with custom/,
    ],
    [{ frequency: 'custom', cron: '0 9 * *' }, /cron must have five fields/],
    [{ frequency: 'custom', cron: '0 25 * * *' }, /cron has "25" as hour, which must be 0 to 23/],
    [{ frequency: 'custom', cron: '0 0 31 2 *' }, /cron fits no date that ever comes/],
    [{ frequency: 'hourly', timezone: 'Europe/Atlantis' }, /timezone is not known here.*IANA/],
    [{ frequency: 'hourly', timezone: '+02:00' }, /timezone is not known here/],
    [{ frequency: 'hourly', overlap: 'never' }, /overlap must be one of: skip, queue, allow/],
    [{ frequency: 'hourly', catch_up: 'some' }, /catch_up must be one of: none, last, all/],
  ]
  for (const [body, message] of refused) {
    const answer = await team.call(`POST ${path}`, { body })
    assert.equal(answer.status, 400, JSON.stringify(body))
    assert.equal(answer.body.error, 'invalid_request')
    assert.match(answer.body.message, message)
  }
  assert.deepEqual((await team.call(`GET ${path}`)).body, { schedules: [] })
  const taken: object[] = [
    { frequency: 'every_5_minutes', time: null },
    { frequency: 'every_15_minutes', timezone: null },
    { frequency: 'hourly', timezone: 'Asia/Kolkata' },
    { frequency: 'weekly', time: '23:59', day: 'sunday' },
    { frequency: 'monthly', time: '00:00', day_of_month: 31 },
    { frequency: 'custom', cron: ' */10 8-17 * * mon-fri ' },
  ]
  for (const body of taken) assert.equal((await team.call(`POST ${path}`, { body })).status, 200, JSON.stringify(body))
  const { schedules } = (await team.call(`GET ${path}`)).body
  assert.deepEqual(
    schedules.map(({ frequency }: { frequency: string }) => frequency),
    ['every_5_minutes', 'every_15_minutes', 'hourly', 'weekly', 'monthly', 'custom'],
  )
  assert.equal(schedules[5].cron, '*/10 8-17 * * mon-fri')
})

proves('schedules.update', 'only a change of the timing moves the next time', async () => {
  const { team, path } = await seed()
  service.clock.set('2026-07-17T12:00:00.000Z')
  const made = await team.call(`POST ${path}`, {
    body: { frequency: 'weekly', day: 'monday', time: '09:00', message: 'one', timezone: 'Europe/Berlin' },
  })
  const change = async (body: object) => (await team.call(`PATCH ${path}/${made.body.id}`, { body })).body
  service.clock.set('2026-07-25T12:00:00.000Z')
  const said = await change({ message: 'two', overlap: 'queue', catch_up: 'all', recurring: false, time: '09:00' })
  assert.deepEqual([said.message, said.overlap, said.catch_up, said.recurring], ['two', 'queue', 'all', false])
  assert.equal(
    said.next_run_at,
    '2026-07-20T07:00:00.000Z',
    'it is due, and a change of its words does not take that away',
  )
  assert.equal((await change({ time: '10:00' })).next_run_at, '2026-07-27T08:00:00.000Z')
  const daily = await change({ frequency: 'daily' })
  assert.deepEqual([daily.day, daily.time, daily.next_run_at], [null, '10:00', '2026-07-26T08:00:00.000Z'])
  assert.equal((await change({ timezone: null })).timezone, 'UTC')
  assert.equal((await change({ message: null })).message, null)
  for (const [body, message] of [
    [{ frequency: 'weekly' }, /day is missing/],
    [{ time: null }, /time is missing/],
    [{ day_of_month: 3 }, /day_of_month does not go with frequency daily/],
  ] as const) {
    const answer = await team.call(`PATCH ${path}/${made.body.id}`, { body })
    assert.equal(answer.status, 400)
    assert.match(answer.body.message, message)
  }
})

proves(
  'schedules.enabled',
  'a paused schedule has no next time until it is enabled, which counts from then on',
  async () => {
    const { team, path } = await seed()
    service.clock.set('2026-07-17T12:00:00.000Z')
    const made = await team.call(`POST ${path}`, { body: { frequency: 'daily', time: '09:00', enabled: false } })
    assert.deepEqual([made.body.enabled, made.body.next_run_at], [false, null])
    const change = async (body: object) => (await team.call(`PATCH ${path}/${made.body.id}`, { body })).body
    assert.equal((await change({ time: '10:00' })).next_run_at, null, 'a change does not enable it')
    service.clock.set('2026-07-18T12:00:00.000Z')
    assert.equal((await change({ enabled: true })).next_run_at, '2026-07-19T10:00:00.000Z')
    assert.equal((await change({ enabled: false })).next_run_at, null)
    await team.sql`
    update schedules set auto_disabled_at = now(), auto_disabled_reason = 'It failed.', failures = 10 where id = ${made.body.id}`
    assert.equal((await change({ message: 'x' })).auto_disabled_reason, 'It failed.')
    const enabled = await change({ enabled: true })
    assert.deepEqual([enabled.auto_disabled_at, enabled.auto_disabled_reason, enabled.enabled], [null, null, true])
    const [row] = await team.sql<{ failures: number }>`select failures from schedules where id = ${made.body.id}`
    assert.equal(row!.failures, 0)
  },
)

proves('schedules.preview', 'the preview tells five times, of one that fires once its only one', async () => {
  const { team, agentId: agent_id } = await seed()
  const client = typedClient(service, team)
  service.clock.set('2026-03-27T12:00:00.000Z')
  const { schedule_id } = await client.send(createSchedule, {
    params: { agent_id },
    body: { frequency: 'daily', time: '02:30', timezone: 'Europe/Berlin' },
  })
  const params = { agent_id, schedule_id }
  const preview = () => client.send(getSchedulePreview, { params })
  const five = ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30', '2026-03-31T00:30', '2026-04-01T00:30']
  assert.deepEqual(await preview(), {
    schedule_id,
    timezone: 'Europe/Berlin',
    next_runs: five.map((at) => `${at}:00.000Z`),
  })
  await client.send(updateSchedule, { params, body: { enabled: false } })
  assert.equal((await preview()).next_runs.length, 5, 'those it would have')
  await client.send(updateSchedule, { params, body: { recurring: false } })
  assert.deepEqual((await preview()).next_runs, [`${five[0]}:00.000Z`])
})

proves('schedules.previewTiming', 'a timing has its due times before there is a schedule', async () => {
  const { team } = await seed()
  service.clock.set('2026-03-27T12:00:00.000Z')
  const preview = (body: object) => team.call('POST /v2/teams/:teamId/schedule-previews', { body })
  const { body } = await preview({ frequency: 'daily', time: '02:30', timezone: 'Europe/Berlin' })
  const five = ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30', '2026-03-31T00:30', '2026-04-01T00:30']
  assert.deepEqual(body, { timezone: 'Europe/Berlin', next_runs: five.map((at) => `${at}:00.000Z`) })
  const wrong = await preview({ frequency: 'custom', cron: '99 * * * *', timezone: 'Mars/Olympus' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.body.message, /timezone is not known/)
  assert.match(wrong.body.message, /cron /)
})

proves('schedules.delete', 'a deleted schedule is gone, and so are those of a deleted agent', async () => {
  const { team, agentId, path } = await seed()
  const ids: string[] = []
  for (let made = 0; made < 3; made++) ids.push(await seeders['schedule']!(team, { agent: agentId }))
  assert.deepEqual((await team.call(`DELETE ${path}/${ids[0]}`)).body, { success: true })
  assert.equal((await team.call(`DELETE ${path}/${ids[0]}`)).status, 404)
  const other = await seeders['agent']!(team, {})
  assert.equal((await team.call(`PATCH /v2/agents/${other}/schedules/${ids[1]}`, { body: {} })).status, 404)
  await team.call(`DELETE /v2/agents/${agentId}`)
  assert.equal((await team.call(`GET ${path}`)).status, 404)
  assert.deepEqual(await team.sql`select id from schedules where agent_id = ${agentId}`, [])
})

proves('schedules.most', 'an agent has at most 100 schedules, however many are made at once', async () => {
  const { team, agentId, path } = await seed()
  const id = await seeders['schedule']!(team, { agent: agentId })
  await team.sql`
    insert into schedules (id, team_id, agent_id, user_id, enabled, frequency, timezone, recurring, overlap, catch_up)
    select gen_random_uuid(), team_id, agent_id, user_id, false, 'hourly', 'UTC', true, 'skip', 'last'
    from schedules, generate_series(1, 97) where id = ${id}`
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => team.call(`POST ${path}`, { body: { frequency: 'hourly' } })),
  )
  const refused = answers.filter(({ status }) => status === 409)
  assert.equal(answers.filter(({ status }) => status === 200).length, 2)
  assert.equal(refused.length, 3)
  for (const { body } of refused) assert.match(body.message, /100 schedules.*Delete or change one/)
})

proves('agents.list', 'agents are listed with their schedules as the list of schedules gives them', async () => {
  const { team, agentId, path } = await seed()
  await seeders['schedule']!(team, { agent: agentId })
  await seeders['schedule']!(team, { agent: agentId })
  const bare = await seeders['agent']!(team, {})
  const { body } = await team.call('GET /v2/teams/:teamId/agents?include_schedules=true')
  const byId = new Map(body.agents.map((one: { id: string; schedules: unknown }) => [one.id, one.schedules]))
  assert.deepEqual(byId.get(agentId), (await team.call(`GET ${path}`)).body.schedules)
  assert.deepEqual(byId.get(bare), [])
})
