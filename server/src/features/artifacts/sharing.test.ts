// Who may see and change an artifact: its creator, the team, everybody who has its URL, and nobody else.
import assert from 'node:assert/strict'
import { finishedArtifact, pageMessage, send } from '../../../test/kit/artifacts.ts'
import { seedColleague } from '../../../test/kit/cases.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const creator = await seedTeam(service)
const stranger = await seedTeam(service)

const colleague = await seedColleague(creator, 'Colleague', ['*'])

const publish = (id: string, visibility: string, permission = 'view') =>
  creator.call(`POST /v2/artifacts/${id}/publish`, { body: { visibility, permission } })

const listed = async (by: TestTeam, scope: string): Promise<string[]> =>
  (await by.call(`GET /v2/artifacts?scope=${scope}`)).body.artifacts.map((one: { id: string }) => one.id)

const pathOf = (url: string) => `GET ${new URL(url).pathname}`

const reads = [
  '',
  '/render',
  '/render/selectable',
  '/source',
  '/messages',
  '/revisions',
  '/connections',
  '/export/html',
  '/export/md',
  '/export/csv',
]

proves('artifacts.private', 'a private artifact exists for its creator only', async () => {
  const id = await finishedArtifact(service, creator)
  for (const path of reads) {
    assert.equal((await creator.call(`GET /v2/artifacts/${id}${path}`)).status, 200, path)
    for (const other of [colleague, stranger]) {
      const answer = await other.call(`GET /v2/artifacts/${id}${path}`)
      assert.deepEqual([answer.status, answer.body.error], [404, 'not_found'], path)
    }
  }
  assert.equal((await send(colleague, id, pageMessage('Mine'))).status, 404)
  for (const scope of ['created', 'shared', 'team']) assert.deepEqual(await listed(colleague, scope), [], scope)
  assert.deepEqual(await listed(creator, 'created'), [id])
})

proves(
  'artifacts.team',
  'the team reads a shared artifact, and changes it only with the permission to edit',
  async () => {
    const id = await finishedArtifact(service, creator)
    await publish(id, 'team')
    for (const path of reads) {
      assert.equal((await colleague.call(`GET /v2/artifacts/${id}${path}`)).status, 200, path)
      assert.equal((await stranger.call(`GET /v2/artifacts/${id}${path}`)).status, 404, path)
    }
    assert.deepEqual([await listed(colleague, 'shared'), await listed(colleague, 'team')], [[id], [id]])
    assert.deepEqual(await listed(creator, 'shared'), [])
    const changes = ['refresh', 'stop', 'answer', 'messages', 'connections'] as const
    const bodies = { answer: { answers: {} }, messages: { message: 'x' }, connections: { connection_id: id } }
    for (const path of changes) {
      const body = { ...(path in bodies && { body: bodies[path as keyof typeof bodies] }) }
      assert.equal((await colleague.call(`POST /v2/artifacts/${id}/${path}`, body)).status, 403, path)
    }
    const got = await colleague.call(`GET /v2/artifacts/${id}`)
    assert.deepEqual([got.body.is_creator, got.body.can_edit], [false, false])
    await publish(id, 'team', 'edit')
    assert.equal((await send(colleague, id, pageMessage('Theirs'))).status, 200)
    for (const [route, body] of [
      [`PATCH /v2/artifacts/${id}`, { title: 'Taken' }],
      [`DELETE /v2/artifacts/${id}`, undefined],
      [`POST /v2/artifacts/${id}/publish`, { visibility: 'public' }],
    ] as const) {
      assert.equal((await colleague.call(route, { ...(body && { body }) })).status, 403, route)
    }
  },
)

proves(
  'artifacts.public',
  'a public URL shows the page to anybody until it is taken back, and never again',
  async () => {
    const id = await finishedArtifact(service, creator)
    const { public_url } = (await publish(id, 'public')).body
    const shown = await service.call(pathOf(public_url))
    assert.equal(shown.status, 200)
    assert.match(shown.text, /<h1>First<\/h1>/)
    assert.match(shown.headers['content-security-policy'] ?? '', /sandbox/)
    assert.equal(shown.headers['set-cookie'], undefined)
    assert.equal((await service.call(`${pathOf(public_url).slice(0, -1)}x`)).status, 404)
    assert.equal((await publish(id, 'public')).body.public_url, public_url)
    await publish(id, 'team')
    assert.equal((await service.call(pathOf(public_url))).status, 404)
    const again = (await publish(id, 'public')).body.public_url
    assert.notEqual(again, public_url)
    assert.deepEqual(
      [(await service.call(pathOf(public_url))).status, (await service.call(pathOf(again))).status],
      [404, 200],
    )
    await creator.call(`DELETE /v2/artifacts/${id}`)
    assert.equal((await service.call(pathOf(again))).status, 404)
  },
)
