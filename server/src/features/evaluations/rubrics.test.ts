// Rubrics: the cap, what a change makes of them, how they follow new builds, and whose they are.
import assert from 'node:assert/strict'
import { seedAgent } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { slugOf } from './rubric.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const procedure = '```output\ndone\n```\n'
const description = 'Every message to the customer is friendly, and none blames them.'

interface Listed {
  id: string
  slug: string
  title: string
  severity: string
  sort_order: number
  build_id: string
}

const create = (team: TestTeam, agentId: string, body: Record<string, unknown>) =>
  team.call(`POST /v2/agents/${agentId}/eval-rubrics`, { body: { description, ...body } })

async function list(team: TestTeam, agentId: string, query = ''): Promise<Listed[]> {
  const { status, body, text } = await team.call(`GET /v2/agents/${agentId}/eval-rubrics${query}`)
  assert.equal(status, 200, text)
  return body.rubrics
}

proves(
  'evals.rubrics',
  'a rubric belongs to the live build unless another is named, and is listed with what the service checks',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, procedure)
    const made = await create(team, agentId, { title: 'Stays polite' })
    assert.equal(made.status, 200)
    assert.equal(made.body.rubric_id, made.body.rubric.id)
    assert.equal(made.body.rubric.slug, 'stays_polite')
    assert.equal(made.body.rubric.severity, 'medium')
    const draft = (await team.call(`POST /v2/agents/${agentId}/revisions`)).body.build_id
    await create(team, agentId, { title: 'Of the draft', build_id: draft })
    assert.deepEqual(
      (await list(team, agentId)).map(({ title }) => title),
      ['Stays polite'],
    )
    const { body } = await team.call(`GET /v2/agents/${agentId}/eval-rubrics?build_id=${draft}`)
    assert.deepEqual(
      body.rubrics.map(({ title }: Listed) => title),
      ['Stays polite', 'Of the draft'],
    )
    assert.deepEqual(
      body.platform_rubrics.map(({ key }: { key: string }) => key),
      [
        'ended_by_itself',
        'tool_errors_handled',
        'no_repeated_calls',
        'case_closed',
        'limits_kept',
        'no_secret_printed',
      ],
    )
  },
)

proves('evals.rubricLimit', 'of twenty rubrics that are added at once five are', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, procedure)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => create(team, agentId, { title: `Rubric ${n % 3}` })),
  )
  const refused = answers.filter(({ status }) => status !== 200)
  assert.equal(refused.length, 15)
  for (const { status, body } of refused) assert.deepEqual([status, body.error], [409, 'rubric_limit'])
  const there = await list(team, agentId)
  assert.equal(there.length, 5)
  assert.equal(new Set(there.map(({ slug }) => slug)).size, 5)
  const six = Array.from({ length: 6 }, () => ({ title: 'One more', description }))
  const tooMany = await team.call(`PUT /v2/agents/${agentId}/eval-rubrics`, { body: { rubrics: six } })
  assert.equal(tooMany.body.error, 'rubric_limit')
})

proves('evals.rubricHistory', 'a changed rubric is a new one in the same place, with a flag of its own', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, procedure)
  const first = (await create(team, agentId, { title: 'Stays polite' })).body.rubric
  await create(team, agentId, { title: 'Asks first' })
  const path = `/v2/agents/${agentId}/eval-rubrics`
  const changed = await team.call(`PATCH ${path}/${first.id}`, { body: { severity: 'critical' } })
  assert.equal(changed.status, 200)
  assert.notEqual(changed.body.rubric_id, first.id)
  assert.deepEqual(
    (await list(team, agentId)).map(({ slug, severity }) => [slug, severity]),
    [
      ['stays_polite_2', 'critical'],
      ['asks_first', 'medium'],
    ],
  )
  const [old] = await team.sql`
    select r.deleted_at is not null as is_gone, n.id as next from eval_rubrics r join eval_rubrics n on n.replaces = r.id
    where r.id = ${first.id}`
  assert.deepEqual(old, { is_gone: true, next: changed.body.rubric_id })
  assert.equal((await team.call(`PATCH ${path}/${first.id}`, { body: { severity: 'low' } })).status, 404)
  const moved = await team.call(`PATCH ${path}/${changed.body.rubric_id}`, { body: { sort_order: 9 } })
  assert.equal(moved.body.rubric_id, changed.body.rubric_id, 'another place is no other meaning')
  assert.deepEqual(
    (await list(team, agentId)).map(({ slug }) => slug),
    ['asks_first', 'stays_polite_2'],
  )
})

proves('evals.rubrics', 'a deleted rubric is answered with an empty 204, and is gone from the list', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, procedure)
  const { rubric_id } = (await create(team, agentId, { title: 'Stays polite' })).body
  const deleted = await team.call(`DELETE /v2/agents/${agentId}/eval-rubrics/${rubric_id}`)
  assert.deepEqual([deleted.status, deleted.text], [204, ''])
  assert.deepEqual(await list(team, agentId), [])
  assert.equal((await team.call(`DELETE /v2/agents/${agentId}/eval-rubrics/${rubric_id}`)).status, 404)
})

proves(
  'evals.rubricsReplaced',
  'replacing them all keeps what is the same, makes again what is different, and ends what is missing',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, procedure)
    const path = `PUT /v2/agents/${agentId}/eval-rubrics`
    const same = { title: 'Same', description, severity: 'low' }
    const rubrics = [{ title: 'Gone', description }, same, { title: 'Other', description, severity: 'low' }]
    const before: Listed[] = (await team.call(path, { body: { rubrics } })).body.rubrics
    const next = [{ title: 'Other', description, severity: 'critical' }, same]
    const { status, body } = await team.call(path, { body: { rubrics: next } })
    assert.equal(status, 200)
    assert.deepEqual(
      body.rubrics.map(({ slug }: Listed) => slug),
      ['other_2', 'same'],
    )
    assert.equal(body.rubrics[1].id, before[1]!.id)
    assert.equal(body.platform_rubrics.length, 6)
  },
)

proves(
  'evals.rubricsCarried',
  'a new build has the rubrics of the build that it is made of, and goes its own way from there',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, procedure)
    const first = (await create(team, agentId, { title: 'Stays polite' })).body.rubric
    const draft = (await team.call(`POST /v2/agents/${agentId}/revisions`)).body.build_id
    const [copy] = await list(team, agentId, `?build_id=${draft}`)
    assert.deepEqual([copy!.slug, copy!.build_id], ['stays_polite', draft])
    assert.notEqual(copy!.id, first.id)
    await team.call(`DELETE /v2/agents/${agentId}/eval-rubrics/${first.id}`)
    assert.equal((await list(team, agentId, `?build_id=${draft}`)).length, 1)
    const other = await team.call('POST /v2/teams/:teamId/agents', { body: { name: 'Copy', source_build_id: draft } })
    assert.equal((await list(team, other.body.agent_id)).length, 1)
  },
)

proves('evals.tenancy', 'a build or rubric of another agent or team is not there', async () => {
  const [team, stranger] = await Promise.all([seedTeam(service), seedTeam(service)])
  const [agentId, siblingId, foreignId] = await Promise.all([
    seedAgent(team, procedure),
    seedAgent(team, procedure),
    seedAgent(stranger, procedure),
  ])
  const [sibling] = await team.sql<{ id: string }>`select id from builds where agent_id = ${siblingId}`
  const [foreign] = await team.sql<{ id: string }>`select id from builds where agent_id = ${foreignId}`
  for (const { id } of [sibling!, foreign!, { id: 'no-id' }]) {
    assert.equal((await create(team, agentId, { title: 'Stays polite', build_id: id })).status, 404)
    assert.deepEqual(await list(team, agentId, `?build_id=${id}`), [])
  }
  const { rubric_id } = (await create(team, siblingId, { title: 'Stays polite' })).body
  assert.equal((await team.call(`DELETE /v2/agents/${agentId}/eval-rubrics/${rubric_id}`)).status, 404)
  assert.equal((await stranger.call(`DELETE /v2/agents/${foreignId}/eval-rubrics/${rubric_id}`)).status, 404)
  assert.equal((await list(team, siblingId)).length, 1)
})

proves('evals.rubricHistory', 'a slug is made of the letters and digits of the title', () => {
  assert.equal(slugOf('Höflich & ruhig!'), 'hoflich_ruhig')
  assert.equal(slugOf('礼儀正しい'), 'rubric')
  assert.equal(slugOf('  A  b-c_D9 '), 'a_b_c_d9')
})
