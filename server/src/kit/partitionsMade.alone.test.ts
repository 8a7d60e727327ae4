// Tables with rows become partitioned, while others write to them.
import assert from 'node:assert/strict'
import { Client } from 'pg'
import { newDatabase, query } from '../../test/kit/backupDatabases.ts'
import { proves } from '../../test/kit/proves.ts'
import { connectionSettings, type Address } from '../base/db.ts'
import { firstIdAt, newId } from '../base/ids.ts'
import { migrate, readMigrations } from '../base/migrate.ts'

const migrations = (await readMigrations()).slice(0, 106)
const teamId = newId()

const write = (address: Address, ids: string[]) =>
  query(
    address,
    `insert into event_batches (id, team_id, run_id, last, kinds, entries)
     select id, $2, id, 1, 's', json_build_array(json_build_object('id', id)) from unnest($1::uuid[]) id`,
    [ids, teamId],
  )

const events = (address: Address) =>
  query<{ id: string }>(address, 'select id, data::text from events where team_id = $1 order by id', [teamId])

const fileOf = async (address: Address, table: string) =>
  (await query<{ file: number }>(address, 'select pg_relation_filenode($1::regclass) as file', [table]))[0]!.file

proves('partitions.migrated', 'no row is copied, and none that is written at the same time is lost', async () => {
  const address = await newDatabase(migrations.slice(0, 105))
  const ids = Array.from({ length: 100 }, newId)
  await write(address, ids)
  const [before, file] = [await events(address), await fileOf(address, 'event_batches')]
  const over = new AbortController()
  const written: string[] = []
  const writer = (async () => {
    while (!over.signal.aborted) {
      const id = newId()
      await write(address, [id])
      written.push(id)
    }
  })()
  await migrate({ address, migrations }).finally(() => over.abort())
  await writer
  assert.equal(await fileOf(address, 'event_batches_before'), file)
  const after = await events(address)
  assert.deepEqual(after.slice(0, 100), before)
  assert.deepEqual(new Set(after.map(({ id }) => id)), new Set([...ids, ...written]))
  assert.equal(
    (await query(address, `select from pg_trigger where tgrelid = 'event_batches'::regclass and not tgisinternal`))
      .length,
    3,
  )
})

proves('partitions.migrated', 'readers who are always there do not keep the tables from it', async () => {
  const address = await newDatabase(migrations.slice(0, 105))
  await write(address, Array.from({ length: 100 }, newId))
  const over = new AbortController()
  const reading = Array.from({ length: 6 }, async () => {
    const client = new Client(connectionSettings(address))
    await client.connect()
    while (!over.signal.aborted) await client.query('select count(data::text) from events')
    await client.end()
  })
  await migrate({ address, migrations }).finally(() => over.abort())
  await Promise.all(reading)
  const [table] = await query<{ relkind: string }>(
    address,
    `select relkind from pg_class where relname = 'event_batches'`,
  )
  assert.equal(table!.relkind, 'p')
})

proves(
  'partitions.migrated',
  'a table with an id from the future stays whole, and is read and written as before',
  async () => {
    const address = await newDatabase(migrations.slice(0, 105))
    const ids = [newId(), firstIdAt(Date.now() + 10 * 86_400_000)]
    await write(address, ids)
    await migrate({ address, migrations })
    assert.deepEqual(await query(address, `select * from partitions_of('event_batches')`), [])
    assert.equal((await query(address, `select * from partitions_of('delivery_batches')`)).length, 2)
    await write(address, [newId()])
    assert.equal((await events(address)).length, 3)
  },
)
