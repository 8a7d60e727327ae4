// What an older database has of recordings and reports, counted as stored when the migration comes.
import assert from 'node:assert/strict'
import { Client } from 'pg'
import { proves } from '../../../test/kit/proves.ts'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { migrate, readMigrations } from '../../base/migrate.ts'

const id = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
const [team, agent, build, set, replay] = [id(1), id(2), id(3), id(4), id(5)]

proves('replays.storage', 'what an older database keeps of replays is counted once, and given back', async () => {
  const address = await testDatabase()
  const client = new Client(address)
  await client.connect()
  const stored = async (): Promise<number> =>
    (await client.query<{ bytes: string }>(`select bytes_stored('${team}') as bytes`)).rows.map(({ bytes }) =>
      Number(bytes),
    )[0]!
  try {
    await client.query('drop schema public cascade; create schema public')
    const all = await readMigrations()
    const before = all.findIndex(({ name }) => name === '0132_storage_of_events_and_replays')
    await migrate({ address, migrations: all.slice(0, before) })
    await client.query(`
      insert into teams (id, name) values ('${team}', 'Old');
      insert into agents (id, team_id, name, memory_enabled, builds_count) values ('${agent}', '${team}', 'Old', true, 1);
      insert into builds (id, team_id, agent_id, revision_number, name, config, status)
        values ('${build}', '${team}', '${agent}', 1, 'Old', '{}', 'live');
      insert into replay_sets (id, team_id, agent_id, name) values ('${set}', '${team}', '${agent}', 'Old');
      insert into replay_recordings (id, team_id, set_id, run_id, run_number, run_title, run_status, run_ended_at, calls, content, size_bytes)
        select gen_random_uuid(), '${team}', '${set}', gen_random_uuid(), n, 'Old', 'completed', now(), 0, '{}', 100 from generate_series(1, 3) n;
      insert into replays (id, team_id, agent_id, set_id, set_version, build_id, config, config_hash, runs)
        values ('${replay}', '${team}', '${agent}', '${set}', 1, '${build}', '{}', '', 2500);
      insert into replay_runs (id, team_id, replay_id, run_id, run_number, run_title, state, verdict, report)
        select gen_random_uuid(), '${team}', '${replay}', gen_random_uuid(), n, 'Old', 'done', 'same', '{"a": "12345"}' from generate_series(1, 2500) n`)
    await migrate({ address, migrations: all })
    assert.equal(await stored(), 3 * 100 + 2500 * '{"a": "12345"}'.length)
    const text = all[before]!.text
    for (const statement of text.split(/\n\s*\n/)) await client.query(statement)
    assert.equal(
      await stored(),
      3 * 100 + 2500 * '{"a": "12345"}'.length,
      'a statement that is repeated counts nothing twice',
    )
    await client.query(`delete from agents where id = '${agent}'`)
    assert.equal(await stored(), 0)
  } finally {
    await client.end()
  }
})
