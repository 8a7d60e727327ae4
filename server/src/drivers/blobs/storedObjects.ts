// How much is in object stores, for operators.
import { one, type Sql } from '../../base/db.ts'

interface StoredObjects {
  objects: number
  bytes: number
  /** Names such as `s3://bucket/prefix`. */
  stores: string[]
}

/** A database that has no such table yet has none. */
export async function storedObjects(sql: Sql): Promise<StoredObjects> {
  const { present } = await one(sql<{ present: boolean }>`select to_regclass('blob_objects') is not null as present`)
  if (!present) return { objects: 0, bytes: 0, stores: [] }
  return one(sql<StoredObjects>`
    select count(*) as objects, coalesce(sum(b.size_bytes), 0)::bigint as bytes,
      coalesce(array_agg(distinct o.store), '{}') as stores
    from blob_objects o join blobs b on b.object_id = o.id where o.used_at is not null and o.dropped_at is null`)
}
