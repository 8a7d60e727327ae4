// Stores a content as an object. Its row is committed before the store hears of the object, so that nothing is left there without a row.
import { createHash, type Hash } from 'node:crypto'
import { one, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { beginningBytes, type StoredBlob } from './blobs.ts'
import { collectParts } from './collectParts.ts'
import { partBytes, type HashedBytes, type ObjectStore } from './objectStore.ts'
import { storeWhole, type Content } from './postgres.ts'
import type { Stores } from './stores.ts'

/** Calls `write` with the id of a new object, and drops the object if that fails. */
export async function withObject<T>(sql: Sql, store: ObjectStore, write: (id: string) => Promise<T>): Promise<T> {
  const id = newId()
  await sql`insert into blob_objects (id, store) values (${id}, ${store.name})`
  try {
    return await write(id)
  } catch (error) {
    await sql`update blob_objects set dropped_at = now() where id = ${id} and used_at is null and dropped_at is null`
    throw error
  }
}

export async function storeObject(sql: Sql, store: ObjectStore, { sha256, bytes }: Content): Promise<void> {
  await withObject(sql, store, async (id) => {
    await store.put(id, { sha256, bytes })
    await keepObject(sql, id, { sha256, size_bytes: bytes.length }, bytes.subarray(0, beginningBytes))
  })
}

/** A content that arrives in pieces. Its size shows where it goes. */
export async function storeObjectStream(
  sql: Sql,
  stores: Stores & { current: ObjectStore },
  pieces: AsyncIterable<Uint8Array>,
): Promise<StoredBlob> {
  const whole = createHash('sha256')
  const parts = collectParts(pieces, partBytes, whole)
  try {
    return await storeParts(sql, stores, parts, whole)
  } finally {
    // whoever sends must hear that nobody takes more
    await parts.return(undefined)
  }
}

async function storeParts(
  sql: Sql,
  stores: Stores & { current: ObjectStore },
  parts: AsyncGenerator<HashedBytes>,
  whole: Hash,
): Promise<StoredBlob> {
  const { value: first } = await parts.next()
  const stored = (sizeBytes: number): StoredBlob => ({ sha256: whole.digest('hex'), size_bytes: sizeBytes })
  const none: HashedBytes = { bytes: Buffer.alloc(0), sha256: createHash('sha256').digest('hex') }
  const beginning = (first as HashedBytes | undefined) ?? none
  if (beginning.bytes.length < partBytes) {
    // it is the last part as well
    const { value: more } = await parts.next()
    if (more) throw new Error('a part that is not the last is too short')
    if (beginning.bytes.length <= stores.largeFrom) await storeWhole(sql, [beginning])
    else await storeObject(sql, stores.current, beginning)
    return stored(beginning.bytes.length)
  }
  return withObject(sql, stores.current, async (id) => {
    const sizeBytes = await writeParts({ sql, stores, store: stores.current, id }, beginning, parts)
    const blob = stored(sizeBytes)
    await keepObject(sql, id, blob, beginning.bytes.subarray(0, beginningBytes))
    return blob
  })
}

interface PartsTo {
  sql: Sql
  stores: Pick<Stores, 'extraParts'>
  store: ObjectStore
  id: string
}

/** Sends one part while the next is collected, if the process has room for both. Returns how many bytes there were. */
export async function writeParts(
  { sql, stores: { extraParts }, store, id }: PartsTo,
  first: HashedBytes,
  rest: AsyncIterable<HashedBytes>,
): Promise<number> {
  const uploadId = await store.beginParts(id)
  // before the first part: an upload whose id nobody knows has no bytes
  await sql`update blob_objects set upload_id = ${uploadId} where id = ${id}`
  const done: string[] = []
  let sizeBytes = 0
  let sending: { sent: Promise<void> } | undefined
  const send = async (part: HashedBytes): Promise<void> => {
    sizeBytes += part.bytes.length
    done.push(await store.putPart(id, uploadId, done.length + 1, part))
  }
  /** Returns what is under way, if the process has room for another part beside it. */
  const next = async (part: HashedBytes): Promise<{ sent: Promise<void> } | undefined> => {
    if (extraParts.left === 0) {
      await send(part)
      return undefined
    }
    extraParts.left -= 1
    const sent = send(part).finally(() => (extraParts.left += 1))
    // it is awaited below; the process must not end because it fails earlier
    sent.catch(() => undefined)
    return { sent }
  }
  try {
    sending = await next(first)
    for await (const part of rest) {
      await sending?.sent
      sending = await next(part)
    }
    await sending?.sent
    sending = undefined
    await store.finishParts(id, uploadId, done, sizeBytes)
    return sizeBytes
  } finally {
    // after a failure: what is still under way would come after the upload was ended
    await sending?.sent.catch(() => undefined)
  }
}

async function keepObject(
  sql: Sql,
  id: string,
  { sha256, size_bytes }: StoredBlob,
  beginning: Uint8Array,
): Promise<void> {
  await one(
    sql`select keep_object(${newId()}, ${id}, decode(${sha256}, 'hex'), ${size_bytes}::bigint, ${beginning}::bytea)`,
  )
}
