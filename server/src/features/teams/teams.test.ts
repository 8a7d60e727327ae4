// Teams and members as users meet them.
import assert from 'node:assert/strict'
import { begin, untilBlocked } from '../../../test/kit/heldTransaction.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { typedClient } from '../../../test/kit/typedClient.ts'
import { proves } from '../../../test/kit/proves.ts'
import { effectiveScopes, type Role } from '../../kit/scopes.ts'
import { createMember } from './createMember.ts'
import { deleteMember } from './deleteMember.ts'
import { getPreferences } from './getPreferences.ts'
import { getTeam } from './getTeam.ts'
import { listMembers } from './listMembers.ts'
import { listTeams } from './listTeams.ts'
import { updateMember } from './updateMember.ts'
import { updatePreferences } from './updatePreferences.ts'

const service = await testApp()
const { sql } = service.context.db

/**
 * A change of a member, with a key that has `keys:manage` and the scopes of a viewer, while somebody gives the member another role: the
 * change waits for it.
 */
async function changedBeside(before: Role, after: Role, body: object) {
  const team = await seedTeam(service)
  const member = await team.call('POST /v2/teams/:teamId/members', { body: { name: 'M', role: before } })
  const id = member.body.member_id
  const scopes = ['keys:manage', ...effectiveScopes(['*'], 'viewer')]
  const { body: key } = await team.call('POST /v2/teams/:teamId/api-keys', { body: { scopes } })
  const { its, commit } = await begin(service.context.db.address())
  await its`update members set role = ${after} where id = ${id}`
  const changing = service.call(`PATCH /v2/teams/${team.id}/members/${id}`, { key: key.secret, body })
  await untilBlocked(sql, its, changing)
  await commit()
  const answer = await changing
  const [left] = await sql<{ role: Role; email: string | null }>`select role, email from members where id = ${id}`
  return { answer, left }
}

proves('teams.get', 'a team counts its members', async () => {
  const team = await seedTeam(service, { name: 'Night crew' })
  const client = typedClient(service, team)
  await client.send(createMember, { body: { name: 'Ann' } })
  const read = await client.send(getTeam, {})
  assert.equal(read.team_id, team.id)
  assert.equal(read.team.name, 'Night crew')
  assert.equal(read.team.members_count, 2)
  assert.deepEqual((await client.send(listTeams, {})).teams, [read.team])
})

proves(
  ['members.crud', 'paging.numbers'],
  'members are listed oldest first, in pages, with an exact total',
  async () => {
    const client = typedClient(service, await seedTeam(service))
    for (const name of ['B', 'C', 'D']) await client.send(createMember, { body: { name } })
    const page = await client.send(listMembers, { query: { limit: 2, offset: 1 } })
    assert.deepEqual(
      page.members.map(({ name }) => name),
      ['B', 'C'],
    )
    assert.equal(page.total, 4)
    const none = await client.send(listMembers, { query: { limit: 0 } })
    assert.deepEqual(none, { members: [], total: 4, limit: 0, offset: 0 })
  },
)

proves(
  'members.email',
  'an email belongs to one member of a team, whatever its case, and can be taken away',
  async () => {
    const client = typedClient(service, await seedTeam(service))
    const first = await client.send(createMember, { body: { name: 'A', email: 'a@example.com' } })
    const second = await client.refused(createMember, { body: { name: 'B', email: 'A@Example.com' } })
    assert.equal(second.status, 409)
    const { member } = await client.send(updateMember, {
      params: { member_id: first.member_id },
      body: { email: null },
    })
    assert.deepEqual([member.email, member.name], [null, 'A'])
    await client.send(createMember, { body: { name: 'B', email: 'a@example.com' } })
  },
)

proves(
  'members.emailIsWayIn',
  'a key without all scopes of a role gives no member of that role an email, not even its own',
  async () => {
    const team = await seedTeam(service)
    const { body: narrow } = await team.call('POST /v2/teams/:teamId/api-keys', { body: { scopes: ['keys:manage'] } })
    const send = (route: string, body: object) => service.call(route, { key: narrow.secret, body })
    const members = `/v2/teams/${team.id}/members`
    const email = 'mallory@example.com'
    for (const role of [{}, { role: 'viewer' }, { role: 'admin' }]) {
      const refused = await send(`POST ${members}`, { name: 'M', email, ...role })
      assert.equal(refused.body.error, 'insufficient_scope', JSON.stringify(role))
    }
    const without = await send(`POST ${members}`, { name: 'M', role: 'admin' })
    assert.equal(without.status, 201)
    for (const id of [without.body.member_id, team.memberId]) {
      assert.equal((await send(`PATCH ${members}/${id}`, { email })).body.error, 'insufficient_scope')
    }
    assert.equal((await send(`PATCH ${members}/${team.memberId}`, { name: 'Renamed', email: null })).status, 200)
    const given = await team.call(`PATCH /v2/teams/:teamId/members/${without.body.member_id}`, { body: { email } })
    assert.equal(given.body.member.email, email)
    assert.equal((await send(`PATCH ${members}/${without.body.member_id}`, { name: 'N', email })).status, 200)
  },
)

proves('members.roles', 'a role that a member just lost is given back only by who may give it', async () => {
  const { answer, left } = await changedBeside('admin', 'viewer', { role: 'admin' })
  assert.deepEqual([answer.body.error, left], ['insufficient_scope', { role: 'viewer', email: null }])
})

proves('members.emailIsWayIn', 'an email counts for the role that the member has when it is given', async () => {
  const { answer, left } = await changedBeside('viewer', 'admin', { email: 'mallory@example.com' })
  assert.deepEqual([answer.body.error, left], ['insufficient_scope', { role: 'admin', email: null }])
})

proves('members.lastAdmin', 'a team keeps an admin, also when two admins leave at the same moment', async () => {
  const team = await seedTeam(service)
  const client = typedClient(service, team)
  const params = { member_id: team.memberId }
  assert.equal((await client.refused(deleteMember, { params })).status, 409)
  assert.equal((await client.refused(updateMember, { params, body: { role: 'viewer' } })).status, 409)
  const second = await client.send(createMember, { body: { name: 'Second', role: 'admin' } })
  const answers = await Promise.all(
    [team.memberId, second.member_id].map((id) => team.call(`DELETE /v2/teams/:teamId/members/${id}`)),
  )
  assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['200', '409'])
})

proves('preferences.tour', 'a member’s answer to the tour stays with the member', async () => {
  const team = await seedTeam(service)
  const client = typedClient(service, team)
  assert.deepEqual((await client.send(getPreferences, {})).preferences, { tour: 'new' })
  await client.send(updatePreferences, { body: { tour: 'skipped' } })
  await client.send(updatePreferences, { body: {} })
  assert.deepEqual((await client.send(getPreferences, {})).preferences, { tour: 'skipped' })
  await client.send(updatePreferences, { body: { tour: 'new' } })
  assert.deepEqual((await client.send(getPreferences, {})).preferences, { tour: 'new' })
  const other = await seedTeam(service)
  await client.send(updatePreferences, { body: { tour: 'done' } })
  assert.deepEqual((await typedClient(service, other).send(getPreferences, {})).preferences, { tour: 'new' })
})
