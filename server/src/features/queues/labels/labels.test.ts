// Labels as callers see them: made, changed, put on cases and taken off, with each change in the timeline.
import assert from 'node:assert/strict'
import { newId } from '../../../base/ids.ts'
import { seedTeam, type TestTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { proves } from '../../../../test/kit/proves.ts'

const service = await testApp()
const { sql } = service.context.db

interface Seeded {
  team: TestTeam
  queueId: string
  path: string
  caseIds: string[]
}

async function seed(cases = 1): Promise<Seeded> {
  const team = await seedTeam(service)
  const { body } = await team.call('POST /v2/teams/:teamId/queues', { body: { name: 'Refunds' } })
  const caseIds = Array.from({ length: cases }, newId)
  await sql`
    insert into cases (id, team_id, queue_id, title, data, created_at)
    select id, ${team.id}, ${body.queue_id}, 'Refund ' || n, '', now() - make_interval(hours => n::int)
    from unnest(${caseIds}::uuid[]) with ordinality as w (id, n)`
  return { team, queueId: body.queue_id, path: `/v2/queues/${body.queue_id}`, caseIds }
}

const make = ({ team, path }: Seeded, body: object) => team.call(`POST ${path}/labels`, { body })

async function newLabel(seeded: Seeded, body: object): Promise<string> {
  const answer = await make(seeded, body)
  assert.equal(answer.status, 201, answer.text)
  return answer.body.label_id
}

const timelineOf = (caseId: string) => sql<{ type: string; user_id: string; reason: string }>`
  select type, user_id, reason from case_events where case_id = ${caseId} order by created_at, id`

const namesOf = (labels: { key: string; value: string }[]) => labels.map(({ key, value }) => `${key}=${value}`)

proves('labels.create', 'a label is made once a queue, with a colour that hangs on its key and value', async () => {
  const first = await seed()
  const second = await seed()
  const { status, body } = await make(first, { key: 'region', value: 'eu' })
  assert.equal(status, 201)
  assert.deepEqual(body, { label: { ...body.label, key: 'region', value: 'eu' }, label_id: body.label.id })
  assert.deepEqual(Object.keys(body.label), ['id', 'key', 'value', 'color_hue'])
  assert.equal((await make(second, { key: 'region', value: 'eu' })).body.label.color_hue, body.label.color_hue)
  const again = await make(first, { key: 'region', value: 'eu', color_hue: 5 })
  assert.equal(again.body.error, 'duplicate_name')
  assert.match(again.body.message, /region=eu/)
  const keyless = (await make(first, { value: 'urgent', color_hue: 360 })).body.label
  assert.deepEqual([keyless.key, keyless.color_hue], ['', 360])
  for (const refused of [{}, { value: '' }, { value: 'x', color_hue: 361 }, { value: 'x', color_hue: -1 }]) {
    assert.equal((await make(first, refused)).status, 400, JSON.stringify(refused))
  }
})

proves('labels.list', 'labels are listed by key and value, a thousand at a time', async () => {
  const seeded = await seed()
  for (const [key, value] of [
    ['b', '1'],
    ['a', '2'],
    ['', 'z'],
    ['a', '1'],
  ])
    await newLabel(seeded, { key, value })
  const { body } = await seeded.team.call(`GET ${seeded.path}/labels`)
  assert.deepEqual(namesOf(body.labels), ['=z', 'a=1', 'a=2', 'b=1'])
  assert.deepEqual([body.total, body.limit, body.offset], [4, 1000, 0])
  assert.equal((await seeded.team.call(`GET ${seeded.path}/labels?limit=1001`)).status, 400)
})

proves('labels.update', 'a changed label is changed on every case, and cannot become another one', async () => {
  const seeded = await seed()
  const { team, path, caseIds } = seeded
  const labelId = await newLabel(seeded, { key: 'region', value: 'eu' })
  await newLabel(seeded, { key: 'region', value: 'us' })
  await team.call(`POST ${path}/cases/${caseIds[0]}/labels`, { body: { label_ids: [labelId] } })
  const change = (body: object) => team.call(`PATCH ${path}/labels/${labelId}`, { body })
  assert.equal((await change({ value: 'us' })).body.error, 'duplicate_name')
  assert.equal((await change({ value: 'emea', color_hue: 0 })).status, 200)
  assert.deepEqual((await team.call(`GET ${path}/cases/${caseIds[0]}/labels`)).body.labels, [
    { id: labelId, key: 'region', value: 'emea', color_hue: 0 },
  ])
})

proves(
  'labels.link',
  'labels are put on a case by id or by name, made where missing, and each change stands in its timeline',
  async () => {
    const seeded = await seed()
    const { team, path, caseIds } = seeded
    const labelsPath = `${path}/cases/${caseIds[0]}/labels`
    const known = await newLabel(seeded, { key: 'region', value: 'eu' })
    assert.deepEqual(
      namesOf((await team.call(`POST ${labelsPath}`, { body: { label_ids: [known, known] } })).body.labels),
      ['region=eu'],
    )
    const labels = [
      { key: 'region', value: 'eu' },
      { key: '', value: 'urgent' },
      { key: 'kind', value: 'a,b' },
    ]
    const { status, body } = await team.call(`POST ${labelsPath}`, { body: { labels } })
    assert.equal(status, 200)
    assert.deepEqual(namesOf(body.labels), ['=urgent', 'kind=a,b', 'region=eu'])
    // nothing changes, so there is no event
    await team.call(`POST ${labelsPath}`, { body: { label_ids: [known] } })
    const off = await team.call(`POST ${labelsPath}/unlink`, { body: { label_ids: [known] } })
    assert.deepEqual(namesOf(off.body.labels), ['=urgent', 'kind=a,b'])
    await team.call(`POST ${labelsPath}/unlink`, { body: { label_ids: [known] } })
    const by = { type: 'labels_changed', user_id: team.memberId }
    assert.deepEqual(await timelineOf(caseIds[0]!), [
      { ...by, reason: 'Added region=eu' },
      { ...by, reason: 'Added urgent, kind=a,b' },
      { ...by, reason: 'Removed region=eu' },
    ])
    const stored = await sql`
    select from case_labels cl join cases c on c.id = cl.case_id where c.id = ${caseIds[0]} and cl.created_at = c.created_at`
    assert.equal(stored.length, 2)
    for (const [key, value] of Object.entries({ label_ids: [], labels: [] })) {
      assert.equal((await team.call(`POST ${labelsPath}`, { body: { [key]: value } })).status, 400)
    }
    assert.equal((await team.call(`POST ${labelsPath}`, { body: { labels, label_ids: [known] } })).status, 400)
    assert.equal((await team.call(`POST ${labelsPath}`, { body: {} })).status, 400)
  },
)

proves('labels.max', 'a case takes a hundred labels and refuses the next, whole', async () => {
  const { team, path, caseIds } = await seed()
  const labelsPath = `${path}/cases/${caseIds[0]}/labels`
  const labels = Array.from({ length: 100 }, (_, n) => ({ key: 'n', value: String(n) }))
  assert.equal((await team.call(`POST ${labelsPath}`, { body: { labels } })).body.labels.length, 100)
  const refused = await team.call(`POST ${labelsPath}`, { body: { labels: [{ key: 'n', value: '100' }] } })
  assert.equal(refused.body.error, 'conflict')
  assert.match(refused.body.message, /at most 100 labels/)
  assert.equal((await team.call(`GET ${path}/labels?limit=0`)).body.total, 100)
})

proves(
  'labels.placed',
  'a label or a case below another queue is not found, nor is a label of another queue in a body',
  async () => {
    const ours = await seed()
    const { team } = ours
    const other = (await team.call('POST /v2/teams/:teamId/queues', { body: { name: 'Other' } })).body.queue_id
    const elsewhere = (await team.call(`POST /v2/queues/${other}/labels`, { body: { value: 'x' } })).body.label_id
    const routes: [string, object?][] = [
      [`PATCH ${ours.path}/labels/${elsewhere}`, { color_hue: 1 }],
      [`DELETE ${ours.path}/labels/${elsewhere}`],
      [`GET /v2/queues/${other}/cases/${ours.caseIds[0]}/labels`],
      [`POST /v2/queues/${other}/cases/${ours.caseIds[0]}/labels`, { label_ids: [elsewhere] }],
      [`POST ${ours.path}/cases/${ours.caseIds[0]}/labels`, { label_ids: [elsewhere] }],
      [`POST ${ours.path}/cases/${ours.caseIds[0]}/labels`, { label_ids: ['no id'] }],
      [`POST ${ours.path}/cases/${ours.caseIds[0]}/labels/unlink`, { label_ids: [elsewhere] }],
    ]
    for (const [route, body] of routes) {
      assert.equal((await team.call(route, { ...(body && { body }) })).status, 404, route)
    }
  },
)

proves(
  'labels.delete',
  'a deleted label is gone from all cases at once, however many, and their timelines tell of it',
  async () => {
    const seeded = await seed(2500)
    const { team, path, caseIds, queueId } = seeded
    const labelId = await newLabel(seeded, { key: 'region', value: 'eu' })
    await sql`
    insert into case_labels (case_id, label_id, created_at)
    select id, ${labelId}, created_at from cases where queue_id = ${queueId} and team_id = ${team.id}`
    assert.equal((await team.call(`DELETE ${path}/labels/${labelId}`)).status, 200)
    for (const id of [caseIds[0]!, caseIds[2499]!]) {
      assert.deepEqual((await team.call(`GET ${path}/cases/${id}/labels`)).body.labels, [])
    }
    assert.equal((await team.call(`DELETE ${path}/labels/${labelId}`)).status, 404)
    await service.drain()
    assert.deepEqual(await sql`select 1 from case_labels where label_id = ${labelId}`, [])
    const told = await sql`
    select distinct e.user_id, e.reason, count(*) over () as cases from case_events e join cases c on c.id = e.case_id
    where c.queue_id = ${queueId} and e.type = 'labels_changed'`
    assert.deepEqual(told, [{ user_id: team.memberId, reason: 'The label region=eu was deleted.', cases: 2500 }])
  },
)

proves('labels.atOnce', 'many who put the same new labels on cases at once make each label once', async () => {
  const { team, path, caseIds } = await seed(12)
  const names = Array.from({ length: 10 }, (_, n) => ({ key: 'at-once', value: String(n) }))
  const answers = await Promise.all(
    caseIds.map((id, n) => {
      const labels = n % 2 === 0 ? names : names.toReversed()
      return team.call(`POST ${path}/cases/${id}/labels`, { body: { labels } })
    }),
  )
  for (const { status, body, text } of answers) assert.deepEqual([status, body.labels?.length], [200, 10], text)
  assert.equal((await team.call(`GET ${path}/labels?limit=0`)).body.total, 10)
})
