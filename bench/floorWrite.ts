// The floor of a keyed write: a bare Fastify route that writes the rows of createMember in one plain transaction.
import { randomBytes, randomUUIDv7 } from 'node:crypto'
import fastify from 'fastify'
import { Pool } from 'pg'
import { serveFloor } from './floor.ts'

/** What sealing adds to a stored reply: version, key id, iv and tag. */
const sealBytes = 1 + 8 + 12 + 16

const idempotencyRow = {
  name: 'idempotency',
  text: `insert into idempotency_keys (team_id, key, request_hash, status, reply, expires_at)
    values ($1, $2, $3, 201, $4, now() + interval '24 hours')`,
}
const memberRow = {
  name: 'member',
  text: `insert into members (id, team_id, name, email, role) values ($1, $2, $3, $4, $5)
    returning id, team_id, name, email, role, created_at, updated_at`,
}
const auditRow = {
  name: 'audit',
  text: `insert into audit_log (id, team_id, member_id, credential_type, credential_id, operation, target_type, target_id,
      request_id, status, error)
    values ($1, $2, $3, 'api_key', $4, 'createMember', 'member', $5, $6, 201, null)`,
}

await serveFloor(({ databaseUrl, connectionsMax, teamId, memberId, credentialId }) => {
  const pool = new Pool({ connectionString: databaseUrl, max: connectionsMax })
  const app = fastify({ logger: false })
  const requestHash = randomBytes(32)
  // ids and times have fixed widths, so every reply to the same body is as long as this one
  const now = new Date()
  const like = {
    id: teamId,
    team_id: teamId,
    name: '',
    email: null,
    role: 'operator',
    created_at: now,
    updated_at: now,
  }
  const bareBytes = JSON.stringify({ member: like, member_id: teamId }).length + sealBytes

  app.post<{ Body: { name: string } }>('/v2/teams/:teamId/members', async (request, reply) => {
    const { name } = request.body
    const key = request.headers['idempotency-key']
    const id = randomUUIDv7()
    const stored = Buffer.alloc(bareBytes + Buffer.byteLength(name), 0x2e)
    const client = await pool.connect()
    try {
      await client.query('begin')
      await client.query({ ...idempotencyRow, values: [teamId, key, requestHash, stored] })
      const { rows } = await client.query({ ...memberRow, values: [id, teamId, name, null, 'operator'] })
      await client.query({ ...auditRow, values: [randomUUIDv7(), teamId, memberId, credentialId, id, randomUUIDv7()] })
      await client.query('commit')
      reply.code(201).header('content-type', 'application/json; charset=utf-8')
      return JSON.stringify({ member: rows[0], member_id: id })
    } finally {
      // a failed transaction ends the bench, so its connection needs no roll-back
      client.release()
    }
  })
  return app
})
