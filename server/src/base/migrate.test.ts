// Migrations: applied once, by one process, and never on a database that is not for this code.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { testDatabase } from '../../test/kit/postgres.ts'
import { migrate, MigrationRefused, readMigrations } from './migrate.ts'

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

// proves migrate.once
test('ten processes at once apply a migration once', async () => {
  const address = await testDatabase()
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, () => migrate({ address, migrations: [...known, next] })),
  )
  assert.equal(outcomes.flatMap(({ applied }) => applied).length, 1)
})

// proves migrate.newer
test('a database newer than the code is refused, and so is one whose migrations were edited', async () => {
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
})

// proves migrate.atomic
test('a migration that fails leaves nothing of itself and says its name', async () => {
  const address = await testDatabase()
  const broken = { ...next, name: 'broken', text: 'create table half (id int); select nonsense' }
  await assert.rejects(migrate({ address, migrations: [...known, broken] }), /migration broken failed: .*nonsense/)
  assert.deepEqual(await ask(address, `select to_regclass('half') as half`), [{ half: null }])
})

// proves postgres.role
test('the runtime role is no superuser and still runs every migration', async () => {
  const address = await testDatabase()
  assert.deepEqual(await ask(address, 'select rolsuper, rolcreaterole from pg_roles where rolname = current_user'), [
    { rolsuper: false, rolcreaterole: false },
  ])
})
