// Bytes in PostgreSQL, in chunks of 1 MiB. A content that is put whole is written in the caller's transaction: it exists exactly if that commits.
import { createHash, type Hash } from 'node:crypto'
import { type Sql, sqlState } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import type { StoredBlob } from './blobs.ts'

export const chunkBytes = 1024 * 1024
/** How much goes to the server in one statement. With 5 MiB in one, others waited 60 ms for the main thread and 150 ms for the server. */
const batchBytesMax = chunkBytes

/** How many chunks are deleted in one statement. PostgreSQL writes every page of them again, and a slow disk writes 50 MB a second. */
export const chunksAtOnce = 256

/** After how long bytes that are stored again get a new time: bytes that are older than a day and that nothing refers to are swept. */
const rejuvenateAfter = '12 hours'

export interface Content {
  sha256: string
  bytes: Uint8Array
}

/** Stores contents that nobody else has: large ones in chunks, others many in one statement. */
export async function storeWhole(sql: Sql, contents: Content[]): Promise<void> {
  // everybody uses one order: two callers with the same contents wait for each other, and never deadlock
  const inOrder = contents.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1))
  for (const batch of batchesOf(inOrder)) await store(sql, batch)
}

/** Every chunk is a commit of its own. A blob that is never completed is swept like any other that nothing refers to. */
export async function storeStream(sql: Sql, pieces: AsyncIterable<Uint8Array>): Promise<StoredBlob> {
  return withUnnamed(sql, pieces, async (id, stored) => {
    await nameBlob(sql, id, stored)
    return stored
  })
}

/** Stores a content under a row without a hash, for `then` to use; that row is deleted if anything fails. */
export async function withUnnamed<T>(
  sql: Sql,
  pieces: AsyncIterable<Uint8Array>,
  then: (id: string, stored: StoredBlob) => Promise<T>,
): Promise<T> {
  const id = newId()
  const digest = createHash('sha256')
  let sizeBytes = 0
  let n = 0
  await sql`insert into blobs (id, size_bytes) values (${id}, 0)`
  try {
    for await (const bytes of chunksOf(hashed(pieces, digest))) {
      sizeBytes += bytes.length
      await sql`insert into blob_chunks (blob_id, n, bytes) values (${id}, ${n++}, ${bytes})`
    }
    return await then(id, { sha256: digest.digest('hex'), size_bytes: sizeBytes })
  } catch (error) {
    await deleteUnnamed(sql, id)
    throw error
  }
}

/**
 * Deletes a blob unless it has a hash. A large one leaves its chunks to another blob, which goes in pieces: a statement that was cut off may still
 * give a hash to the first, and must not find half of it.
 */
async function deleteUnnamed(sql: Sql, id: string): Promise<void> {
  const [large] = await sql<{ rest: string }>`
    with gone as (
      delete from blobs where id = ${id} and sha256 is null returning id
    ), large as (
      insert into blobs (id, size_bytes)
      select ${newId()}::uuid, 0 from gone where (select count(*) from blob_chunks where blob_id = ${id}) > ${chunksAtOnce}
      returning id
    ), moved as (
      update blob_chunks c set blob_id = large.id from large where c.blob_id = ${id}
    )
    select id as rest from large`
  if (large) await deleteInPieces(sql, large.rest)
}

/** Deletes a blob without a hash whose id nobody else knows. It may end early, or its process may die: the sweep finds what is left. */
export async function deleteInPieces(sql: Sql, id: string, mayContinue = (): boolean => true): Promise<void> {
  for (let gone = chunksAtOnce; gone === chunksAtOnce;) {
    if (!mayContinue()) return
    const chunks = await sql`
      delete from blob_chunks where blob_id = ${id} and n in (
        select n from blob_chunks where blob_id = ${id} order by n limit ${chunksAtOnce})
      returning 1`
    gone = chunks.length
  }
  await sql`delete from blobs where id = ${id}`
}

/** Gives the blob its hash, unless another blob has that hash already: then the older one stays with a new time, and this one is deleted. */
async function nameBlob(sql: Sql, id: string, { sha256, size_bytes }: StoredBlob): Promise<void> {
  for (;;) {
    const [known] = await sql`update blobs set created_at = now() where sha256 = decode(${sha256}, 'hex') returning 1`
    if (known) return deleteUnnamed(sql, id)
    const [named] = await sql`
      update blobs set sha256 = decode(${sha256}, 'hex'), size_bytes = ${size_bytes}, created_at = now()
      where id = ${id} and not exists (select from blobs where sha256 = decode(${sha256}, 'hex')) returning 1`.catch(
      (error: unknown) => {
        // 23505: another process stored the same bytes at the same moment; then it is found above
        if (sqlState(error) === '23505') return []
        throw error
      },
    )
    if (named) return
    const [unnamed] = await sql`select 1 from blobs where id = ${id}`
    if (!unnamed) throw new Error(`the bytes of ${sha256} took more than a day to arrive, and were swept meanwhile`)
  }
}

/** Piece by piece: to hash a whole chunk at once takes the main thread three milliseconds. */
async function* hashed(pieces: AsyncIterable<Uint8Array>, digest: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    digest.update(piece)
    yield piece
  }
}

/** Pieces of any size, as chunks of the one size that all but the last have. */
async function* chunksOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    waiting.push(piece)
    length += piece.length
    if (length < chunkBytes) continue
    const all = Buffer.concat(waiting, length)
    const whole = length - (length % chunkBytes)
    for (let at = 0; at < whole; at += chunkBytes) yield all.subarray(at, at + chunkBytes)
    waiting = whole < length ? [Buffer.from(all.subarray(whole))] : []
    length -= whole
  }
  if (length > 0) yield Buffer.concat(waiting, length)
}

function* batchesOf(contents: Content[]): Generator<Content[]> {
  let batch: Content[] = []
  let size = 0
  for (const content of contents) {
    if (batch.length > 0 && size + content.bytes.length > batchBytesMax) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(content)
    size += content.bytes.length
  }
  if (batch.length > 0) yield batch
}

async function store(sql: Sql, batch: Content[]): Promise<void> {
  const [first] = batch
  if (first && first.bytes.length > chunkBytes) await storeInChunks(sql, first)
  else await storeTogether(sql, batch)
}

/** Not every caller has a transaction. So the chunks come first, and one statement gives them their hash: whoever finds it finds all of them. */
async function storeInChunks(sql: Sql, { sha256, bytes }: Content): Promise<void> {
  const unnamed = newId()
  await sql`insert into blobs (id, size_bytes) values (${unnamed}, 0)`
  for (let n = 0; n * chunkBytes < bytes.length; n++) {
    const chunk = bytes.subarray(n * chunkBytes, (n + 1) * chunkBytes)
    await sql`insert into blob_chunks (blob_id, n, bytes) values (${unnamed}, ${n}, ${chunk})`
  }
  await sql`
    with stored as (
      insert into blobs as was (id, sha256, size_bytes) values (${newId()}, decode(${sha256}, 'hex'), ${bytes.length})
      on conflict (sha256) do update set created_at = now() where was.created_at < now() - ${rejuvenateAfter}::interval
      returning id, xmax = 0 as is_new
    )
    update blob_chunks c set blob_id = s.id from stored s where s.is_new and c.blob_id = ${unnamed}`
  await sql`delete from blobs where id = ${unnamed}`
}

/** Each is one chunk, cut by the server out of one value, which travels as it is; a list of bytea would travel as hex text. */
async function storeTogether(sql: Sql, batch: Content[]): Promise<void> {
  const lengths = batch.map(({ bytes }) => bytes.length)
  const names = batch.map(({ sha256 }) => sha256)
  // an old blob that nothing refers to could be swept before this transaction refers to it, so it gets a new time
  await sql`
    with content as materialized (
      select b.id, decode(b.sha256, 'hex') as sha256, b.length, sum(b.length) over (order by b.n) - b.length as at
      from unnest(${batch.map(() => newId())}::uuid[], ${names}::text[], ${lengths}::int[])
        with ordinality as b (id, sha256, length, n)
    ), stored as (
      insert into blobs as was (id, sha256, size_bytes) select id, sha256, length from content
      on conflict (sha256) do update set created_at = now() where was.created_at < now() - ${rejuvenateAfter}::interval
      returning id, sha256, xmax = 0 as is_new
    )
    insert into blob_chunks (blob_id, n, bytes)
    select s.id, 0, substring(${Buffer.concat(batch.map(({ bytes }) => bytes))}::bytea from c.at::int + 1 for c.length)
    from content c join stored s using (sha256) where s.is_new and c.length > 0`
}
