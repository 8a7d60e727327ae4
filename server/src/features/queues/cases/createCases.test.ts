// Making cases: all or none, in their order, each external_id once, with labels, timeline, events and a call to the queue's agents.
import assert from 'node:assert/strict'
import { Client } from 'pg'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { connectionSettings } from '../../../base/db.ts'
import { newId } from '../../../base/ids.ts'
import { proves } from '../../../../test/kit/proves.ts'

const service = await testApp()
const team = await seedTeam(service)

async function newQueue(): Promise<string> {
  const id = newId()
  await team.sql`insert into queues (id, team_id, name) values (${id}, ${team.id}, ${`Queue ${id}`})`
  return id
}

const add = (queueId: string, body: unknown, idempotencyKey?: string) =>
  team.call(`POST /v2/queues/${queueId}/cases`, { body, ...(idempotencyKey !== undefined && { idempotencyKey }) })

async function casesOf(queueId: string): Promise<number> {
  const [counted] = await team.sql<{ cases: number }>`select count(*) as cases from cases where queue_id = ${queueId}`
  return counted!.cases
}

const idsOf = (added: { id: string }[]) => added.map(({ id }) => id)

proves(
  'cases.create',
  'cases are answered in the order in which they were given, with what was left out filled in',
  async () => {
    const queueId = await newQueue()
    const titles = Array.from({ length: 100 }, (_, index) => `Invoice ${100 - index}`)
    const many = await add(queueId, { cases: titles.map((title) => ({ title })) })
    assert.equal(many.status, 201, many.text)
    assert.deepEqual(
      many.body.added_cases.map((one: { title: string }) => one.title),
      titles,
    )
    // and so they are listed and given out: all of one time, by their ids
    assert.deepEqual(idsOf(many.body.added_cases), idsOf(many.body.added_cases).toSorted())
    const one = await add(queueId, { case: { title: 'Last', data: '{"amount": 1}', priority: 'high' } })
    const [last] = one.body.added_cases
    const { id, created_at, updated_at, ...rest } = last
    assert.deepEqual(rest, {
      queue_id: queueId,
      title: 'Last',
      data: '{"amount": 1}',
      status: 'pending',
      display_status: 'pending',
      priority: 'high',
      labels: [],
      claimed_at: null,
      claimed_by_run_id: null,
      claimed_by_user_id: null,
      completed_at: null,
      postponed_to: null,
      attempts: 0,
      result: null,
      reason: null,
      pending_human_request_id: null,
      created_by_user_id: team.memberId,
      existing: false,
    })
    assert.equal(created_at, updated_at)
    const { case: read } = (await team.call(`GET /v2/cases/${id}`)).body
    assert.deepEqual({ ...read, existing: false }, last)
    assert.deepEqual([read.data, many.body.added_cases[0].data], ['{"amount": 1}', ''])
  },
)

proves('cases.createOneOrMany', 'exactly one of case and cases is taken, and cases are 1 to 100', async () => {
  const queueId = await newQueue()
  const item = { title: 'Invoice' }
  const wrong = [{}, { case: item, cases: [item] }, { cases: [] }, { cases: Array.from({ length: 101 }, () => item) }]
  for (const body of wrong) assert.equal((await add(queueId, body)).status, 400)
  assert.match((await add(queueId, {})).body.message, /either case, .* or cases/)
  assert.equal(await casesOf(queueId), 0)
})

proves('cases.allOrNothing', 'one case that does not fit leaves the queue without any', async () => {
  const queueId = await newQueue()
  const fine = { title: 'Fine', external_id: 'fine', labels: [{ key: 'region', value: 'north' }] }
  const wrong = [
    { title: '' },
    { title: 'x'.repeat(501) },
    { title: 'Data', data: { amount: 1 } },
    { title: 'Data', data: 'ü'.repeat(128 * 1024 + 1) },
    { title: 'Name', external_id: '' },
    { title: 'Name', external_id: 'x'.repeat(256) },
    { title: 'Label', labels: [{ key: 'region' }] },
  ]
  for (const one of wrong)
    assert.equal((await add(queueId, { cases: [fine, one] })).status, 400, JSON.stringify(one).slice(0, 80))
  const large = await add(queueId, { cases: [fine, wrong[3]] })
  assert.match(large.body.message, /^cases\.1\.data is larger than 256 KiB/)
  assert.equal(await casesOf(queueId), 0)
  assert.equal((await team.sql`select id from labels where queue_id = ${queueId}`).length, 0)
})

proves('cases.createBody', 'a request of many large cases is taken up to 16 MiB', async () => {
  const queueId = await newQueue()
  const data = 'x'.repeat(256 * 1024)
  const large = await add(queueId, { cases: Array.from({ length: 60 }, () => ({ title: 'Large', data })) })
  assert.equal(large.status, 201, large.text.slice(0, 200))
  const larger = await add(queueId, { cases: Array.from({ length: 70 }, () => ({ title: 'Large', data })) })
  assert.deepEqual([larger.status, larger.body.error], [400, 'payload_too_large'])
})

proves(
  'cases.externalId',
  'what is brought twice is there once and unchanged: later, in one request, and by a keyed request that is sent again',
  async () => {
    const queueId = await newQueue()
    const first = await add(queueId, { case: { title: 'First', external_id: 'crm-1' } }, 'create-1')
    const again = await add(queueId, {
      cases: [
        { title: 'Other', external_id: 'crm-1', labels: [{ key: 'region', value: 'north' }] },
        { title: 'Second', external_id: 'crm-2' },
        { title: 'Third' },
        { title: 'Second again', external_id: 'crm-2' },
      ],
    })
    const shown = again.body.added_cases.map((one: { title: string; existing: boolean }) => [one.title, one.existing])
    assert.deepEqual(shown, [
      ['First', true],
      ['Second', false],
      ['Third', false],
      ['Second', true],
    ])
    const ids = idsOf(again.body.added_cases)
    assert.deepEqual([ids[0], ids[1]], [first.body.added_cases[0].id, ids[3]])
    assert.deepEqual(again.body.added_cases[0].labels, [])
    const replayed = await add(queueId, { case: { title: 'First', external_id: 'crm-1' } }, 'create-1')
    assert.deepEqual(replayed.body, first.body)
    assert.equal(await casesOf(queueId), 3)
    const otherQueue = await add(await newQueue(), { case: { title: 'First', external_id: 'crm-1' } })
    assert.equal(otherQueue.body.added_cases[0].existing, false)
  },
)

proves(
  'cases.externalIdRaces',
  'many requests at once that bring the same cases in different orders leave each of them once',
  async () => {
    const queueId = await newQueue()
    const names = Array.from({ length: 30 }, (_, index) => `crm-${index}`)
    const brought = await Promise.all(
      Array.from({ length: 12 }, (_, turn) => {
        const turned = [...names.slice(turn * 2), ...names.slice(0, turn * 2)]
        return add(queueId, { cases: turned.map((external_id) => ({ title: external_id, external_id })) })
      }),
    )
    assert.deepEqual(new Set(brought.map(({ status }) => status)), new Set([201]))
    assert.equal(await casesOf(queueId), names.length)
    const made = brought.flatMap(({ body }) => body.added_cases as { title: string; existing: boolean }[])
    assert.deepEqual(
      made
        .filter(({ existing }) => !existing)
        .map(({ title }) => title)
        .toSorted(),
      names.toSorted(),
    )
  },
)

proves(
  'cases.createLabels',
  'labels are made where they are missing, and are on the case and in its event',
  async () => {
    const queueId = await newQueue()
    const north = { key: 'region', value: 'north' }
    const { body } = await add(queueId, {
      cases: [
        { title: 'One', labels: [north, { key: '', value: 'urgent' }, north] },
        { title: 'Two', labels: [north] },
        { title: 'Three' },
      ],
    })
    const labels = body.added_cases.map((one: { labels: { key: string; value: string }[] }) =>
      one.labels.map(({ key, value }) => [key, value]),
    )
    assert.deepEqual(labels, [
      [
        ['', 'urgent'],
        ['region', 'north'],
      ],
      [['region', 'north']],
      [],
    ])
    assert.equal((await team.sql`select id from labels where queue_id = ${queueId}`).length, 2)
    const events = await eventsOf(queueId)
    assert.deepEqual(
      events.map(({ data }) => data.case.labels),
      body.added_cases.map((one: { labels: unknown }) => one.labels),
    )
  },
)

interface CaseEvent {
  data: { event_id: string; case_id: string; queue_id: string; case: Record<string, unknown> }
}

const eventsOf = (queueId: string) => team.sql<CaseEvent>`
  select data from events where team_id = ${team.id} and event = 'queue.case.created' and data ->> 'queue_id' = ${queueId}
  order by data ->> 'case_id'`

proves('cases.createTold', 'only a new case is an event and the first row of its timeline', async () => {
  const queueId = await newQueue()
  const made = await add(queueId, { cases: [{ title: 'One', external_id: 'a' }, { title: 'Two' }] })
  await add(queueId, { case: { title: 'One', external_id: 'a' } })
  const events = await eventsOf(queueId)
  assert.deepEqual(
    events.map(({ data }) => ({ ...data.case, existing: false })),
    made.body.added_cases,
  )
  assert.equal(made.body.added_cases.length, 2)
  for (const { id } of made.body.added_cases) {
    const read = await team.call(`GET /v2/cases/${id}`)
    const timeline = read.body.events.map(({ type, user_id, run_id }: Record<string, unknown>) => [
      type,
      user_id,
      run_id,
    ])
    assert.deepEqual(timeline, [['created', team.memberId, null]])
  }
})

proves(
  'cases.createCallsAgents',
  'workers are called at the commit when the queue has an agent, and only then',
  async () => {
    const [worked, idle] = [await newQueue(), await newQueue()]
    const agent = await team.call('POST /v2/teams/:teamId/agents', { body: { name: 'Clerk' } })
    await team.sql`
    insert into case_triggers (id, team_id, agent_id, queue_id, enabled)
    values (${newId()}, ${team.id}, ${agent.body.agent_id}, ${worked}, true)`
    const ear = new Client(connectionSettings(service.context.db.address()))
    await ear.connect()
    const heard: string[] = []
    const called = new Promise<void>((resolve) => {
      ear.on('notification', ({ payload }) => {
        heard.push(payload!)
        if (payload === worked) resolve()
      })
    })
    await ear.query('listen case_queues')
    await add(idle, { case: { title: 'Nobody' } })
    await add(worked, { case: { title: 'Somebody' } })
    await called
    await ear.end()
    assert.deepEqual(heard, [worked])
  },
)
