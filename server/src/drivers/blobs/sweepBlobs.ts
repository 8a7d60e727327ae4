// Deletes bytes that nothing refers to: rows first, and then the objects that no row of a blob has any more.
import { one, type Sql } from '../../base/db.ts'
import { StoreRefused } from './objectStore.ts'
import type { Stores } from './stores.ts'

/** Deletes bytes that nothing refers to and that are older than a day: something may soon refer to younger ones. Returns how many were deleted. */
export async function sweepBlobs(sql: Sql, max: number): Promise<number> {
  const swept = await one(sql<{ gone: number }>`select sweep_blobs(${max}::int) as gone`)
  return swept.gone
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
