// How the sweep of blobs goes through all of them: slice by slice, a bounded number of bytes at a time, and round again.
import assert from 'node:assert/strict'
import { beforeEach } from 'node:test'
import { newId } from '../../base/ids.ts'
import { proves } from '../../../test/kit/proves.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { blobsOn } from './blobsOn.ts'
import { sweepBlobs } from './sweepBlobs.ts'

const service = await testApp()
const { db } = service.context
const { sql } = db
const team = await seedTeam(service)
const sandbox = newId()
await sql`insert into sandboxes (id, team_id) values (${sandbox}, ${team.id})`

beforeEach(async () => {
  await sql`delete from workspace_files`
  await sql`delete from blobs`
  await sql`delete from blob_sweep`
})

/** An old blob; its chunks have one byte each. */
async function blobWith(chunks: number, { hoursAgo = 25 } = {}): Promise<string> {
  const id = newId()
  await sql`
    insert into blobs (id, sha256, size_bytes, created_at)
    values (${id}, sha256(${id}::text::bytea), ${chunks}, now() - make_interval(hours => ${hoursAgo}))`
  await sql`
    insert into blob_chunks (blob_id, n, bytes) select ${id}, n, 'x' from generate_series(0, ${chunks - 1}::int) n`
  return id
}

/** Their numbers begin with 1. */
async function addChunks(id: string, chunks: number): Promise<void> {
  await sql`insert into blob_chunks (blob_id, n, bytes) select ${id}, n, 'x' from generate_series(1, ${chunks}::int) n`
}

async function use(id: string): Promise<void> {
  await sql`
    insert into workspace_files (id, team_id, sandbox_id, path, sha256, size_bytes, from_step)
    select ${newId()}, ${team.id}, ${sandbox}, '/workspace/' || ${id}::text, sha256, size_bytes, 1 from blobs where id = ${id}`
}

const left = async (): Promise<string[]> =>
  (await sql<{ id: string }>`select id from blobs order by created_at, id`).map(({ id }) => id)

/** Runs the work, and tells how many chunks each of its transactions deleted. */
async function deletedChunks(work: () => Promise<unknown>): Promise<number[]> {
  await db.pool.query(`
    create table deleted_chunks (transaction xid8 default pg_current_xact_id(), chunks int not null);
    create function note_deleted() returns trigger language plpgsql as 'begin
      insert into deleted_chunks (chunks) select count(*) from gone having count(*) > 0;
      return null;
    end';
    create trigger note_deleted after delete on blob_chunks referencing old table as gone
      for each statement execute function note_deleted()`)
  try {
    await work()
    const rows = await sql<{ chunks: number }>`
      select sum(chunks)::int as chunks from deleted_chunks group by transaction order by transaction`
    return rows.map(({ chunks }) => chunks)
  } finally {
    await db.pool.query(
      'drop trigger note_deleted on blob_chunks; drop function note_deleted; drop table deleted_chunks',
    )
  }
}

proves('blobs.sweepSlices', 'each call looks at the next ones, and the last begins a new round', async () => {
  const used: string[] = []
  for (let n = 0; n < 12; n += 1) {
    const id = await blobWith(1, { hoursAgo: 100 - n })
    await use(id)
    used.push(id)
  }
  await blobWith(1, { hoursAgo: 30 })
  const young = await blobWith(1, { hoursAgo: 1 })
  const looked: number[] = []
  for (let n = 0; n < 4; n += 1) looked.push(await sweepBlobs(sql, 5))
  assert.deepEqual(looked, [5, 5, 3, 0])
  assert.deepEqual(await left(), [...used, young])
  assert.equal(await sweepBlobs(sql, 50), 12)
})

proves('blobs.sweepSlices', 'what many of one moment have in common keeps none from being looked at', async () => {
  const ids = await Promise.all(Array.from({ length: 7 }, () => blobWith(0)))
  await sql`update blobs set created_at = date_trunc('day', now()) - interval '2 days' where id = any(${ids}::uuid[])`
  while ((await sweepBlobs(sql, 2)) > 0);
  assert.deepEqual(await left(), [])
})

proves(
  'blobs.sweepSlices',
  'while blobs are looked through, the transaction has no number for others to wait for',
  async () => {
    await blobWith(1)
    const [state] = await db.transaction(async (own) => {
      assert.equal((await own`select from next_blobs_to_sweep(10)`).length, 1)
      return own`select pg_current_xact_id_if_assigned() as number`
    })
    assert.deepEqual(state, { number: null })
  },
)

proves('blobs.sweepSlices', 'one that cannot be deleted does not hold the sweep at its place', async () => {
  const stuck = await blobWith(1, { hoursAgo: 50 })
  await blobWith(1)
  await db.pool.query(`
    create function refuse() returns trigger language plpgsql as 'begin raise exception ''not now''; end';
    create trigger refuse before delete on blobs for each row when (old.id = '${stuck}') execute function refuse()`)
  await assert.rejects(sweepBlobs(sql, 1), /not now/)
  assert.equal(await sweepBlobs(sql, 1), 1)
  assert.deepEqual(await left(), [stuck])
  await db.pool.query('drop trigger refuse on blobs; drop function refuse')
  while ((await sweepBlobs(sql, 1)) > 0);
  while ((await sweepBlobs(sql, 1)) > 0);
  assert.deepEqual(await left(), [])
})

proves(
  'blobs.sweepPieces',
  'contents go together until they have 256 chunks, and a larger one goes in pieces',
  async () => {
    const sizes = [100, 100, 100, 256, 600, 3]
    for (const [n, chunks] of sizes.entries()) await blobWith(chunks, { hoursAgo: 50 - n })
    const transactions = await deletedChunks(() => sweepBlobs(sql, 50))
    assert.deepEqual(transactions, [200, 100, 256, 3, 256, 256, 88])
    assert.deepEqual(await left(), [])
  },
)

proves('blobs.sweepPieces', 'what a process that died left of a large content goes with the next round', async () => {
  const id = await blobWith(600)
  const dying: typeof sql = (strings, ...values) => {
    if (strings.join('').includes('delete from blob_chunks')) throw new Error('the process died')
    return sql(strings, ...values)
  }
  await assert.rejects(sweepBlobs(dying, 50), /the process died/)
  const [rest] = await sql`select id <> ${id} as is_other, sha256 from blobs`
  assert.deepEqual(rest, { is_other: true, sha256: null })
  while ((await sweepBlobs(sql, 50)) > 0);
  while ((await sweepBlobs(sql, 50)) > 0);
  assert.deepEqual(await left(), [])
  assert.deepEqual(await sql`select from blob_chunks`, [])
})

proves('blobs.sweepPieces', 'what a move to a store leaves of a large content goes in pieces', async () => {
  const [id, object] = [await blobWith(600), newId()]
  await use(id)
  await sql`insert into blob_objects (id, store) values (${object}, 's3://nowhere')`
  const move = () => sql`select move_to_object(${id}, ${object}, 1) as moved`
  assert.deepEqual(await deletedChunks(move), [])
  const [beginning] = await sql`select array_agg(n) as chunks from blob_chunks where blob_id = ${id}`
  assert.deepEqual(beginning, { chunks: [0] })
  assert.deepEqual(await deletedChunks(() => sweepBlobs(sql, 50)), [256, 256, 87])
  assert.deepEqual(await left(), [id])
})

proves('blobs.sweepPieces', 'what a move from a store brought in vain goes in pieces', async () => {
  const filled = newId()
  await sql`insert into blobs (id, size_bytes) values (${filled}, 0)`
  await addChunks(filled, 600)
  const move = () => sql`select move_from_object(${newId()}, ${newId()}, ${filled}) as moved`
  assert.deepEqual(await deletedChunks(move), [])
  assert.deepEqual(await deletedChunks(() => sweepBlobs(sql, 50)), [256, 256, 88])
  assert.deepEqual(await left(), [])
})

proves('blobs.sweepPieces', 'a large upload that is known already, or breaks off, goes in pieces', async () => {
  /** Some bytes, and 600 chunks beside them. */
  async function* large({ breaksOff }: { breaksOff: boolean }): AsyncGenerator<Uint8Array> {
    const [unnamed] = await sql<{ id: string }>`select id from blobs where sha256 is null`
    await addChunks(unnamed!.id, 600)
    yield Buffer.from('some bytes')
    if (breaksOff) throw new Error('broken off')
  }
  const blobs = blobsOn(sql)
  await blobs.put([Buffer.from('some bytes')])
  const kept = await left()
  assert.deepEqual(await deletedChunks(() => blobs.putStream(large({ breaksOff: false }))), [256, 256, 89])
  assert.deepEqual(await left(), kept)
  const broken = () => assert.rejects(blobs.putStream(large({ breaksOff: true })), /broken off/)
  assert.deepEqual(await deletedChunks(broken), [256, 256, 88])
  assert.deepEqual(await left(), kept)
})

proves(
  'blobs.swept',
  'bytes that somebody refers to, or is about to, after they were looked at stay whole, whatever their size',
  async () => {
    const [small, large] = [await blobWith(2), await blobWith(600)]
    for (const id of [small, large]) {
      const untouched = async () => {
        assert.deepEqual(await sql`select delete_unused_blobs(${[id]}::uuid[]) as gone`, [{ gone: 0 }])
        assert.deepEqual(await sql`select leave_chunks_of_blob(${id}) as rest`, [{ rest: null }])
      }
      await db.transaction(async (own) => {
        // as a foreign key does
        await own`select from blobs where id = ${id} for key share`
        await untouched()
      })
      await use(id)
      await untouched()
    }
    const [chunks] = await sql`select count(*)::int as chunks from blob_chunks where blob_id in (${small}, ${large})`
    assert.deepEqual(chunks, { chunks: 602 })
  },
)
