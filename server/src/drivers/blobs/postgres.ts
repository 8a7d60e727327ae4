// Blobs in PostgreSQL: in chunks of 1 MiB, written in the caller's transaction: they are there exactly if it commits.
import { hash } from 'node:crypto'
import type { Sql } from '../../base/db.ts'
import type { Blobs } from './blobs.ts'

const chunkBytes = 1024 * 1024
/** So much goes to the server in one statement; what is larger goes alone. */
const batchBytesMax = 8 * 1024 * 1024

interface Content {
  sha256: string
  bytes: Uint8Array
}

export function postgresBlobs(sql: Sql): Blobs {
  const has: Blobs['has'] = async (sha256s) => {
    const rows = await sql<{ sha256: string }>`
      select encode(sha256, 'hex') as sha256 from blobs
      where sha256 in (select decode(name, 'hex') from unnest(${sha256s}::text[]) as name)`
    return new Set(rows.map(({ sha256 }) => sha256))
  }
  return {
    has,

    async put(contents) {
      const named = contents.map((bytes): Content => ({ sha256: hash('sha256', bytes, 'hex'), bytes }))
      const once = [...new Map(named.map((content) => [content.sha256, content])).values()]
      // to ask costs a round trip, and saves sending again what is large and known
      const large = once.filter(({ bytes }) => bytes.length > chunkBytes).map(({ sha256 }) => sha256)
      const known = large.length > 0 ? await has(large) : new Set<string>()
      // in one order for everybody: two callers that bring the same contents wait for each other, never in a circle
      const wanted = once.filter(({ sha256 }) => !known.has(sha256)).sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1))
      for (const batch of batchesOf(wanted)) await store(sql, batch)
      return named.map(({ sha256 }) => sha256)
    },

    async get(sha256s, bytesMax = Number.MAX_SAFE_INTEGER) {
      const rows = await sql<{ sha256: string; bytes: Buffer | null }>`
        select encode(b.sha256, 'hex') as sha256,
          substring(c.bytes from 1
            for least(${chunkBytes}::bigint, ${bytesMax}::bigint - c.n * ${chunkBytes}::bigint)::int) as bytes
        from blobs b left join blob_chunks c on c.sha256 = b.sha256 and c.n * ${chunkBytes}::bigint < ${bytesMax}::bigint
        where b.sha256 in (select decode(name, 'hex') from unnest(${sha256s}::text[]) as name)
        order by b.sha256, c.n`
      const chunks = Map.groupBy(rows, ({ sha256 }) => sha256)
      return new Map(
        [...chunks].map(([sha256, parts]) => [sha256, Buffer.concat(parts.flatMap(({ bytes }) => bytes ?? []))]),
      )
    },
  }
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

/** Chunks are cut by the server out of one value, which travels as it is; a list of bytea would travel as hex text. */
async function store(sql: Sql, batch: Content[]): Promise<void> {
  const chunks: { sha256: string; n: number; at: number; length: number }[] = []
  let start = 0
  for (const { sha256, bytes } of batch) {
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      const length = Math.min(chunkBytes, bytes.length - at)
      chunks.push({ sha256, n: at / chunkBytes, at: start + at, length })
    }
    start += bytes.length
  }
  const all = Buffer.concat(batch.map(({ bytes }) => bytes))
  await sql`
    with stored as (
      insert into blobs (sha256, size_bytes)
      select decode(b.sha256, 'hex'), b.size_bytes
      from unnest(
        ${batch.map(({ sha256 }) => sha256)}::text[], ${batch.map(({ bytes }) => bytes.length)}::bigint[])
        as b (sha256, size_bytes)
      on conflict (sha256) do nothing returning sha256
    )
    insert into blob_chunks (sha256, n, bytes)
    select s.sha256, c.n, substring(${all}::bytea from c.at + 1 for c.length)
    from unnest(
      ${chunks.map(({ sha256 }) => sha256)}::text[], ${chunks.map(({ n }) => n)}::int[],
      ${chunks.map(({ at }) => at)}::int[], ${chunks.map(({ length }) => length)}::int[]) as c (sha256, n, at, length)
    join stored s on s.sha256 = decode(c.sha256, 'hex')`
}
