// Ended runs in the tables, many in one statement: a service that has been at work for a while.
import { query } from './pair.ts'
import type { Service } from './service.ts'

/** Of this agent, spread over the last thirty days, each with its messages, steps and events. */
export async function seedEndedRuns(service: Service, agentId: string, count: number): Promise<void> {
  await query(
    service,
    `with made as materialized (
      select gen_random_uuid() as id, n, now() - (n || ' minutes')::interval as at from generate_series(1, ${count}) n
    ),
    run as (
      insert into runs (id, team_id, agent_id, build_id, run_number, source, title, message, limits, status, output, created_at, started_at,
        completed_at, updated_at, epoch, message_seq, event_seq, steps)
      select made.id, b.team_id, b.agent_id, b.id, nextval('run_numbers'), 'api', 'Seeded ' || n, to_jsonb('message ' || n), '{}', 'completed',
        to_jsonb('kept'::text), at, at, at, at, 1, 2, 3, 1
      from made, builds b where b.agent_id = '${agentId}' and b.status = 'live'
    ),
    message as (
      insert into run_messages (run_id, seq, id, turn, type, role, text_content, "timestamp")
      select id, s, gen_random_uuid(), s - 1, 'text', case s when 1 then 'user' else 'assistant' end, 'hello ' || n, at
      from made, generate_series(1, 2) s
    ),
    step as (
      insert into run_steps (run_id, seq, turn, kind, tool, state, started_at, completed_at)
      select id, 1, 1, 'tool', 'memory_write', 'done', at, at from made
    )
    insert into event_batches (id, team_id, run_id, last, kinds, entries, created_at)
    select gen_random_uuid(), '${service.teamId}', id, s, 'm', '[{"seeded": true}]', at from made, generate_series(1, 3) s`,
  )
  await query(service, 'analyze')
}
