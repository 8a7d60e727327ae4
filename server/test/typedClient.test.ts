// The client of tests: its types are those of the operations, and an answer that was not expected fails.
import assert from 'node:assert/strict'
import { createMember } from '../src/features/teams/createMember.ts'
import { listMembers } from '../src/features/teams/listMembers.ts'
import { updateMember } from '../src/features/teams/updateMember.ts'
import { proves } from './kit/proves.ts'
import { seedTeam } from './kit/seed.ts'
import { testApp } from './kit/testApp.ts'
import { typedClient } from './kit/typedClient.ts'

const service = await testApp()
const team = await seedTeam(service)
const client = typedClient(service, team)

proves('tests.typed', 'a field that the operation does not have does not compile', async () => {
  const { members } = await client.send(listMembers, {})
  const since: string[] = members.map(({ created_at }) => created_at)
  // @ts-expect-error a member has no title
  const titles = members.map(({ title }) => title)
  assert.deepEqual([since.length, titles], [1, [undefined]])
  const wrong = [
    // @ts-expect-error the field is called name
    () => client.send(createMember, { body: { title: 'Ann' } }),
    // @ts-expect-error the body is missing
    () => client.send(createMember, {}),
    // @ts-expect-error the parameter is called member_id
    () => client.send(updateMember, { params: { id: team.memberId }, body: {} }),
  ]
  for (const request of wrong) await assert.rejects(request())
  // @ts-expect-error the list has no such filter
  const filtered = await client.send(listMembers, { query: { colour: 'red' } })
  assert.equal(filtered.total, 1, 'the service ignores what it does not know')
})

proves('tests.typed', 'an answer that was not expected fails the test', async () => {
  const params = { member_id: team.memberId }
  await assert.rejects(client.send(updateMember, { params, body: { role: 'viewer' } }), /409/)
  await assert.rejects(client.refused(updateMember, { params, body: { name: 'Ann' } }), /Ann/)
})
