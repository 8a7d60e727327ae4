// Deletes bytes that nothing refers to: rows first, and then the objects that no row of a blob has any more.
import { one, type Sql } from '../../base/db.ts'
import { StoreRefused } from './objectStore.ts'
import { chunksAtOnce, deleteInPieces } from './postgres.ts'
import type { Stores } from './stores.ts'

interface OldBlob {
  id: string
  created_at: Date
  /** Null: something refers to it. */
  chunks: number | null
}

/**
 * Looks at the next blobs that are older than a day, and deletes those that nothing refers to; something may soon refer to younger ones.
 * Returns how many it looked at. 0: it was at the end, and the next call begins with the oldest again.
 */
export async function sweepBlobs(sql: Sql, max: number, mayContinue = (): boolean => true): Promise<number> {
  const slice = await sql<OldBlob>`select id, created_at, chunks from next_blobs_to_sweep(${max}::int)`
  const last = slice.at(-1)
  if (!last) {
    await sql`delete from blob_sweep`
    return 0
  }
  // first, so that one that cannot be deleted does not stop the sweep here: what is left is met again on the next round
  await sql`
    insert into blob_sweep (created_at, id) values (${last.created_at}, ${last.id})
    on conflict (is_only) do update set created_at = excluded.created_at, id = excluded.id`
  const unused = slice.flatMap(({ id, chunks }) => (chunks === null ? [] : [{ id, chunks }]))
  for (const batch of batchesOf(unused)) if (mayContinue()) await sql`select delete_unused_blobs(${batch}::uuid[])`
  for (const { id } of unused.filter(isLarge)) if (mayContinue()) await deleteLarge(sql, id, mayContinue)
  return slice.length
}

interface UnusedBlob {
  id: string
  chunks: number
}

const isLarge = ({ chunks }: UnusedBlob): boolean => chunks > chunksAtOnce

/** The ids of those that are not large, with no more chunks together than go at once. */
function* batchesOf(blobs: UnusedBlob[]): Generator<string[]> {
  let batch: string[] = []
  let together = 0
  for (const { id, chunks } of blobs.filter((blob) => !isLarge(blob))) {
    if (together + chunks > chunksAtOnce) {
      yield batch
      batch = []
      together = 0
    }
    batch.push(id)
    together += chunks
  }
  if (batch.length > 0) yield batch
}

async function deleteLarge(sql: Sql, id: string, mayContinue: () => boolean): Promise<void> {
  const { rest } = await one(sql<{ rest: string | null }>`select leave_chunks_of_blob(${id}) as rest`)
  if (rest !== null) await deleteInPieces(sql, rest, mayContinue)
}

/** How many objects are deleted at the same time. */
const atOnce = 8

interface Dropped {
  id: string
  store: string
  upload_id: string | null
  was_used: boolean
}

/**
 * Deletes objects that were dropped ten minutes ago, when the last link to them is over, and what is left of uploads that were never
 * finished. The row goes last: a process that dies before that leaves it for the next sweep. Returns how many were looked at.
 */
export async function sweepObjects(
  sql: Sql,
  stores: Stores,
  max: number,
  note: (refused: Error) => void,
): Promise<number> {
  // a writer that still lives finds its object dropped when it wants to use it
  await sql`
    update blob_objects set dropped_at = created_at
    where used_at is null and dropped_at is null and created_at < now() - interval '24 hours'`
  const dropped = await sql<Dropped>`
    select id, store, upload_id, used_at is not null as was_used from blob_objects
    where dropped_at < now() - interval '10 minutes' order by dropped_at limit ${max}`
  const waiting = dropped.values()
  const work = async () => {
    for (const object of waiting) await removeObject(sql, stores, object, note)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return dropped.length
}

async function removeObject(sql: Sql, stores: Stores, object: Dropped, note: (refused: Error) => void): Promise<void> {
  const { id, store: name, upload_id, was_used } = object
  try {
    const store = stores.at(name)
    if (!was_used) await store.abortParts(id, upload_id)
    await store.remove(id)
  } catch (error) {
    if (!(error instanceof StoreRefused)) throw error
    note(error)
    // it comes after those that can be deleted
    await sql`update blob_objects set dropped_at = now() where id = ${id}`
    return
  }
  await sql`delete from blob_objects where id = ${id}`
}
