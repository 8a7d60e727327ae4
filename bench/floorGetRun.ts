// The floor of getRun: a bare Fastify route that answers its bytes from one prepared select.
import fastify from 'fastify'
import { Pool, types } from 'pg'
import { serveFloor } from './floor.ts'

types.setTypeParser(types.builtins.INT8, Number)

/** The select of features/runs/run.ts, word for word; getRuns checks that the answers are the same bytes. */
const text = `
  select r.id, r.team_id, r.agent_id, a.name as agent_name, r.build_id, r.run_number, r.metadata, r.limits, r.callback_url, r.title, r.status,
    r.source, r.user_id, r.sandbox_id, r.browser_session_id, r.parent_run_id, r.parent_step, r.retry_of_run_id, r.retried_from_step, r.case_id, r.case_queue_id, r.case_title, r.message, r.output,
    r.error, r.waiting_on, r.postponed_to,
    jsonb_build_object('steps', r.steps, 'input_tokens', r.input_tokens, 'output_tokens', r.output_tokens,
      'cost_usd', trim_scale(r.cost_usd)) as usage,
    r.eval_summary, r.created_at, r.started_at, r.completed_at, r.updated_at
  from runs r join agents a on a.id = r.agent_id where r.id = $1 and r.team_id = $2`

await serveFloor(({ databaseUrl, connectionsMax, teamId }) => {
  const pool = new Pool({ connectionString: databaseUrl, max: connectionsMax })
  const app = fastify({ logger: false })
  app.get<{ Params: { runId: string } }>('/v2/runs/:runId', async (request, reply) => {
    const { rows } = await pool.query({ name: 'run', text, values: [request.params.runId, teamId] })
    const run = rows[0] as { id: string; status: string }
    reply.header('content-type', 'application/json; charset=utf-8')
    return JSON.stringify({ run, run_id: run.id, status: run.status, pending_human_request: null })
  })
  return app
})
