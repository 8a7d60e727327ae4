// What was used before usage was written down: read from what is there when the migration comes.
import assert from 'node:assert/strict'
import { Client } from 'pg'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { migrate, readMigrations } from '../../base/migrate.ts'
import { proves } from '../../../test/kit/proves.ts'

const id = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
const [team, agent, build, run, open] = [id(1), id(2), id(3), id(4), id(5)]

proves('usage.before', 'an older database tells what its runs, builders, deliveries and sandboxes used', async () => {
  const address = await testDatabase()
  const client = new Client(address)
  await client.connect()
  try {
    await client.query('drop schema public cascade; create schema public')
    const all = await readMigrations()
    const before = all.findIndex(({ name }) => name === '0024_usage')
    await migrate({ address, migrations: all.slice(0, before) })
    await client.query(`
      insert into teams (id, name) values ('${team}', 'Old');
      insert into agents (id, team_id, name, memory_enabled, builds_count) values ('${agent}', '${team}', 'Old', true, 1);
      insert into builds (id, team_id, agent_id, revision_number, name, config, status)
        values ('${build}', '${team}', '${agent}', 1, 'Old', '{}', 'live');
      insert into runs (id, team_id, agent_id, build_id, run_number, source, title, status, created_at, completed_at, active_ms)
      values ('${run}', '${team}', '${agent}', '${build}', 1, 'api', 'x', 'completed', '2026-01-31 23:00Z', '2026-02-01 01:00Z', 1500),
        ('${open}', '${team}', '${agent}', '${build}', 2, 'api', 'x', 'running', '2026-02-01 00:30Z', null, 0);
      insert into run_counts (team_id, agent_id, unit, at, counted_as, runs)
      select team_id, a, 'day', floor(hour / 24.0), became, runs from run_count_deltas,
        unnest(array[agent_id, '00000000-0000-0000-0000-000000000000']) a where became = 'completed';
      delete from run_count_deltas where became = 'completed';
      insert into run_steps (run_id, seq, turn, kind, tool, state, input_tokens, output_tokens, cost_usd, started_at, completed_at)
        values ('${run}', 1, 1, 'model', 'a:b', 'done', 10, 5, 0.25, '2026-01-31 23:30Z', '2026-02-01 00:30Z');
      insert into builder_runs (id, team_id, agent_id, build_id, status, model, prompt, checkpoint_config, input_tokens, output_tokens,
        cost_usd, updated_at)
        values ('${id(6)}', '${team}', '${agent}', '${build}', 'failed', 'a:b', '', '{}', 3, 2, 0.5, '2026-02-02 00:00Z');
      insert into deliveries (id, team_id, target_id, event_id, event, created_at, state, settled_at)
        values ('${id(7)}', '${team}', '${id(8)}', '${id(9)}', 'run.started', now(), 'delivered', '2026-02-02 00:00Z');
      insert into sandboxes (id, team_id, kept_bytes) values ('${id(10)}', '${team}', 77)`)
    await migrate({ address, migrations: all })
    const { rows: days } = await client.query(`
      select to_char(day, 'MM-DD') as day, runs::int, completed::int, active_ms::int from usage_days where team_id = '${team}' order by day`)
    assert.deepEqual(days, [
      { day: '01-31', runs: 1, completed: 1, active_ms: 0 },
      { day: '02-01', runs: 0, completed: 0, active_ms: 1500 },
    ])
    const { rows: entries } = await client.query(`
      select case when sandbox_bytes = 0 then to_char(day, 'MM-DD') end as day, purpose, calls, input_tokens::int + output_tokens::int as tokens,
        cost_usd::float8, deliveries, sandbox_bytes::int
      from usage_entries where team_id = '${team}' order by 1, 2`)
    const none = { purpose: null, calls: 0, tokens: 0, cost_usd: 0, deliveries: 0, sandbox_bytes: 0 }
    assert.deepEqual(entries, [
      { ...none, day: '02-01', purpose: 'run', calls: 1, tokens: 15, cost_usd: 0.25 },
      { ...none, day: '02-02', purpose: 'builder', tokens: 5, cost_usd: 0.5 },
      { ...none, day: '02-02', deliveries: 1 },
      { ...none, day: null, sandbox_bytes: 77 },
    ])
    // the run that is not folded yet comes with the next fold
    const { rows: left } = await client.query(`select became, runs from run_count_deltas where team_id = '${team}'`)
    assert.deepEqual(left, [{ became: 'running', runs: 1 }])
  } finally {
    await client.end()
  }
})
