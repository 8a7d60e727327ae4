// Blobs in an object store: where bytes go, what happens while the store is away, what is swept, and how bytes move.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { newId } from '../../base/ids.ts'
import type { Sql } from '../../base/db.ts'
import { proves } from '../../../test/kit/proves.ts'
import { s3Server } from '../../../test/kit/s3Server.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { beginningBytes, type Blobs } from './blobs.ts'
import { blobsOn } from './blobsOn.ts'
import { moveToPostgres, moveToStore, moveWaiting } from './moveBlobs.ts'
import { StoreAway, StoreRefused, type ObjectStore } from './objectStore.ts'
import type { Stores } from './stores.ts'
import { sweepBlobs, sweepObjects } from './sweepBlobs.ts'
import { tryStore } from './tryStore.ts'

const s3 = await s3Server()
const service = await testApp({ config: s3.settings })
const { db } = service.context
const { sql } = db
const stores = s3.stores() as Stores & { current: ObjectStore }
const blobs = blobsOn(sql, stores)

const mebibyte = 1024 * 1024
const smallBytesMax = stores.largeFrom
const nameOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function* once(...pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}

async function readAll(from: Blobs, sha256: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of from.read(sha256)) pieces.push(piece)
  return Buffer.concat(pieces)
}

interface Row {
  id: string
  object: string | null
  chunks: number
  bytes: number
}

async function rowOf(sha256: string): Promise<Row> {
  const [row] = await sql<Row>`
    select b.id, b.object_id as object, (select count(*) from blob_chunks where blob_id = b.id) as chunks,
      (select coalesce(sum(length(bytes)), 0) from blob_chunks where blob_id = b.id) as bytes
    from blobs b where b.sha256 = decode(${sha256}, 'hex')`
  return row!
}

const isStored = async (object: string | null): Promise<boolean> => (await s3.objects()).includes(`files/${object}`)

/** Every request gets this answer, until the work is done. */
async function during(answer: NonNullable<typeof s3.answerWith>, work: () => Promise<unknown>): Promise<void> {
  s3.answerWith = answer
  await work().finally(() => (s3.answerWith = undefined))
}

const away: NonNullable<typeof s3.answerWith> = (_, response) => {
  response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>')
  return true
}

proves('objects.where', 'a content of more than 256 KiB is an object, a smaller one stays in PostgreSQL', async () => {
  const sizes = [smallBytesMax, smallBytesMax + 1, 9 * mebibyte]
  for (const size of sizes) {
    const content = randomBytes(size)
    const { sha256 } = await blobs.putStream(once(content))
    const row = await rowOf(sha256)
    assert.equal(row.object !== null, size > smallBytesMax)
    assert.equal(await isStored(row.object), size > smallBytesMax)
    assert.deepEqual(
      { chunks: row.chunks, bytes: row.bytes },
      { chunks: 1, bytes: size > smallBytesMax ? beginningBytes : size },
    )
    assert.ok((await readAll(blobs, sha256)).equals(content))
  }
})

proves('objects.transaction', 'a transaction that is open never speaks to the store', async () => {
  const content = randomBytes(mebibyte)
  const known = await blobs.putStream(once(randomBytes(mebibyte)))
  const asked = s3.asked.length
  await db.transaction(async (own) => {
    const inside = blobsOn(own, stores)
    await assert.rejects(inside.bring([content]), /a transaction is open/)
    await assert.rejects(inside.putStream(once(content)), /a transaction is open/)
    await assert.rejects(inside.get([known.sha256]), /a transaction is open/)
    await inside.put([content])
  })
  assert.equal(s3.asked.length, asked)
})

proves('objects.moved', 'a large content that a transaction wrote is moved to the store by the sweep', async () => {
  await moveWaiting(sql, stores, { note: assert.fail })
  const content = randomBytes(2 * mebibyte)
  const [name] = await db.transaction((own) => blobsOn(own, stores).put([content]))
  assert.equal((await rowOf(name!)).object, null)
  assert.equal(await moveWaiting(sql, stores, { note: assert.fail }), 1)
  const row = await rowOf(name!)
  assert.ok(await isStored(row.object))
  assert.equal(row.bytes, beginningBytes)
  assert.ok((await readAll(blobs, name!)).equals(content))
  assert.equal(await moveWaiting(sql, stores, { note: assert.fail }), 0)
})

proves('objects.away', 'contents that are at hand go into PostgreSQL while the store is away', async () => {
  const content = randomBytes(mebibyte)
  const other = randomBytes(9 * mebibyte)
  await during(away, async () => {
    await blobs.bring([content])
    assert.deepEqual(await db.transaction((own) => blobsOn(own, stores).put([content])), [nameOf(content)])
    assert.equal((await blobs.putReadable(() => once(other))).sha256, nameOf(other))
  })
  for (const one of [content, other]) assert.equal((await rowOf(nameOf(one))).object, null)
  assert.equal(await moveWaiting(sql, stores, { note: assert.fail }), 2)
  for (const one of [content, other]) {
    assert.ok(await isStored((await rowOf(nameOf(one))).object))
    assert.ok((await readAll(blobs, nameOf(one))).equals(one))
  }
})

proves('objects.away', 'a stream into a store that is away fails and leaves no blob', async () => {
  const content = randomBytes(9 * mebibyte)
  await during(away, () => assert.rejects(blobs.putStream(once(content)), StoreAway))
  assert.deepEqual(await blobs.has([nameOf(content)]), new Set())
})

proves('objects.retried', 'a request that fails in passing is sent again', async () => {
  const content = randomBytes(9 * mebibyte)
  const failed = new Set<string>()
  await during(
    (request, response) => {
      const what = `${request.method} ${request.url}`
      if (failed.has(what)) return false
      failed.add(what)
      if (failed.size % 2 === 0) response.destroy()
      else response.writeHead(500).end('<Error><Code>InternalError</Code></Error>')
      return true
    },
    async () => {
      const { sha256 } = await blobs.putStream(once(content))
      assert.equal(sha256, nameOf(content))
      assert.ok((await readAll(blobs, sha256)).equals(content))
    },
  )
  assert.ok(failed.size >= 6)
})

proves('objects.retried', 'a download that breaks is continued where it broke', async () => {
  const content = randomBytes(3 * mebibyte)
  const { sha256 } = await blobs.putStream(once(content))
  const asked: string[] = []
  await during(
    (request, response) => {
      const [, from = '', to = ''] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? []
      asked.push(from)
      const part = content.subarray(Number(from), Number(to) + 1)
      response.writeHead(206, { 'content-length': part.length })
      // a part of what was promised, and then the end
      if (asked.length < 4) response.write(part.subarray(0, 700_000), () => response.destroy())
      else response.end(part)
      return true
    },
    async () => assert.ok((await readAll(blobs, sha256)).equals(content)),
  )
  assert.equal(asked.length, 4)
  assert.equal(asked[0], '0')
})

proves('objects.refused', 'a store that refuses the key is not asked again', async () => {
  const wrong = s3.stores({ s3SecretAccessKey: 'another' })
  const asked = s3.asked.length
  await assert.rejects(blobsOn(sql, wrong).putStream(once(randomBytes(mebibyte))), (error: unknown) => {
    assert.ok(error instanceof StoreRefused)
    assert.match(error.message, /SignatureDoesNotMatch/)
    return true
  })
  assert.equal(s3.asked.length, asked + 1)
})

/** A process that dies at this statement of its work. */
function dyingAt(statement: number): Sql {
  let statements = 0
  return (strings, ...values) => {
    statements += 1
    if (statements >= statement) throw new Error('the process died')
    return sql(strings, ...values)
  }
}

const swept = async (): Promise<void> => {
  while ((await sweepBlobs(sql, 100)) > 0);
  await sweepObjects(sql, stores, 100, (refused) => assert.fail(refused))
}

proves('objects.swept', 'whatever a process leaves in the store when it dies is gone after the sweep', async () => {
  const before = await s3.objects()
  // the row is the first statement, the id of an upload in parts the second, the use of the object the last
  for (const [size, statement] of [
    [mebibyte, 2],
    [9 * mebibyte, 2],
    [9 * mebibyte, 3],
  ] as const) {
    const dying = blobsOn(dyingAt(statement), stores)
    await assert.rejects(dying.putStream(once(randomBytes(size))), /the process died/)
  }
  assert.ok((await s3.objects()).length > before.length)
  assert.ok((await s3.uploads()).length > 0)
  await swept()
  assert.ok((await s3.objects()).length > before.length)
  await sql`update blob_objects set created_at = now() - interval '25 hours' where used_at is null`
  await sql`update blob_objects set dropped_at = now() - interval '11 minutes' where dropped_at is not null`
  await swept()
  assert.deepEqual((await s3.objects()).toSorted(), before.toSorted())
  assert.deepEqual(await s3.uploads(), [])
  assert.deepEqual(await sql`select from blob_objects where used_at is null`, [])
})

proves(
  'objects.swept',
  'an upload in parts that was begun twice, because the first answer was lost, leaves nothing',
  async () => {
    const before = await s3.uploads()
    let begun = 0
    await during(
      (request, response) => {
        if (request.method !== 'POST' || !/\?uploads/.test(request.url!)) return false
        begun += 1
        // the server does what it is asked for
        if (begun === 1) response.writeHead = () => response.destroy()
        return false
      },
      () => blobs.putStream(once(randomBytes(9 * mebibyte))),
    )
    assert.equal(begun, 2)
    assert.deepEqual(await s3.uploads(), before)
  },
)

proves('objects.swept', 'the object of a content that nothing refers to goes with it', async () => {
  const { sha256 } = await blobs.putStream(once(randomBytes(mebibyte)))
  const { object } = await rowOf(sha256)
  await sql`update blobs set created_at = now() - interval '25 hours' where sha256 = decode(${sha256}, 'hex')`
  await swept()
  assert.deepEqual(await blobs.has([sha256]), new Set())
  assert.ok(await isStored(object), 'whoever has a link may still use it')
  await sql`update blob_objects set dropped_at = now() - interval '11 minutes' where id = ${object}`
  await swept()
  assert.equal(await isStored(object), false)
  assert.deepEqual(await sql`select from blob_objects where id = ${object}`, [])
})

proves('objects.swept', 'a sweep while the store is away leaves the rows for the next one', async () => {
  const { sha256 } = await blobs.putStream(once(randomBytes(mebibyte)))
  const { object, id } = await rowOf(sha256)
  await sql`delete from blobs where id = ${id}`
  await sql`update blob_objects set dropped_at = now() - interval '11 minutes' where id = ${object}`
  await during(away, () => assert.rejects(swept(), StoreAway))
  assert.equal((await sql`select from blob_objects where id = ${object}`).length, 1)
  await swept()
  assert.equal(await isStored(object), false)
})

proves('objects.once', 'the same content that two bring at once is one object', async () => {
  const content = randomBytes(mebibyte)
  const before = await s3.objects()
  await Promise.all([1, 2, 3, 4].map(() => blobs.putStream(once(content))))
  await sql`update blob_objects set dropped_at = now() - interval '11 minutes' where dropped_at is not null`
  await swept()
  assert.equal((await s3.objects()).length, before.length + 1)
  assert.ok((await readAll(blobs, nameOf(content))).equals(content))
})

proves('objects.moved', 'a content moves to the store and back, and is the same at every place', async () => {
  const content = randomBytes(9 * mebibyte + 1)
  const { sha256, size_bytes } = await blobsOn(sql).putStream(once(content))
  const { id } = await rowOf(sha256)
  const blob = { id, sha256, size_bytes }
  assert.equal(await moveToStore(sql, stores, blob), true)
  const { object, bytes } = await rowOf(sha256)
  assert.equal(bytes, beginningBytes)
  assert.ok((await readAll(blobs, sha256)).equals(content))
  assert.equal(await moveToStore(sql, stores, blob), false)
  assert.equal(await moveToPostgres(sql, stores, blob), true)
  assert.equal((await rowOf(sha256)).bytes, content.length)
  assert.ok((await readAll(blobsOn(sql), sha256)).equals(content))
  assert.equal(await moveToPostgres(sql, stores, blob), false)
  await sql`update blob_objects set dropped_at = now() - interval '11 minutes' where dropped_at is not null`
  await swept()
  assert.equal(await isStored(object), false)
})

proves('objects.moved', 'a reader who began before a move reads to the end, in both directions', async () => {
  const content = randomBytes(5 * mebibyte)
  const { sha256, size_bytes } = await blobsOn(sql).putStream(once(content))
  const { id } = await rowOf(sha256)
  for (const move of [moveToStore, moveToPostgres]) {
    const reader = blobs.read(sha256)[Symbol.asyncIterator]()
    const pieces = [(await reader.next()).value as Buffer]
    assert.equal(await move(sql, stores, { id, sha256, size_bytes }), true)
    await sql`update blob_objects set dropped_at = now() - interval '11 minutes' where dropped_at is not null`
    await swept()
    for (let next = await reader.next(); !next.done; next = await reader.next()) pieces.push(next.value)
    assert.ok(Buffer.concat(pieces).equals(content))
  }
})

proves('objects.moved', 'a content that the store gives back changed stays where it is', async () => {
  const { sha256, size_bytes } = await blobsOn(sql).putStream(once(randomBytes(mebibyte)))
  const { id } = await rowOf(sha256)
  await during(
    (request, response) => {
      if (request.method !== 'GET') return false
      response.writeHead(206).end(Buffer.alloc(size_bytes))
      return true
    },
    () => assert.rejects(moveToStore(sql, stores, { id, sha256, size_bytes }), /other bytes/),
  )
  assert.equal((await rowOf(sha256)).object, null)
})

proves(
  'objects.damaged',
  'a content that is damaged is named, and those behind it are moved all the same',
  async () => {
    const sizes = Array.from({ length: 3 }, () => mebibyte)
    const names = await db.transaction((own) => blobsOn(own, stores).put(sizes.map((size) => randomBytes(size))))
    const rows = (await Promise.all(names.map(rowOf))).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const [lost, changed, good] = rows as [Row, Row, Row]
    await sql`delete from blob_chunks where blob_id = ${lost.id}`
    await sql`update blob_chunks set bytes = set_byte(bytes, 9, get_byte(bytes, 9) # 1) where blob_id = ${changed.id}`
    const noted: string[] = []
    assert.equal(await moveWaiting(sql, stores, { note: ({ message }) => void noted.push(message) }), 3)
    assert.match(noted.join('; '), /has 0 of 1048576 bytes; .*are not those of its hash/)
    const left = await sql<{ id: string }>`select blob_id as id from blobs_to_move order by 1`
    assert.deepEqual(
      left.map(({ id }) => id),
      [lost.id, changed.id],
    )
    const [moved] = await sql`select from blobs where id = ${good.id} and object_id is not null`
    assert.ok(moved)
    await sql`delete from blobs_to_move`
  },
)

proves('objects.texts', 'a long text of a run is in PostgreSQL, also if it was in the store as a file', async () => {
  const team = await seedTeam(service)
  const text = randomBytes(mebibyte).toString('hex').slice(0, mebibyte)
  const { sha256, size_bytes } = await blobs.putStream(once(Buffer.from(text)))
  const { id, object } = await rowOf(sha256)
  assert.ok(object)
  const [kept] = await sql<{ kept: Buffer }>`select keep_text(${text}) as kept`
  assert.equal(kept!.kept.toString('hex'), sha256)
  const [read] = await sql<{ text: string }>`select blob_text(decode(${sha256}, 'hex')) as text`
  assert.equal(read!.text, text)
  const run = newId()
  await sql`
    insert into run_messages (run_id, seq, id, turn, type, role, text_content, "timestamp")
    values (${run}, 1, ${newId()}, 0, 'text', 'user', ${text}, now())`
  assert.equal(await moveToStore(sql, stores, { id, sha256, size_bytes }), false)
  assert.equal((await rowOf(sha256)).bytes, text.length)
  assert.ok(team.id)
})

proves('objects.links', 'a link gives the bytes with its type and name, and no other type or name', async () => {
  const linking = blobsOn(sql, s3.stores({ s3Downloads: 'direct' }))
  const content = randomBytes(mebibyte)
  const { sha256 } = await linking.putStream(once(content))
  const answer = { contentType: 'image/png', disposition: 'inline; filename="a picture.png"' }
  const link = (await linking.link(sha256, answer))!
  const got = await fetch(link)
  assert.deepEqual(
    [got.status, got.headers.get('content-type'), got.headers.get('content-disposition')],
    [200, answer.contentType, answer.disposition],
  )
  assert.ok(Buffer.from(await got.arrayBuffer()).equals(content))
  for (const [one, other] of [
    ['image%2Fpng', 'text%2Fhtml'],
    ['a%20picture', 'a%20page'],
  ] as const) {
    assert.ok(link.includes(one))
    assert.equal((await fetch(link.replace(one, other))).status, 403)
  }
  assert.equal(await blobs.link(sha256, answer), undefined)
  const small = await linking.putStream(once(randomBytes(10)))
  assert.equal(await linking.link(small.sha256, answer), undefined)
})

proves('objects.probe', 'a store is tried by writing, reading and deleting an object', async () => {
  const before = await s3.objects()
  await tryStore(stores.current)
  assert.deepEqual(await s3.objects(), before)
  await assert.rejects(tryStore(s3.stores({ blobs: 's3://no-such-bucket' }).current!), /NoSuchBucket/)
})
