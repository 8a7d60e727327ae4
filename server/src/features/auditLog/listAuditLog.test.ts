// The audit log as an operator reads it at night.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'

const service = await testApp()

// proves audit.list
test('every mutation is there with who, what, how it ended; reads are not; no secret is', async () => {
  const team = await seedTeam(service)
  const made = await team.call('POST /v2/teams/:teamId/api-keys', { body: { name: 'one' } })
  await team.call('GET /v2/teams')
  await team.call(`DELETE /v2/api-keys/${made.body.key_id}`)
  await team.call(`DELETE /v2/api-keys/${made.body.key_id}`)
  const { body, text } = await team.call('GET /v2/teams/:teamId/audit-log')
  assert.deepEqual(
    body.entries.map((entry: Record<string, unknown>) => [
      entry['operation'],
      entry['outcome'],
      entry['status'],
      entry['error'],
    ]),
    [
      ['deleteApiKey', 'refused', 404, 'not_found'],
      ['deleteApiKey', 'done', 200, null],
      ['createApiKey', 'done', 201, null],
    ],
  )
  assert.equal(body.entries[1].target_id, made.body.key_id)
  assert.equal(body.entries[1].user_id, team.memberId)
  assert.equal(body.entries[1].credential_id, team.keyId)
  assert.equal(body.total, 3)
  assert.ok(!text.includes(made.body.secret))
})

// proves audit.filters
test('it can be narrowed by operation, member and time; a filter that names nothing gives an empty page', async () => {
  const team = await seedTeam(service)
  await team.call('POST /v2/teams/:teamId/members', { body: { name: 'A' } })
  await team.call('POST /v2/teams/:teamId/api-keys', { body: {} })
  const total = async (query: string) => (await team.call(`GET /v2/teams/:teamId/audit-log?${query}`)).body.total
  assert.equal(await total('operation=createMember'), 1)
  assert.equal(await total(`user_id=${team.memberId}`), 2)
  assert.equal(await total('user_id=nobody'), 0)
  assert.equal(await total('since=2999-01-01'), 0)
  assert.equal(await total('until=2999-01-01T00:00:00%2B02:00'), 2)
  assert.equal((await team.call('GET /v2/teams/:teamId/audit-log?since=yesterday')).status, 400)
})

// proves audit.appendOnly
test('its rows can be neither changed nor deleted, not even by the service itself', async () => {
  const { sql } = service.context.db
  await assert.rejects(sql`update audit_log set operation = 'x'`, /append-only/)
  await assert.rejects(sql`delete from audit_log`, /append-only/)
  await assert.rejects(sql`truncate audit_log`, /append-only/)
})
