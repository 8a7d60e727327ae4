// Blobs: what is put in comes out, once however often it came.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { newId } from '../../base/ids.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { postgresBlobs, sweepBlobs } from './postgres.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { db } = service.context
const { sql } = db
const blobs = postgresBlobs(sql)

const mebibyte = 1024 * 1024
const nameOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

proves('blobs.roundTrip', 'bytes of any size come back as they were, in whole or their beginning', async () => {
  const sizes = [0, 1, 1000, mebibyte - 1, mebibyte, mebibyte + 1, 3 * mebibyte + 7, 9 * mebibyte]
  const contents = sizes.map((size) => randomBytes(size))
  const names = await blobs.put(contents)
  assert.deepEqual(names, contents.map(nameOf))
  const whole = await blobs.get(names)
  for (const [index, content] of contents.entries()) assert.ok(whole.get(names[index]!)!.equals(content))
  for (const bytesMax of [0, 10, mebibyte, mebibyte + 5]) {
    const some = await blobs.get(names, bytesMax)
    for (const [index, content] of contents.entries()) {
      assert.ok(some.get(names[index]!)!.equals(content.subarray(0, bytesMax)), `${bytesMax} of ${content.length}`)
    }
  }
  const unknown = nameOf(randomBytes(8))
  assert.deepEqual(await blobs.has([names[2]!, unknown]), new Set([names[2]]))
  assert.deepEqual(await blobs.get([unknown]), new Map())
})

proves('blobs.once', 'the same bytes are kept once, whoever brings them and however many do so at once', async () => {
  const contents = [randomBytes(100), randomBytes(2 * mebibyte), randomBytes(300)]
  const orders = Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? contents : contents.toReversed()))
  await Promise.all(orders.map((order) => db.transaction((own) => postgresBlobs(own).put([...order, order[0]!]))))
  const names = contents.map(nameOf)
  const [stored] = await sql<{ blobs: number; chunks: number }>`
    select (select count(*) from blobs where encode(sha256, 'hex') = any(${names})) as blobs,
      (select count(*) from blob_chunks c join blobs b on b.id = c.blob_id
       where encode(b.sha256, 'hex') = any(${names})) as chunks`
  assert.deepEqual(stored, { blobs: 3, chunks: 4 })
  const found = await blobs.get(names)
  for (const [index, content] of contents.entries()) assert.ok(found.get(names[index]!)!.equals(content))
})

proves(
  'blobs.transaction',
  'a transaction that is undone leaves no bytes, and the next one can bring them',
  async () => {
    const content = randomBytes(50)
    const undone = db.transaction(async (own) => {
      await postgresBlobs(own).put([content])
      throw new Error('undone')
    })
    await assert.rejects(undone, /undone/)
    assert.deepEqual(await blobs.has([nameOf(content)]), new Set())
    const [name] = await blobs.put([content])
    assert.ok((await blobs.get([name!])).get(name!)!.equals(content))
  },
)

async function* piecesOf(bytes: Buffer, sizes: number[]): AsyncGenerator<Buffer> {
  let at = 0
  for (let n = 0; at < bytes.length; n += 1) {
    const size = sizes[n % sizes.length]!
    yield bytes.subarray(at, at + size)
    at += size
  }
}

async function readAll(sha256: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of blobs.read(sha256)) pieces.push(piece)
  return Buffer.concat(pieces)
}

proves(
  'blobs.streams',
  'what arrives in pieces of any size is one blob, the same as if it had come whole',
  async () => {
    for (const length of [0, 5, mebibyte, 2 * mebibyte + 3, 5 * mebibyte]) {
      const content = randomBytes(length)
      const stored = await blobs.putStream(piecesOf(content, [1, 70_000, 3 * mebibyte, 10]))
      assert.deepEqual(stored, { sha256: nameOf(content), size_bytes: length })
      assert.ok((await readAll(stored.sha256)).equals(content))
      assert.ok((await blobs.get([stored.sha256])).get(stored.sha256)!.equals(content))
      const again = await Promise.all([1, 2, 3].map(() => blobs.putStream(piecesOf(content, [mebibyte]))))
      assert.ok(again.every(({ sha256 }) => sha256 === stored.sha256))
      const [kept] = await sql`select count(*) as blobs from blobs where sha256 = decode(${stored.sha256}, 'hex')`
      assert.deepEqual(kept, { blobs: 1 })
    }
    assert.equal((await readAll(nameOf(randomBytes(3)))).length, 0)
  },
)

async function* breaking(): AsyncGenerator<Buffer> {
  yield randomBytes(2 * mebibyte)
  throw new Error('broken off')
}

proves('blobs.streams', 'a stream that breaks off leaves nothing', async () => {
  await assert.rejects(blobs.putStream(breaking()), /broken off/)
  const [left] = await sql`select count(*) as blobs from blobs where sha256 is null`
  assert.deepEqual(left, { blobs: 0 })
})

proves(
  'blobs.streams',
  'a large content that is cut off between two of its chunks is not found by its hash',
  async () => {
    const content = randomBytes(2 * mebibyte)
    let statements = 0
    const dying: typeof sql = (strings, ...values) => {
      statements += 1
      if (statements === 4) throw new Error('the process died')
      return sql(strings, ...values)
    }
    await assert.rejects(postgresBlobs(dying).put([content]), /the process died/)
    const name = nameOf(content)
    assert.deepEqual(await blobs.has([name]), new Set())
    await blobs.put([content])
    assert.ok((await blobs.get([name])).get(name)!.equals(content))
    await sql`delete from blobs where sha256 is null`
  },
)

proves('blobs.swept', 'bytes that nobody names go after a day, and those that somebody names stay', async () => {
  const [young, named, unnamed] = await blobs.put([randomBytes(9), randomBytes(8), randomBytes(7)])
  const unfinished = newId()
  const sandbox = newId()
  const team = await seedTeam(service)
  await sql`insert into blobs (id, size_bytes) values (${unfinished}, 0)`
  await sql`insert into sandboxes (id, team_id) values (${sandbox}, ${team.id})`
  await sql`
    insert into workspace_files (id, team_id, sandbox_id, path, sha256, size_bytes, from_step)
    values (${newId()}, ${team.id}, ${sandbox}, '/workspace/a', decode(${named!}, 'hex'), 8, 1)`
  await sql`
    update blobs set created_at = now() - interval '25 hours'
    where id = ${unfinished} or sha256 in (decode(${named!}, 'hex'), decode(${unnamed!}, 'hex'))`
  await db.transaction(async (own) => {
    await postgresBlobs(own).put([Buffer.from('brought again')])
  })
  while ((await sweepBlobs(sql, 1)) > 0);
  assert.deepEqual(await blobs.has([young!, named!, unnamed!]), new Set([young, named]))
  assert.deepEqual(await sql`select from blobs where id = ${unfinished}`, [])
})

proves(
  'blobs.swept',
  'old bytes that come again are young again, and are not swept from under the transaction that brings them',
  async () => {
    const small = randomBytes(100)
    const large = randomBytes(2 * mebibyte)
    const names = await blobs.put([small, large])
    await sql`update blobs set created_at = now() - interval '25 hours' where encode(sha256, 'hex') = any(${names})`
    await db.transaction(async (own) => {
      await postgresBlobs(own).put([small, large])
      while ((await sweepBlobs(sql, 100)) > 0);
      assert.equal((await postgresBlobs(own).has(names)).size, 2)
    })
  },
)
