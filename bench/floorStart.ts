// The floor of a start: a bare Fastify route that writes the rows of startRun in one plain transaction, and nothing after it.
import { randomBytes, randomUUIDv7 } from 'node:crypto'
import fastify from 'fastify'
import { Pool } from 'pg'
import { serveFloor } from './floor.ts'

const sealBytes = 1 + 8 + 12 + 16

const keyRow = {
  name: 'key',
  text: `insert into idempotency_keys (team_id, key, request_hash, status, reply, expires_at)
    values ($1, $2, $3, 201, $4, now() + interval '24 hours')`,
}
const buildOf = {
  name: 'build',
  text: `select b.id, a.name from agents a join builds b on b.agent_id = a.id and b.status = 'live' where a.id = $1 and a.team_id = $2`,
}
const runRow = {
  name: 'run',
  text: `insert into runs (id, team_id, agent_id, build_id, run_number, source, user_id, message, title, limits, status, queued_at,
      message_seq, event_seq)
    values ($1, $2, $3, $4, nextval('run_numbers'), 'api', $5, $6, $7, $8, 'pending', now(), 1, 1)
    returning run_number, created_at`,
}
const messageRow = {
  name: 'message',
  text: `insert into run_messages (run_id, seq, id, turn, type, role, text_content, "timestamp")
    values ($1, 1, $2, 0, 'text', 'user', $3, now())`,
}
const eventRow = {
  name: 'event',
  text: `insert into event_batches (id, team_id, run_id, last, kinds, entries) values ($1, $2, $3, 1, 'm', json_build_array($4::json))`,
}
const auditRow = {
  name: 'audit',
  text: `insert into audit_log (id, team_id, member_id, credential_type, credential_id, operation, target_type, target_id,
      request_id, status, error)
    values ($1, $2, $3, 'api_key', $4, 'startRun', 'run', $5, $6, 201, null)`,
}

const limits = { max_steps: 200, max_duration_s: 3600, max_tokens: null, max_cost_usd: null }

await serveFloor(({ databaseUrl, connectionsMax, teamId, memberId, credentialId }) => {
  const pool = new Pool({ connectionString: databaseUrl, max: connectionsMax })
  const app = fastify({ logger: false })
  const requestHash = randomBytes(32)

  app.post<{ Body: { agent_id: string; message: string } }>('/v2/teams/:teamId/runs', async (request, reply) => {
    const { agent_id, message } = request.body
    const key = request.headers['idempotency-key']
    const id = randomUUIDv7()
    const client = await pool.connect()
    try {
      await client.query('begin')
      const build = (await client.query({ ...buildOf, values: [agent_id, teamId] })).rows[0] as {
        id: string
        name: string
      }
      const values = [
        id,
        teamId,
        agent_id,
        build.id,
        memberId,
        JSON.stringify(message),
        message,
        JSON.stringify(limits),
      ]
      const made = (await client.query({ ...runRow, values })).rows[0] as { run_number: string; created_at: Date }
      const run = {
        id,
        team_id: teamId,
        agent_id,
        agent_name: build.name,
        build_id: build.id,
        run_number: Number(made.run_number),
        metadata: {},
        limits,
        callback_url: null,
        title: message,
        status: 'pending',
        source: 'api',
        user_id: memberId,
        sandbox_id: null,
        browser_session_id: null,
        parent_run_id: null,
        case_id: null,
        case_queue_id: null,
        case_title: null,
        message,
        output: null,
        error: null,
        waiting_on: null,
        postponed_to: null,
        usage: { steps: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 },
        eval_summary: null,
        created_at: made.created_at,
        started_at: null,
        completed_at: null,
        updated_at: made.created_at,
      }
      const body = JSON.stringify({ run, run_id: id, status: 'pending' })
      const messageId = randomUUIDv7()
      await client.query({ ...messageRow, values: [id, messageId, message] })
      const eventId = randomUUIDv7()
      const shown = {
        run_id: id,
        id: messageId,
        type: 'text',
        role: 'user',
        text_content: message,
        tool_call: null,
        tool_result: null,
      }
      const data = {
        event_id: eventId,
        team_id: teamId,
        run_id: id,
        agent_id,
        sequence: 1,
        message: { ...shown, timestamp: made.created_at, seq: 1 },
      }
      await client.query({ ...eventRow, values: [eventId, teamId, id, JSON.stringify(data)] })
      await client.query({ ...auditRow, values: [randomUUIDv7(), teamId, memberId, credentialId, id, randomUUIDv7()] })
      if (key !== undefined) {
        const stored = Buffer.alloc(body.length + sealBytes, 0x2e)
        await client.query({ ...keyRow, values: [teamId, key, requestHash, stored] })
      }
      await client.query('commit')
      reply.code(201).header('content-type', 'application/json; charset=utf-8')
      return body
    } finally {
      // a failed transaction ends the bench, so its connection needs no roll-back
      client.release()
    }
  })
  return app
})
