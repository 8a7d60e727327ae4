// Migrations: applied once, by one process, and never on a database that is not for this code.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { Client } from 'pg'
import { begin } from '../../test/kit/heldTransaction.ts'
import { testDatabase } from '../../test/kit/postgres.ts'
import { BackupRefused, writeBackup } from './backup/dump.ts'
import { migrate, MigrationRefused, readMigrations } from './migrate.ts'
import { lastUndeclared, olderCodeIn, previousRelease } from './olderCode.ts'
import { workOf } from './migrationWork.ts'
import { proves } from '../../test/kit/proves.ts'

const known = await readMigrations()
const next = {
  number: known.length + 1,
  name: 'next',
  sha256: 'x',
  text: 'create table next_table (id int primary key)',
}

async function ask(
  address: Awaited<ReturnType<typeof testDatabase>>,
  text: string,
): Promise<Record<string, unknown>[]> {
  const client = new Client(address)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

proves('migrate.once', 'ten processes at once apply a migration once', async () => {
  const address = await testDatabase()
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, () => migrate({ address, migrations: [...known, next] })),
  )
  assert.equal(outcomes.flatMap(({ applied }) => applied).length, 1)
})

proves(
  'migrate.newer',
  'a database newer than the code is refused, and so is one whose migrations were edited',
  async () => {
    const address = await testDatabase()
    await migrate({ address, migrations: [...known, next] })
    await assert.rejects(migrate({ address, migrations: known }), (error) => {
      assert.ok(error instanceof MigrationRefused)
      assert.match(error.message, /newer Runyard/)
      return true
    })
    await assert.rejects(
      migrate({ address, migrations: [...known, { ...next, sha256: 'y' }] }),
      /was changed after it ran/,
    )
  },
)

proves('migrate.newer', 'a migration whose way was repaired fits a database on which its former text ran', async () => {
  const address = await testDatabase()
  const former = { ...next, sha256: 'f'.repeat(64) }
  await migrate({ address, migrations: [...known, former] })
  const repaired = { ...next, text: `-- Same result as: ${former.sha256}\n${next.text}` }
  assert.deepEqual((await migrate({ address, migrations: [...known, repaired] })).applied, [])
})

const expanding = { ...next, text: `-- owner: base/. A test.\n-- Older code: works.\n${next.text}` }
const worker = { role: 'worker', host: 'a', pid: 7, version: '0.6.2', migrations: known.length, seconds: 60 }

proves(
  'migrate.oneStep',
  'code of the release before starts on a database whose newer migrations all say that it works on them',
  async () => {
    const address = await testDatabase()
    const further = {
      ...expanding,
      number: next.number + 1,
      name: 'further',
      text: expanding.text.replace('next', 'further'),
    }
    await migrate({ address, migrations: [...known, expanding, further] })
    assert.deepEqual((await migrate({ address, migrations: known })).applied, [])
    await ask(address, `update schema_migrations set sha256 = 'edited' where number = 1`)
    await assert.rejects(migrate({ address, migrations: known }), /was changed after it ran/)
  },
)

proves('migrate.oneStep', 'one newer migration after which older code must stop keeps it out', async () => {
  const address = await testDatabase()
  const last = {
    ...next,
    number: next.number + 1,
    name: 'last',
    text: '-- owner: base/. A test.\n-- Older code: must stop.\nselect 1',
  }
  await migrate({ address, migrations: [...known, expanding, last] })
  await assert.rejects(migrate({ address, migrations: [...known, expanding] }), /newer Runyard \(migration last\)/)
})

proves(
  'migrate.oneStep',
  'code that is older than the release before is refused, with how much it would have to know',
  async () => {
    const address = await testDatabase()
    await migrate({ address, migrations: [...known, expanding] })
    await ask(address, `update schema_migrations set code_since = ${known.length}`)
    await assert.rejects(
      migrate({ address, migrations: known.slice(0, -1) }),
      new RegExp(`for code that knows at least ${known.length}\\); this one knows ${known.length - 1}`),
    )
  },
)

proves('migrate.living', 'a migration after which living processes could not work is not applied', async () => {
  const address = await testDatabase()
  const migrations = [...known, next]
  await assert.rejects(migrate({ address, migrations, living: async () => [worker] }), (error) => {
    assert.ok(error instanceof MigrationRefused)
    assert.match(error.message, /after migration next: worker, process 7 on a\. Stop them first\./)
    return true
  })
  assert.deepEqual(await ask(address, `select to_regclass('next_table') as found`), [{ found: null }])
  const beside = { address, migrations: [...known, expanding], living: async () => [worker] }
  assert.deepEqual((await migrate(beside)).applied, ['next'])
})

proves('migrate.silent', 'a service that does not say what it knows is older than the release before', async () => {
  const address = await testDatabase()
  const migrations = [...known, expanding]
  for (const role of ['api', 'worker', 'all']) {
    const living = async () => [{ ...worker, role, version: null, migrations: null }]
    await assert.rejects(
      migrate({ address, migrations, living }),
      new RegExp(`after migration next: ${role}, process 7 on a`),
    )
  }
  assert.deepEqual(await ask(address, `select to_regclass('next_table') as found`), [{ found: null }])
  const command = { ...worker, role: 'backup', version: null, migrations: null }
  assert.deepEqual((await migrate({ address, migrations, living: async () => [command] })).applied, ['next'])
})

proves('migrate.silent', 'one that has just started has time to say it', async () => {
  const address = await testDatabase()
  const asked: (number | null)[] = [null, known.length]
  const living = async () => [{ ...worker, migrations: asked.shift()!, seconds: 1 }]
  assert.deepEqual((await migrate({ address, migrations: [...known, expanding], living })).applied, ['next'])
  assert.deepEqual(asked, [])
})

proves('migrate.declared', 'every migration says whether processes of the release before work after it', () => {
  const silent = known.slice(lastUndeclared).filter(({ text }) => olderCodeIn(text) === undefined)
  assert.deepEqual(
    silent.map(({ name }) => name),
    [],
  )
  assert.ok(previousRelease.migrations <= known.length)
})

const workIn = (text: string, first = '-- owner: base/. A test.') => workOf({ ...next, text: `${first}\n\n${text}` })

proves('migrate.check', 'what a migration does to existing tables is read from its statements', () => {
  assert.deepEqual(
    workIn('create index concurrently if not exists x on runs (id)', '-- owner: base/. Outside transactions: a test.'),
    [{ table: 'runs', work: 'builds an index', locks: false }],
  )
  assert.deepEqual(workIn('create table a (id int); create index x on a (id); create index y on runs (id)'), [
    { table: 'runs', work: 'builds an index', locks: true },
  ])
  assert.deepEqual(
    workIn(
      'create function f() returns trigger language plpgsql as $$ begin update runs set a = 1; end $$; update cases set a = 1',
    ),
    [{ table: 'cases', work: 'changes rows', locks: true }],
  )
  assert.deepEqual(
    workIn('alter table runs\n  add column a int,\n  alter column b type bigint,\n  alter column c set not null'),
    [
      { table: 'runs', work: 'writes the table again', locks: true },
      { table: 'runs', work: 'checks all rows', locks: true },
    ],
  )
  assert.deepEqual(workOf(known.find(({ name }) => name.startsWith('0094_'))!), [
    { table: 'events', work: 'reads all rows', locks: false },
  ])
})

proves('migrate.atomic', 'a migration that fails leaves nothing of itself and says its name', async () => {
  const address = await testDatabase()
  const broken = { ...next, name: 'broken', text: 'create table half (id int); select nonsense' }
  await assert.rejects(migrate({ address, migrations: [...known, broken] }), /migration broken failed: .*nonsense/)
  assert.deepEqual(await ask(address, `select to_regclass('half') as half`), [{ half: null }])
})

proves(
  'migrate.givesWay',
  'work that locks two tables in another order than a migration does not fail, and waits little',
  async () => {
    const address = await testDatabase()
    await ask(address, 'create table first (n int); create table second (n int); insert into first values (1)')
    const text = 'alter table second add column more int; alter table first add column more int'
    const { its, commit } = await begin(address)
    await its`update first set n = 2`
    const migrating = migrate({ address, migrations: [...known, { ...next, text }] })
    const waits = `select from pg_locks where relation = 'first'::regclass and not granted`
    while ((await ask(address, waits)).length === 0) continue
    await its`insert into second (n) values (3)`
    await commit()
    assert.deepEqual((await migrating).applied, ['next'])
    assert.deepEqual(await ask(address, 'select first.n, second.n as other, first.more from first, second'), [
      { n: 2, other: 3, more: null },
    ])
  },
)

proves('postgres.role', 'a runtime role that is not a superuser runs every migration', async () => {
  const address = await testDatabase()
  assert.deepEqual(await ask(address, 'select rolsuper, rolcreaterole from pg_roles where rolname = current_user'), [
    { rolsuper: false, rolcreaterole: false },
  ])
})

const outside = (statements: string[]) => ({
  ...next,
  name: 'outside',
  text: ['-- owner: base/. Outside transactions: a test.', ...statements].join('\n\n'),
})

proves(
  'migrate.outside',
  'an index whose build was cut off is built again by the next start, and no statement before it does harm',
  async () => {
    const address = await testDatabase()
    await ask(address, 'create table numbers as select n % 1000 as n from generate_series(1, 1001) n')
    const migrations = [
      ...known,
      outside([
        'create index concurrently if not exists numbers_sorted on numbers (n)',
        '-- fails as long as a number is there twice, and leaves what a killed build leaves\n' +
          'create unique index concurrently if not exists numbers_once on numbers (n)',
        `do $$ begin\n  for each in 1 .. 3 loop\n    insert into numbers values (5000 + each);\n    commit;\n  end loop;\nend $$`,
      ]),
    ]
    await assert.rejects(migrate({ address, migrations }), /migration outside failed: .*could not create unique index/)
    const state = `
    select relname as index, indisvalid as is_valid from pg_index join pg_class c on c.oid = indexrelid
    where indrelid = 'numbers'::regclass order by 1`
    assert.deepEqual(await ask(address, state), [
      { index: 'numbers_once', is_valid: false },
      { index: 'numbers_sorted', is_valid: true },
    ])
    await ask(
      address,
      'delete from numbers where ctid in (select max(ctid) from numbers group by n having count(*) > 1)',
    )
    assert.deepEqual((await migrate({ address, migrations })).applied, ['outside'])
    assert.deepEqual(
      (await ask(address, state)).map(({ is_valid }) => is_valid),
      [true, true],
    )
    assert.deepEqual(await ask(address, 'select count(*)::int as added from numbers where n > 5000'), [{ added: 3 }])
  },
)

proves(
  'migrate.outside',
  'processes that wait for a migration do not hold up an index that it builds beside others',
  async () => {
    const address = await testDatabase()
    await ask(address, 'create table numbers as select n from generate_series(1, 1000) n')
    const migrations = [
      ...known,
      outside(['select pg_sleep(0.3)', 'create index concurrently if not exists numbers_sorted on numbers (n)']),
    ]
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => migrate({ address, migrations })))
    assert.deepEqual(
      outcomes.flatMap(({ applied }) => applied),
      ['outside'],
    )
  },
)

proves(
  'migrate.unfinished',
  'a database on which a migration outside transactions was cut off is backed up only when that has finished',
  async () => {
    const address = await testDatabase()
    const folder = await mkdtemp(join(tmpdir(), 'runyard migrate test '))
    after(() => rm(folder, { recursive: true }))
    const file = join(folder, 'backup')
    const migrations = [
      ...known,
      outside(['alter table teams add column if not exists more int', 'insert into numbers values (1)']),
    ]
    await assert.rejects(migrate({ address, migrations }), /migration outside failed/)
    await assert.rejects(writeBackup({ address, file }), (error) => {
      assert.ok(error instanceof BackupRefused)
      assert.match(error.message, /^Migration outside was begun .* Run npx runyard migrate/)
      return true
    })
    assert.deepEqual(await readdir(folder), [])
    await ask(address, 'create table numbers (n int)')
    await migrate({ address, migrations })
    const { header } = await writeBackup({ address, file })
    assert.equal(header.migrations.length, migrations.length)
  },
)

proves('migrate.unfinished', 'a database that only the release before has migrated is backed up', async () => {
  const address = await testDatabase()
  await ask(address, 'alter table schema_migrations drop column if exists next_begun')
  const folder = await mkdtemp(join(tmpdir(), 'runyard migrate test '))
  after(() => rm(folder, { recursive: true }))
  await writeBackup({ address, file: join(folder, 'backup') })
  await migrate({ address, migrations: [...known, outside(['select 1'])] })
  assert.deepEqual(await ask(address, 'select next_begun from schema_migrations order by number desc limit 2'), [
    { next_begun: null },
    { next_begun: 'outside' },
  ])
})

/** The newest migration of the last release with tables that may be large by now. */
const lastOf062 = 30
const largeTables =
  'runs|run_messages|run_steps|run_search|events|event_batches|audit_log|cases|case_events|deliveries|delivery_batches|usage_days'

proves(
  'migrate.large',
  'no migration since 0.6.2 builds an index on a large table, or changes its rows, inside a transaction',
  () => {
    const slow = known
      .filter(({ number, text }) => number > lastOf062 && !/^-- owner: [\w/]+\. Outside transactions: /.test(text))
      .flatMap(({ name, text }) => {
        const statements = text
          .replaceAll(/\$\$.*?\$\$/gs, '')
          .matchAll(
            new RegExp(`create (?:unique )?index \\w+ on (?:${largeTables})\\b|^update (?:${largeTables})\\b`, 'gm'),
          )
        // a table that the migration itself makes is empty
        return [...statements].flatMap(([statement]) =>
          text.includes(`create table ${statement.split(' ').at(-1)} (`) ? [] : [`${name}: ${statement}`],
        )
      })
    assert.deepEqual(slow, [])
  },
)

proves(
  'migrate.large',
  'runs of a database of 0.6.2 get what the new columns say, a part of them at a time',
  async () => {
    const address = await testDatabase()
    await ask(address, 'drop schema public cascade; create schema public')
    await migrate({ address, migrations: known.slice(0, lastOf062) })
    await ask(
      address,
      `insert into teams (id, name) values ('${id(1)}', 'Old');
     insert into agents (id, team_id, name, memory_enabled, builds_count) values ('${id(2)}', '${id(1)}', 'Old', true, 2);
     insert into builds (id, team_id, agent_id, revision_number, name, status, config)
       values ('${id(3)}', '${id(1)}', '${id(2)}', 1, 'Draft', 'draft', '{"a": 1}'), ('${id(4)}', '${id(1)}', '${id(2)}', 2, 'Live', 'live', '{"a": 2}');
     insert into runs (id, team_id, agent_id, build_id, run_number, source, title, limits, status, user_id, completed_at)
       select gen_random_uuid(), '${id(1)}', '${id(2)}', case when n % 10 = 0 then '${id(3)}'::uuid else '${id(4)}'::uuid end, n, 'api', 'Old', '{}',
         case when n % 100 = 0 then 'waiting' else 'completed' end, '${id(5)}', case when n % 100 <> 0 then now() end
       from generate_series(1, 12000) n`,
    )
    await migrate({ address })
    assert.deepEqual(
      await ask(
        address,
        `select (select count(*)::int from runs where config_hash is not null) as pinned,
         (select count(*)::int from runs r join builds b on b.id = r.build_id where (b.status = 'draft') <> (r.config_hash is not null)) as wrong,
         (select count(*)::int from runs r join pinned_configs p on p.team_id = r.team_id and p.hash = r.config_hash where p.config = '{"a": 1}') as kept,
         (select count(*)::int from runs where acts_for = array[user_id]) as acting,
         (select count(*)::int from pg_index where not indisvalid) as unfinished`,
      ),
      [{ pinned: 1200, wrong: 0, kept: 1200, acting: 120, unfinished: 0 }],
    )
  },
)

const id = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
