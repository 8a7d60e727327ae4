// Teams and members as users meet them.
import assert from 'node:assert/strict'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()

proves('teams.get', 'a team counts its members', async () => {
  const team = await seedTeam(service, { name: 'Night crew' })
  await team.call('POST /v2/teams/:teamId/members', { body: { name: 'Ann' } })
  const { body } = await team.call('GET /v2/teams/:teamId')
  assert.equal(body.team_id, team.id)
  assert.equal(body.team.name, 'Night crew')
  assert.equal(body.team.members_count, 2)
  assert.deepEqual((await team.call('GET /v2/teams')).body.teams, [body.team])
})

proves(
  ['members.crud', 'paging.numbers'],
  'members are listed oldest first, in pages, with an exact total',
  async () => {
    const team = await seedTeam(service)
    for (const name of ['B', 'C', 'D']) await team.call('POST /v2/teams/:teamId/members', { body: { name } })
    const page = await team.call('GET /v2/teams/:teamId/members?limit=2&offset=1')
    assert.deepEqual(
      page.body.members.map(({ name }: { name: string }) => name),
      ['B', 'C'],
    )
    assert.equal(page.body.total, 4)
    const none = await team.call('GET /v2/teams/:teamId/members?limit=0')
    assert.deepEqual(none.body, { members: [], total: 4, limit: 0, offset: 0 })
  },
)

proves(
  'members.email',
  'an email belongs to one member of a team, whatever its case, and can be taken away',
  async () => {
    const team = await seedTeam(service)
    const first = await team.call('POST /v2/teams/:teamId/members', { body: { name: 'A', email: 'a@example.com' } })
    const second = await team.call('POST /v2/teams/:teamId/members', { body: { name: 'B', email: 'A@Example.com' } })
    assert.equal(second.status, 409)
    const cleared = await team.call(`PATCH /v2/teams/:teamId/members/${first.body.member_id}`, {
      body: { email: null },
    })
    assert.equal(cleared.body.member.email, null)
    assert.equal(cleared.body.member.name, 'A')
    assert.equal(
      (await team.call('POST /v2/teams/:teamId/members', { body: { name: 'B', email: 'a@example.com' } })).status,
      201,
    )
  },
)

proves('members.lastAdmin', 'a team keeps an admin, also when two admins leave at the same moment', async () => {
  const team = await seedTeam(service)
  const alone = await team.call(`DELETE /v2/teams/:teamId/members/${team.memberId}`)
  assert.equal(alone.status, 409)
  const demoted = await team.call(`PATCH /v2/teams/:teamId/members/${team.memberId}`, { body: { role: 'viewer' } })
  assert.equal(demoted.status, 409)
  const second = await team.call('POST /v2/teams/:teamId/members', { body: { name: 'Second', role: 'admin' } })
  const answers = await Promise.all(
    [team.memberId, second.body.member_id].map((id) => team.call(`DELETE /v2/teams/:teamId/members/${id}`)),
  )
  assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['200', '409'])
})
