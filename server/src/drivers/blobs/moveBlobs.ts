// Moves blobs between PostgreSQL and an object store, one by one, while others read and write them. Each is readable at every moment.
import { createHash } from 'node:crypto'
import { one, type Sql } from '../../base/db.ts'
import { beginningBytes, type StoredBlob } from './blobs.ts'
import { blobsOn } from './blobsOn.ts'
import { collectParts } from './collectParts.ts'
import { BytesDamaged, NoSuchObject, partBytes, StoreAway, StoreRefused, type ObjectStore } from './objectStore.ts'
import { withUnnamed } from './postgres.ts'
import { withObject, writeParts } from './storeObject.ts'
import type { Stores } from './stores.ts'

export interface Movable extends StoredBlob {
  id: string
}

/** Blobs after this one, by their ids, that are not where they are to be. */
export async function blobsToMove(
  sql: Sql,
  { to, after, max, largeFrom }: { to: 's3' | 'postgres'; after: string; max: number; largeFrom: number },
): Promise<Movable[]> {
  if (to === 'postgres') {
    return sql<Movable>`
      select id, encode(sha256, 'hex') as sha256, size_bytes from blobs
      where id > ${after} and object_id is not null and sha256 is not null order by id limit ${max}`
  }
  return sql<Movable>`
    select id, encode(sha256, 'hex') as sha256, size_bytes from blobs
    where id > ${after} and object_id is null and sha256 is not null and size_bytes > ${largeFrom}
      and not is_text_of_run(sha256)
    order by id limit ${max}`
}

/** Before all ids. */
export const noId = '00000000-0000-0000-0000-000000000000'

const waitingAtOnce = 100

interface Waiting {
  /** Told of each content that cannot be moved because its bytes are damaged. It is tried again next time. */
  note: (damaged: BytesDamaged) => void
  signal?: AbortSignal
}

/** Moves all blobs that transactions wrote while a store takes large ones. Returns how many it looked at. */
export async function moveWaiting(
  sql: Sql,
  stores: Stores & { current: ObjectStore },
  { note, signal }: Waiting,
): Promise<number> {
  let looked = 0
  for (let after = noId; ;) {
    if (signal?.aborted) break
    const waiting = await sql<Movable & { object_id: string | null }>`
      select b.id, encode(b.sha256, 'hex') as sha256, b.size_bytes, b.object_id
      from blobs_to_move m join blobs b on b.id = m.blob_id where m.blob_id > ${after} order by m.blob_id limit ${waitingAtOnce}`
    for (const blob of waiting) {
      if (signal?.aborted) break
      looked += 1
      await moveOneWaiting(sql, stores, blob).catch((error: unknown) => {
        if (!(error instanceof BytesDamaged)) throw error
        note(error)
      })
    }
    const last = waiting.at(-1)
    if (!last) break
    after = last.id
  }
  return looked
}

async function moveOneWaiting(
  sql: Sql,
  stores: Stores & { current: ObjectStore },
  blob: Movable & { object_id: string | null },
): Promise<void> {
  if (blob.object_id !== null || !(await moveToStore(sql, stores, blob)))
    await sql`delete from blobs_to_move where blob_id = ${blob.id}`
}

/**
 * Writes an object, reads it back, and lets the blob have its bytes there if they are the same. False: the blob stays where it is, since a run
 * has it as a text, or it is gone.
 */
export async function moveToStore(
  sql: Sql,
  stores: Stores & { current: ObjectStore },
  { id, sha256, size_bytes }: Movable,
): Promise<boolean> {
  const store = stores.current
  return withObject(sql, store, async (object) => {
    const whole = createHash('sha256')
    const parts = collectParts(blobsOn(sql, stores).read(sha256), partBytes, whole)
    const { value: first, done } = await parts.next()
    if (!done && size_bytes <= partBytes) await store.put(object, first)
    else if (!done) await writeParts({ sql, stores, store, id: object }, first, parts)
    await parts.return(undefined)
    // none came: the blob was deleted since it was listed, as the next statement finds out
    if (!done && whole.digest('hex') !== sha256) {
      throw new BytesDamaged(`the bytes of the blob ${sha256} are not those of its hash; it stays where it is`)
    }
    if (!done) await requireSame(store, object, { sha256, size_bytes })
    const { moved } = await one(
      sql<{ moved: boolean }>`select move_to_object(${id}, ${object}, ${beginningBytes}::int) as moved`,
    )
    return moved
  })
}

async function requireSame(store: ObjectStore, object: string, { sha256, size_bytes }: StoredBlob): Promise<void> {
  const digest = createHash('sha256')
  for await (const piece of store.read(object, { from: 0, to: size_bytes })) digest.update(piece)
  if (digest.digest('hex') === sha256) return
  throw new BytesDamaged(
    `${store.name} gave other bytes for the object ${object} of the blob ${sha256} than were written there`,
  )
}

/** Reads the object into chunks, and lets the blob have its bytes there if their hash is right. False: it has left the object already. */
export async function moveToPostgres(sql: Sql, stores: Stores, { id, sha256 }: Movable): Promise<boolean> {
  const [at] = await sql<{ object: string; store: string; size_bytes: number }>`
    select o.id as object, o.store, b.size_bytes from blobs b join blob_objects o on o.id = b.object_id where b.id = ${id}`
  if (!at) return false
  const store = stores.at(at.store)
  try {
    return await withUnnamed(sql, store.read(at.object, { from: 0, to: at.size_bytes }), async (filled, stored) => {
      if (stored.sha256 !== sha256) {
        throw new BytesDamaged(`${at.store} gave other bytes for the object ${at.object} than its hash ${sha256} says`)
      }
      const { moved } = await one(
        sql<{ moved: boolean }>`select move_from_object(${id}, ${at.object}, ${filled}) as moved`,
      )
      return moved
    })
  } catch (error) {
    if (!isOfStore(error)) throw error
    // a store that is away, or refuses everything, fails here too
    const size = await store.size(at.object)
    if (size === at.size_bytes) throw error
    const [still] = await sql`select from blobs where id = ${id} and object_id = ${at.object}`
    if (!still) return false
    throw new BytesDamaged(
      size === undefined
        ? `the object ${at.object} of the blob ${sha256} is not in ${at.store}`
        : `the object ${at.object} of the blob ${sha256} has ${size} of ${at.size_bytes} bytes in ${at.store}`,
      { cause: error },
    )
  }
}

/** An object that is cut off looks like an answer that breaks off, and then like a range that is refused. */
const isOfStore = (error: unknown): boolean =>
  error instanceof NoSuchObject || error instanceof StoreRefused || error instanceof StoreAway
