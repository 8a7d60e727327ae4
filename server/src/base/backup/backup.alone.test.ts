// Proves that a backup is one moment of the whole database and that a restore gives it back, row by row.
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Client } from 'pg'
import {
  contentOf,
  fileNamed,
  fillTeams,
  firstMigrations,
  folder,
  migrations,
  nasty,
  newDatabase,
  query,
  restoreFile,
  withExtra,
} from '../../../test/kit/backupDatabases.ts'
import { begin } from '../../../test/kit/heldTransaction.ts'
import { onlyInLongForm } from '../../../test/kit/longForm.ts'
import { connectionSettings } from '../db.ts'
import type { ArchiveEnd } from './archive.ts'
import { BackupRefused, writeBackup } from './dump.ts'
import { verifyArchive } from './readArchive.ts'

/** What Runyard's own tables do not have yet, and may get any day. */
const oddTables = `
  create type mood as enum ('fine', 'so so');
  create domain short as text check (length(value) < 20);
  create table odd (
    id bigint primary key generated always as identity,
    parent_id bigint references odd (id),
    "Odd, ""name""" text,
    doubled int generated always as (small * 2) stored,
    small int,
    money numeric,
    measured double precision,
    day date,
    span interval,
    words text[],
    grid int[][],
    address inet,
    mood mood,
    short short,
    raw json,
    fixed char(5),
    bits bit varying,
    ranges int8range
  );
  create table hens (id int primary key, egg_id int not null);
  create table eggs (id int primary key, hen_id int not null references hens (id));
  alter table hens add constraint hens_egg foreign key (egg_id) references eggs (id) deferrable initially deferred;
  create table seeds (id int primary key, name text);
  insert into seeds values (1, 'from the migration'), (2, 'removed later');
  create table readings (at date not null, value int) partition by range (at);
  create table readings_old partition of readings for values from (minvalue) to ('2026-01-01');
  create table readings_new partition of readings for values from ('2026-01-01') to (maxvalue);
  create index readings_by_value on readings (value);
  create unlogged table forgetful (id int);
  create function shout() returns trigger language plpgsql as $$ begin new.name = upper(new.name); return new; end $$;
  create trigger seeds_shout before insert on seeds for each row execute function shout();
  create view seed_names as select name from seeds;
  create sequence tickets as bigint increment 7 start 9007199254740993;
  create table notes (id serial primary key, text text);`

const oddRows = `
  insert into odd (parent_id, "Odd, ""name""", small, money, measured, day, span, words, grid, address, mood, short, raw, fixed, bits, ranges)
  values
    (null, E'tab\\there', 21, 'NaN', 'Infinity', '-infinity', '1 year -2 days 00:00:00.000001',
     array['a', null, '', 'NULL', E'b"\\\\c', '{}'], '{{1,2},{3,null}}', '::1/128', 'so so', 'yes', '{"b" :1, "a":2, "b":3}', 'ab', B'101', '[1,)'),
    (1, null, null, 1e-30, 0.1::float8 + 0.2::float8, '0044-03-15 BC', null, '{}', null, null, null, null, null, null, '', 'empty');
  begin; insert into hens values (1, 2); insert into eggs values (2, 1); commit;
  delete from seeds where id = 2;
  insert into seeds values (3, 'by hand');
  alter table seeds disable trigger seeds_shout; insert into seeds values (4, 'quiet'); alter table seeds enable trigger seeds_shout;
  insert into readings select '2025-12-01'::date + n, n from generate_series(1, 60) n;
  insert into forgetful values (1);
  select nextval('tickets'), nextval('tickets');
  insert into notes (text) values ('one'), ('two')`

const all = { jobs: 'job_engine.jobs', crontabs: 'job_engine.known_crontabs' }

describe('backup and restore', { concurrency: 2 }, () => {
  test('a round trip keeps every value, and the schema works on as before', async () => {
    const schema = withExtra(oddTables)
    const source = await newDatabase(schema)
    await fillTeams(source)
    for (const statement of oddRows.split(';\n')) await query(source, statement)
    const file = fileNamed('round-trip')
    const { header, end } = await writeBackup({ address: source, file })
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.equal(end.rows.teams, nasty.length)
    assert.ok(!header.sections.some(({ name }) => ['rate_windows', 'forgetful', 'processes'].includes(name)))

    const target = await newDatabase()
    const restored = await restoreFile({ address: target, file, migrations: schema })
    assert.deepEqual(restored.rows, end.rows)
    assert.deepEqual(await contentOf(target, ['forgetful']), await contentOf(source, ['forgetful']))
    // identical to a second backup but for its time
    const again = await writeBackup({ address: target, file: fileNamed('round-trip-again') })
    assert.deepEqual({ ...again.header, created_at: '' }, { ...header, created_at: '' })
    assert.deepEqual(again.end, end)

    const next = await query<{ ticket: string; id: number }>(
      target,
      `insert into notes (text) values ('three') returning id, nextval('tickets')::text as ticket`,
    )
    assert.deepEqual(next, [{ ticket: '9007199254741007', id: 3 }])
    assert.deepEqual(await query(target, `insert into seeds values (5, 'loud') returning name`), [{ name: 'LOUD' }])
    await assert.rejects(query(target, 'insert into eggs values (9, 9)'), { code: '23503' })
    await assert.rejects(query(target, `truncate audit_log`), /append-only/)
    const constraints = `select conname, convalidated, condeferred from pg_constraint order by conrelid::regclass::text, conname`
    assert.deepEqual(await query(target, constraints), await query(source, constraints))
  })

  test('jobs and known crontabs survive, in their order and held by nobody', async () => {
    const source = await newDatabase(firstMigrations)
    await query(
      source,
      `select graphile_worker.add_job('second', '{"id":"ß\\n"}', queue_name => 'q', run_at => '2030-01-01', max_attempts => 3,
         job_key => 'one', priority => -5, flags => array['f'])`,
    )
    await query(source, `select graphile_worker.add_job('first', run_at => '2030-01-01')`)
    await query(source, `select graphile_worker.add_job('second', run_at => '2030-01-01')`)
    await query(
      source,
      `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'gone', attempts = 2, last_error = E'x\\ny'`,
    )
    await query(source, `update graphile_worker._private_job_queues set locked_at = now(), locked_by = 'gone'`)
    await query(source, `insert into graphile_worker._private_known_crontabs values ('c', now(), '2026-01-01')`)
    const file = fileNamed('jobs')
    const { end } = await writeBackup({ address: source, file })
    assert.equal(end.rows[all.jobs], 3)
    assert.equal(end.rows[all.crontabs], 1)

    const target = await newDatabase(firstMigrations)
    await query(target, `select graphile_worker.add_job('of before', queue_name => 'old')`)
    await restoreFile({ address: target, file, migrations: firstMigrations })
    const jobs = `
      select j.task_identifier, j.queue_name, p.payload, j.priority, j.run_at, j.attempts, j.max_attempts, j.last_error,
        j.created_at, j.updated_at, j.key, j.revision, j.flags
      from graphile_worker.jobs j join graphile_worker._private_jobs p using (id) order by j.id`
    assert.deepEqual(await query(target, jobs), await query(source, jobs))
    const held = `
      select (select count(*)::int from graphile_worker.jobs where locked_by is not null)
        + (select count(*)::int from graphile_worker._private_job_queues where not is_available) as held`
    assert.deepEqual(await query(target, held), [{ held: 0 }])
    const crontabs = 'select * from graphile_worker._private_known_crontabs'
    assert.deepEqual(await query(target, crontabs), await query(source, crontabs))
    // a job with the key is still the one that a further call replaces
    await query(target, `select graphile_worker.add_job('second', job_key => 'one')`)
    assert.deepEqual(await query(target, 'select count(*)::int as jobs from graphile_worker.jobs'), [{ jobs: 3 }])
  })

  test('a backup taken under load is one moment: no transaction is in it by half', async () => {
    const source = await newDatabase(firstMigrations)
    const load = { over: false, commits: 0, bell: new EventEmitter() }
    const write = async () => {
      const client = new Client(connectionSettings(source))
      await client.connect()
      while (!load.over) {
        await client.query('begin')
        const { rows } = await client.query<{ id: string }>(
          `insert into teams (id, name) values (gen_random_uuid(), 'team') returning id`,
        )
        await client.query(`insert into members (id, team_id, name, role) values ($1, $1, 'm', 'admin')`, [rows[0]!.id])
        await client.query(
          `insert into events (id, team_id, event, data) values ($1, $1, 'connection.updated', '{}')`,
          [rows[0]!.id],
        )
        await client.query('commit')
        load.commits += 1
        load.bell.emit('commit')
      }
      await client.end()
    }
    const until = async (count: number) => {
      while (load.commits < count) await once(load.bell, 'commit')
    }
    const writers = [write(), write(), write()]
    await until(100)
    const file = fileNamed('under-load')
    let atSnapshot = 0
    const { end } = await writeBackup({
      address: source,
      file,
      onSnapshot() {
        atSnapshot = load.commits
        return until(atSnapshot + 100)
      },
    })
    load.over = true
    await Promise.all(writers)
    assert.ok(end.rows.teams! >= 100 && end.rows.teams! <= atSnapshot + 3, `${end.rows.teams} of ${atSnapshot}`)
    assert.ok(load.commits >= atSnapshot + 100)
    assert.equal(end.rows.members, end.rows.teams)
    assert.equal(end.rows.events, end.rows.teams)
    const target = await newDatabase()
    await restoreFile({ address: target, file, migrations: firstMigrations })
    const whole = `select count(*)::int as count from teams join members m on m.team_id = teams.id join events e on e.team_id = teams.id`
    assert.deepEqual(await query(target, whole), [{ count: end.rows.teams }])
  })

  test('rows that are kept of a partition that is dropped at this moment are in the backup', async () => {
    const source = await newDatabase(firstMigrations)
    await query(
      source,
      `create table readings (at int not null) partition by range (at);
       create table readings_old partition of readings for values from (minvalue) to (10);
       create table readings_rest partition of readings default;
       insert into readings values (1), (2), (3)`,
    )
    const { its, commit } = await begin(source)
    await its`lock table readings in access exclusive mode`
    const file = fileNamed('dropped')
    const backup = writeBackup({ address: source, file })
    const waits = `select from pg_locks where relation = 'readings'::regclass and not granted`
    while ((await query(source, waits)).length === 0) continue
    await its`alter table readings detach partition readings_old`
    await its`insert into readings_rest select at from readings_old where at = 2`
    await its`drop table readings_old`
    await its`create table later as select 1 as id`
    await commit()
    const { end, header } = await backup
    assert.equal(end.rows['readings'], 1)
    assert.equal(end.rows['later'], 1, 'a table that was made meanwhile is locked too')
    assert.ok(header.sections.some(({ name }) => name === 'later'))
    const gone = await begin(source)
    await gone.its`drop table later`
    const without = writeBackup({ address: source, file: fileNamed('without') })
    const waitsForLater = `select from pg_locks where relation = 'later'::regclass and not granted`
    while ((await query(source, waitsForLater)).length === 0) continue
    await gone.commit()
    assert.equal((await without).end.rows['later'], undefined)
  })

  test('somebody’s own table in the database is backed up and passed over, with a word, by a restore', async () => {
    const source = await newDatabase(firstMigrations)
    await query(source, 'create table ledger as select 1 as id')
    const file = fileNamed('with-ledger')
    await writeBackup({ address: source, file })
    const { passedOver } = await restoreFile({ address: await newDatabase(), file, migrations: firstMigrations })
    assert.deepEqual(passedOver, ['ledger'])
  })

  test('a file that is there is not overwritten, unless it is asked for', async () => {
    const address = await newDatabase(migrations)
    const file = fileNamed('mine')
    await writeFile(file, 'precious')
    await assert.rejects(writeBackup({ address, file }), BackupRefused)
    assert.equal(await readFile(file, 'utf8'), 'precious')
    await writeBackup({ address, file, force: true })
    await verifyArchive(file)
    const late = fileNamed('late')
    await assert.rejects(
      writeBackup({ address, file: late, onSnapshot: () => writeFile(late, 'came meanwhile') }),
      BackupRefused,
    )
    assert.equal(await readFile(late, 'utf8'), 'came meanwhile')
    await assert.rejects(writeBackup({ address, file: join(folder, 'no', 'such', 'folder') }), { code: 'ENOENT' })
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('.mine') || name.startsWith('.late')),
      [],
    )
  })

  test('a backup that is interrupted leaves nothing behind', async () => {
    const address = await newDatabase(migrations)
    await fillTeams(address)
    const controller = new AbortController()
    const file = fileNamed('interrupted')
    await assert.rejects(
      writeBackup({ address, file, signal: controller.signal, onSnapshot: async () => controller.abort() }),
      { name: 'AbortError' },
    )
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.includes('interrupted')),
      [],
    )
  })
})

test('37,000 rows of 1,900 bytes pass in bounded memory', onlyInLongForm, async (t) => {
  // a tenth goes first, so that what is measured is the growth with the size and not the size of a working process
  await thereAndBack(3700)
  const grown = await thereAndBack(37_000)
  t.diagnostic(`RSS grew by ${Math.round(grown / 1e6)} MB for 70 MB of rows, there and back`)
  assert.ok(grown < 60e6, `RSS grew by ${Math.round(grown / 1e6)} MB`)
})

async function thereAndBack(rows: number): Promise<number> {
  const source = await newDatabase(firstMigrations)
  await query(source, `insert into teams (id, name) values ('00000000-0000-0000-0000-000000000001', 'big')`)
  await query(
    source,
    `insert into events (id, team_id, event, data)
     select gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 'connection.updated',
       jsonb_build_object('n', n, 'text', repeat(md5(n::text), 57)) from generate_series(1, ${rows}) n`,
  )
  const file = fileNamed(`big-${rows}`)
  const target = await newDatabase()
  let end: ArchiveEnd | undefined
  const grown = await rssGrowth(async () => {
    end = (await writeBackup({ address: source, file })).end
    await restoreFile({ address: target, file, migrations: firstMigrations })
  })
  assert.equal(end!.rows.events, rows)
  assert.deepEqual(await contentOf(target), await contentOf(source))
  return grown
}

async function rssGrowth(work: () => Promise<void>): Promise<number> {
  const atFirst = process.memoryUsage.rss()
  let most = atFirst
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return most - atFirst
}
