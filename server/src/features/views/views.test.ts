// Saved views: whose they are, who sees and changes them, and how many there can be.
import assert from 'node:assert/strict'
import { proves } from '../../../test/kit/proves.ts'
import { handled, plansOn } from '../../../test/kit/plans.ts'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { issueApiKey } from '../credentials/apiKey.ts'
import { listViews } from './listViews.ts'

const service = await testApp()
const { sql } = service.context.db

/** A key of another member of the team. */
async function otherMember(team: TestTeam) {
  const memberId = await seeders['member']!(team, {})
  const { secret } = await issueApiKey(sql, { teamId: team.id, memberId, name: 'other', scopes: ['*'] })
  return { memberId, key: secret }
}

const wanted = { screen: 'runs', name: 'Failed', filter: { status: 'failed', search: 'invoice' } }
const create = (team: TestTeam, body: object = wanted, key = team.key) =>
  team.call('POST /v2/teams/:teamId/views', { body, key })
const namesOf = async (team: TestTeam, query = '', key = team.key) => {
  const { body } = await team.call(`GET /v2/teams/:teamId/views${query}`, { key })
  return body.views.map(({ name }: { name: string }) => name)
}

proves('views.own', 'a view is saved, listed by name, changed and deleted', async () => {
  const team = await seedTeam(service)
  const { status, body } = await create(team)
  assert.equal(status, 201)
  const { id, filter, is_shared, user_id, screen } = body.view
  assert.deepEqual([filter, is_shared, user_id, screen], [wanted.filter, false, team.memberId, 'runs'])
  await create(team, { ...wanted, name: 'All', filter: {} })
  await create(team, { ...wanted, screen: 'cases', name: 'Cases' })
  assert.deepEqual(await namesOf(team), ['All', 'Cases', 'Failed'])
  assert.deepEqual(await namesOf(team, '?screen=cases'), ['Cases'])
  assert.equal((await create(team)).body.error, 'duplicate_name')
  const changed = await team.call(`PATCH /v2/views/${id}`, { body: { filter: { status: 'stopped' } } })
  assert.deepEqual([changed.body.view.name, changed.body.view.filter], ['Failed', { status: 'stopped' }])
  assert.equal((await team.call(`PATCH /v2/views/${id}`, { body: { name: 'All' } })).body.error, 'duplicate_name')
  assert.equal((await team.call(`DELETE /v2/views/${id}`)).status, 200)
  assert.equal((await team.call(`GET /v2/views/${id}`)).status, 404)
})

proves(
  'views.shared',
  'a view of somebody else is found only if it is shared, and changed only by its maker',
  async () => {
    const team = await seedTeam(service)
    const other = await otherMember(team)
    const { view_id: id } = (await create(team)).body
    const asOther = (route: string, body?: object) => team.call(route, { key: other.key, ...(body && { body }) })
    assert.deepEqual(await namesOf(team, '', other.key), [])
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      assert.equal(
        (await asOther(`${method} /v2/views/${id}`, method === 'PATCH' ? { name: 'Mine' } : undefined)).status,
        404,
      )
    }
    await team.call(`PATCH /v2/views/${id}`, { body: { is_shared: true } })
    assert.deepEqual(await namesOf(team, '', other.key), ['Failed'])
    assert.equal((await asOther(`GET /v2/views/${id}`)).body.view.user_id, team.memberId)
    assert.equal((await asOther(`PATCH /v2/views/${id}`, { name: 'Mine' })).status, 403)
    assert.equal((await asOther(`DELETE /v2/views/${id}`)).status, 403)
    // a name is taken by a member, not by the team
    assert.equal((await create(team, { ...wanted, is_shared: true }, other.key)).status, 201)
    const left = (await create(team, { ...wanted, name: 'Left', is_shared: true }, other.key)).body.view_id
    await team.call(`DELETE /v2/teams/:teamId/members/${other.memberId}`)
    assert.equal((await team.call(`DELETE /v2/views/${left}`)).status, 200)
  },
)

proves('views.bounds', 'a filter is a small object of texts, and a member has at most 100 views', async () => {
  const team = await seedTeam(service)
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`f${n}`, 'x']))
  const large = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`f${n}`, 'x'.repeat(1900)]))
  const filters = [
    { status: 1 },
    { status: { a: 'b' } },
    many,
    large,
    { ['k'.repeat(9000)]: 'x' },
    ['failed'],
    'failed',
  ]
  for (const filter of filters) {
    const { status, body } = await create(team, { ...wanted, filter })
    assert.deepEqual([status, body.error], [400, 'invalid_request'], JSON.stringify(filter).slice(0, 80))
  }
  assert.equal((await create(team, { ...wanted, screen: 'agents' })).status, 400)
  await sql`
    insert into saved_views (id, team_id, member_id, screen, name, filter, is_shared)
    select gen_random_uuid(), ${team.id}, ${team.memberId}, 'runs', 'View ' || n, '{}', false from generate_series(1, 99) n`
  const answers = await Promise.all(['a', 'b', 'c'].map((name) => create(team, { ...wanted, name })))
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 409, 409],
  )
})

proves('views.plan', 'a page and its total come from the index of the team’s views', async () => {
  const [team, other] = [await seedTeam(service), await seedTeam(service)]
  const members = await Promise.all(Array.from({ length: 20 }, () => seeders['member']!(other, {})))
  await sql`
    insert into saved_views (id, team_id, member_id, screen, name, filter, is_shared)
    select gen_random_uuid(), ${other.id}::uuid, m.id, 'runs', 'View ' || n, '{}'::jsonb, n % 2 = 0
    from unnest(${members}::uuid[]) as m (id), generate_series(1, 100) n
    union all
    select gen_random_uuid(), ${team.id}, ${team.memberId}::uuid, 'runs', 'View ' || n, '{}', false from generate_series(1, 100) n`
  await service.context.db.pool.query('analyze')
  const plansOf = await plansOn(service.context.db)
  const query = { screen: 'runs', limit: 100, offset: 0 }
  const plans = await plansOf((explained) =>
    handled(listViews, { sql: explained, team, context: service.context, query }),
  )
  assert.equal(plans.length, 2)
  assert.match(plans[0]!, /Limit\n\s+->  Index Scan using saved_views_by_team/)
  for (const plan of plans) assert.match(plan, /saved_views_by_team.*\n\s+Index Cond: \(team_id = /)
})
