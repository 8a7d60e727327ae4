// The audit log as an operator reads it at night.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import { sweepAudit } from '../../kit/sweepAudit.job.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { typedClient } from '../../../test/kit/typedClient.ts'
import { proves } from '../../../test/kit/proves.ts'
import { listAuditLog } from './listAuditLog.ts'

const service = await testApp()

proves('audit.list', 'the audit log has every mutation, no read and no secret', async () => {
  const team = await seedTeam(service)
  const made = await team.call('POST /v2/teams/:teamId/api-keys', { body: { name: 'one' } })
  await team.call('GET /v2/teams')
  await team.call(`DELETE /v2/api-keys/${made.body.key_id}`)
  await team.call(`DELETE /v2/api-keys/${made.body.key_id}`)
  const { entries, total } = await typedClient(service, team).send(listAuditLog, {})
  assert.deepEqual(
    entries.map(({ operation, outcome, status, error }) => [operation, outcome, status, error]),
    [
      ['deleteApiKey', 'refused', 404, 'not_found'],
      ['deleteApiKey', 'done', 200, null],
      ['createApiKey', 'done', 201, null],
    ],
  )
  assert.equal(entries[1]?.target_id, made.body.key_id)
  assert.equal(entries[1]?.user_id, team.memberId)
  assert.equal(entries[1]?.credential_id, team.keyId)
  assert.equal(total, 3)
  assert.ok(!JSON.stringify(entries).includes(made.body.secret))
})

proves('audit.filters', 'it can be narrowed by operation, member and time, also to an empty page', async () => {
  const team = await seedTeam(service)
  await team.call('POST /v2/teams/:teamId/members', { body: { name: 'A' } })
  await team.call('POST /v2/teams/:teamId/api-keys', { body: {} })
  const client = typedClient(service, team)
  const list = (query: { operation?: string; user_id?: string; since?: string; until?: string }) =>
    client.send(listAuditLog, { query })
  assert.equal((await list({ operation: 'createMember' })).total, 1)
  assert.equal((await list({ user_id: team.memberId })).total, 2)
  assert.equal((await list({ user_id: 'nobody' })).total, 0)
  assert.equal((await list({ since: '2999-01-01' })).total, 0)
  assert.equal((await list({ until: '2999-01-01T00:00:00+02:00' })).total, 2)
  assert.equal((await client.refused(listAuditLog, { query: { since: 'yesterday' } })).status, 400)
})

proves(
  'lists.countedAhead',
  'a long list is counted to 10,000 beyond the page, and to its end from there',
  async () => {
    const team = await seedTeam(service)
    await team.sql`
    insert into audit_log (id, team_id, credential_type, operation, request_id, status)
    select new_id(), ${team.id}, 'api_key', 'createMember', 'r', 201 from generate_series(1, 10500)`
    const client = typedClient(service, team)
    const first = await client.send(listAuditLog, { query: { limit: 50 } })
    assert.deepEqual([first.total, first.entries.length], [10_050, 50])
    const last = await client.send(listAuditLog, { query: { limit: 50, offset: 10_450 } })
    assert.deepEqual([last.total, last.entries.length], [10_500, 50])
  },
)

proves('audit.appendOnly', 'its rows can be neither changed nor deleted, not even by the service itself', async () => {
  const { sql } = service.context.db
  await assert.rejects(sql`update audit_log set operation = 'x'`, /append-only/)
  await assert.rejects(sql`delete from audit_log`, /append-only/)
  await assert.rejects(sql`truncate audit_log`, /append-only/)
})

proves('audit.swept', 'old rows are erased, refusals sooner than changes, and nothing else ever is', async () => {
  const team = await seedTeam(service)
  const rowAt = async (daysAgo: number, status: number) => {
    const id = idAt(daysAgo)
    await team.sql`
      insert into audit_log (id, team_id, created_at, credential_type, operation, request_id, status)
      values (${id}, ${team.id}, now() - make_interval(days => ${daysAgo}), 'api_key', 'createMember', 'r', ${status})`
    return id
  }
  const goes = [await rowAt(401, 201), await rowAt(401, 404), await rowAt(31, 404)]
  const stays = [await rowAt(399, 201), await rowAt(31, 201), await rowAt(29, 404)]
  await sweepAudit.handler({
    input: {},
    context: service.context,
    sql: team.sql,
    signal: AbortSignal.timeout(10_000),
  })
  const left = await team.sql<{ id: string }>`select id from audit_log where id = any(${[...goes, ...stays]}::uuid[])`
  assert.deepEqual(new Set(left.map(({ id }) => id)), new Set(stays))
  await assert.rejects(team.sql`delete from audit_log where team_id = ${team.id}`, /append-only/)
})

/** Makes an id as that day would have made it. */
const idAt = (daysAgo: number): string => {
  const hex = (Date.now() - daysAgo * 86_400_000).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}${newId().slice(13)}`
}

proves(
  'audit.refusalsBounded',
  'a credential that is refused again and again writes sixty rows a minute, and one that tells of the others',
  async () => {
    const team = await seedTeam(service)
    const keyId = newId()
    const refuse = (idempotencyKey?: string) =>
      team.call(`DELETE /v2/api-keys/${keyId}`, { ...(idempotencyKey && { idempotencyKey }) })
    for (let n = 0; n < 70; n++) assert.equal((await refuse()).status, 404)
    // a refusal that is only counted still stores its reply
    assert.equal((await refuse('once')).headers['idempotency-replayed'], undefined)
    assert.equal((await refuse('once')).headers['idempotency-replayed'], 'true')
    // a process that stops writes what it has counted
    await service.app.close()
    const errors = await team.sql<{ error: string }>`
    select error from audit_log where team_id = ${team.id} and operation = 'deleteApiKey' order by id`
    assert.equal(errors.length, 61)
    assert.equal(errors[60]!.error, 'not_found (this row stands for 11 refused requests of this credential)')
  },
)
