// Blobs on a database and the object stores of the process. The row of a blob says where its bytes are: in chunks, or in an object.
import { isOfTransaction, type Sql } from '../../base/db.ts'
import { hashInSteps } from '../../base/hashInSteps.ts'
import { takeStepsInTurns, type Steps } from '../../base/steps.ts'
import type { Blobs, ByteRange } from './blobs.ts'
import { BytesDamaged, NoSuchObject, StoreAway, StoreRefused } from './objectStore.ts'
import { chunkBytes, storeStream, storeWhole, type Content } from './postgres.ts'
import { storeObject, storeObjectStream } from './storeObject.ts'
import { onlyPostgres, type Stores } from './stores.ts'

/** How long a link to the store is valid: long enough to begin a download, which then goes on. */
const linkValidS = 60

export function blobsOn(sql: Sql, stores: Stores = onlyPostgres): Blobs {
  const has: Blobs['has'] = async (sha256s) => {
    const rows = await sql<{ sha256: string }>`
      select encode(sha256, 'hex') as sha256 from blobs
      where sha256 in (select decode(name, 'hex') from unnest(${sha256s}::text[]) as name)`
    return new Set(rows.map(({ sha256 }) => sha256))
  }
  const putStream: Blobs['putStream'] = async (pieces) => {
    const { current } = stores
    if (!current) return storeStream(sql, pieces)
    refuseInTransaction(sql)
    return storeObjectStream(sql, { ...stores, current }, pieces)
  }
  return {
    has,
    keep: (sha256s) => keptYoung(sql, sha256s),
    putStream,

    async put(contents) {
      const named = await takeStepsInTurns(nameInSteps(contents))
      const once = onceOf(named)
      const largeBytes = stores.current ? stores.largeFrom : chunkBytes
      // this costs a round trip, and saves sending large contents again that are stored already
      const large = once.filter(({ bytes }) => bytes.length > largeBytes)
      const known = large.length > 0 ? await held(sql, large) : new Set<string>()
      await storeWhole(
        sql,
        once.filter(({ sha256 }) => !known.has(sha256)),
      )
      if (stores.current)
        await moveLater(
          sql,
          stores,
          large.filter(({ sha256 }) => !known.has(sha256)),
        )
      return named.map(({ sha256 }) => sha256)
    },

    async bring(contents) {
      const { current } = stores
      const large = contents.filter((bytes) => bytes.length > stores.largeFrom)
      if (!current || large.length === 0) return
      refuseInTransaction(sql)
      const once = onceOf(await takeStepsInTurns(nameInSteps(large)))
      const known = await keptYoung(
        sql,
        once.map(({ sha256 }) => sha256),
      )
      try {
        for (const content of once) if (!known.has(content.sha256)) await storeObject(sql, current, content)
      } catch (error) {
        // the transaction that follows stores them, and the sweep moves them
        noteAway(stores, error)
      }
    },

    async putReadable(read) {
      try {
        return await putStream(read())
      } catch (error) {
        noteAway(stores, error)
        const stored = await storeStream(sql, read())
        await moveLater(sql, stores, [stored])
        return stored
      }
    },

    get: (sha256s, bytesMax = Number.MAX_SAFE_INTEGER) => getAll(sql, stores, sha256s, bytesMax),

    read: (sha256, range) => readPieces(sql, stores, sha256, range),

    async link(sha256, answer) {
      if (!stores.givesLinks) return undefined
      const [found] = await sql<{ object: string; store: string }>`
        select o.id as object, o.store from blobs b join blob_objects o on o.id = b.object_id
        where b.sha256 = decode(${sha256}, 'hex')`
      return found && stores.at(found.store).link(found.object, { ...answer, validS: linkValidS })
    },
  }
}

function* nameInSteps(contents: Uint8Array[]): Steps<Content[]> {
  const named: Content[] = []
  for (const bytes of contents) {
    const sha256 = yield* hashInSteps(bytes)
    named.push({ sha256: sha256.toString('hex'), bytes })
    yield
  }
  return named
}

const onceOf = (contents: Content[]): Content[] => [
  ...new Map(contents.map((content) => [content.sha256, content])).values(),
]

/** A request to a store may take minutes, and whoever has a transaction open holds locks. */
function refuseInTransaction(sql: Sql): void {
  if (isOfTransaction(sql)) throw new Error('a transaction is open: the object store must be asked before it begins')
}

/** Bytes that are at hand are not lost because a store does not take them. */
function noteAway(stores: Stores, error: unknown): void {
  if (!(error instanceof StoreAway || error instanceof StoreRefused)) throw error
  stores.onAway(error)
}

/** Which blobs exist; they stay while the transaction lasts. */
async function held(sql: Sql, contents: Content[]): Promise<Set<string>> {
  const rows = await sql<{ sha256: string }>`
    select encode(sha256, 'hex') as sha256 from blobs
    where sha256 in (select decode(name, 'hex') from unnest(${contents.map(({ sha256 }) => sha256)}::text[]) as name)
    for key share`
  return new Set(rows.map(({ sha256 }) => sha256))
}

/**
 * Which blobs exist; they are young again, so that the sweep leaves them to the transaction that follows. This waits for no transaction that
 * refers to some of them, which holds them in an order of its own.
 */
async function keptYoung(sql: Sql, sha256s: string[]): Promise<Set<string>> {
  const rows = await sql<{ sha256: string }>`
    update blobs set created_at = now()
    where id in (
      select id from blobs
      where sha256 in (select decode(name, 'hex') from unnest(${sha256s}::text[]) as name)
      order by sha256 for no key update)
    returning encode(sha256, 'hex') as sha256`
  return new Set(rows.map(({ sha256 }) => sha256))
}

async function moveLater(sql: Sql, { largeFrom }: Stores, contents: { sha256: string }[]): Promise<void> {
  if (contents.length === 0) return
  await sql`
    insert into blobs_to_move (blob_id)
    select id from blobs
    where sha256 in (select decode(name, 'hex') from unnest(${contents.map(({ sha256 }) => sha256)}::text[]) as name)
      and object_id is null and size_bytes > ${largeFrom}
    order by id on conflict do nothing`
}

interface FoundBlob {
  sha256: string
  size_bytes: number
  object: string | null
  store: string | null
  bytes: Buffer | null
}

async function getAll(sql: Sql, stores: Stores, sha256s: string[], bytesMax: number): Promise<Map<string, Buffer>> {
  const rows = await sql<FoundBlob>`
    select encode(b.sha256, 'hex') as sha256, b.size_bytes, o.id as object, o.store,
      substring(c.bytes from 1
        for least(${chunkBytes}::bigint, ${bytesMax}::bigint - c.n * ${chunkBytes}::bigint)::int) as bytes
    from blobs b left join blob_objects o on o.id = b.object_id
    left join blob_chunks c on c.blob_id = b.id and c.n * ${chunkBytes}::bigint < ${bytesMax}::bigint
    where b.sha256 in (select decode(name, 'hex') from unnest(${sha256s}::text[]) as name)
    order by b.sha256, c.n`
  const found = new Map<string, Buffer>()
  for (const [sha256, parts] of Map.groupBy(rows, ({ sha256: name }) => name)) {
    const [{ object, size_bytes }] = parts as [FoundBlob]
    const inChunks = Buffer.concat(parts.flatMap(({ bytes }) => bytes ?? []))
    const wanted = Math.min(size_bytes, bytesMax)
    if (object === null || inChunks.length >= wanted) found.set(sha256, inChunks)
    else {
      const rest: Buffer[] = []
      const range = { from: inChunks.length, to: wanted }
      for await (const piece of readPieces(sql, stores, sha256, range)) rest.push(piece)
      found.set(sha256, Buffer.concat([inChunks, ...rest]))
    }
  }
  return found
}

/** A blob may move while it is read: each step asks anew where it is, and goes on where the last one ended. */
async function* readPieces(
  sql: Sql,
  stores: Stores,
  sha256: string,
  { from, to }: ByteRange = { from: 0, to: Number.MAX_SAFE_INTEGER },
): AsyncGenerator<Buffer> {
  let at = from
  let missing: string | undefined
  for (;;) {
    const n = Math.floor(at / chunkBytes)
    const [found] = await sql<FoundBlob>`
      select b.size_bytes, o.id as object, o.store, c.bytes
      from blobs b left join blob_objects o on o.id = b.object_id
      left join blob_chunks c on c.blob_id = b.id and c.n = ${n}::int and b.object_id is null
      where b.sha256 = decode(${sha256}, 'hex')`
    if (!found) {
      if (at === from) return
      throw new Error(`the blob ${sha256} was deleted while it was read`)
    }
    const end = Math.min(to, found.size_bytes)
    if (at >= end) return
    const { object, store, bytes } = found
    if (object !== null && store !== null) {
      if (object === missing) throw new BytesDamaged(`the object ${object} of the blob ${sha256} is not in ${store}`)
      refuseInTransaction(sql)
      try {
        const { patienceMs } = stores
        for await (const piece of stores.at(store).read(object, { from: at, to: end }, { patienceMs })) {
          at += piece.length
          yield piece
        }
      } catch (error) {
        if (!(error instanceof NoSuchObject)) throw error
        missing = object
      }
    } else {
      const piece = bytes?.subarray(at - n * chunkBytes, Math.min(end - n * chunkBytes, chunkBytes))
      if (!piece || piece.length === 0)
        throw new BytesDamaged(`the blob ${sha256} has ${at} of ${found.size_bytes} bytes`)
      at += piece.length
      yield piece
      // saves the question whether there is more
      if (at >= end) return
    }
  }
}
