// What every store of bytes promises: what is put in comes out, once however often it came. Each promise is proved in PostgreSQL and in S3.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { newId } from '../../base/ids.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { s3Server } from '../../../test/kit/s3Server.ts'
import { proves as provesOne } from '../../../test/kit/proves.ts'
import type { Sql } from '../../base/db.ts'
import type { RequirementId } from '../../../test/requirements.ts'
import { beginningBytes, type Blobs, type ByteRange } from './blobs.ts'
import { blobsOn } from './blobsOn.ts'
import { onlyPostgres } from './stores.ts'
import { sweepBlobs } from './sweepBlobs.ts'

const service = await testApp()
const { db } = service.context
const { sql } = db
const drivers = { PostgreSQL: onlyPostgres, S3: (await s3Server()).stores() }

interface Driver {
  blobs: Blobs
  on: (sql: Sql) => Blobs
}

function proves(requirement: RequirementId, says: string, check: (driver: Driver) => Promise<void>): void {
  for (const [name, stores] of Object.entries(drivers)) {
    const on = (own: Sql) => blobsOn(own, stores)
    provesOne(requirement, `${says} (${name})`, () => check({ blobs: on(sql), on }))
  }
}

const mebibyte = 1024 * 1024
const nameOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

proves(
  'blobs.roundTrip',
  'bytes of any size come back as they were, in whole or their beginning',
  async ({ blobs }) => {
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
  },
)

proves(
  'blobs.once',
  'the same bytes are kept once, whoever brings them and however many do so at once',
  async ({ blobs, on }) => {
    const contents = [randomBytes(100), randomBytes(2 * mebibyte), randomBytes(300)]
    const orders = Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? contents : contents.toReversed()))
    await Promise.all(orders.map((order) => db.transaction((own) => on(own).put([...order, order[0]!]))))
    const names = contents.map(nameOf)
    const [stored] = await sql<{ blobs: number; chunks: number }>`
    select (select count(*) from blobs where encode(sha256, 'hex') = any(${names})) as blobs,
      (select count(*) from blob_chunks c join blobs b on b.id = c.blob_id
       where encode(b.sha256, 'hex') = any(${names})) as chunks`
    assert.deepEqual(stored, { blobs: 3, chunks: 4 })
    const found = await blobs.get(names)
    for (const [index, content] of contents.entries()) assert.ok(found.get(names[index]!)!.equals(content))
  },
)

proves(
  'blobs.transaction',
  'a transaction that is undone leaves no bytes, and the next one can bring them',
  async ({ blobs, on }) => {
    const content = randomBytes(50)
    const undone = db.transaction(async (own) => {
      await on(own).put([content])
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

async function readAll(blobs: Blobs, sha256: string, range?: ByteRange): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of blobs.read(sha256, range)) pieces.push(piece)
  return Buffer.concat(pieces)
}

proves(
  'blobs.streams',
  'what arrives in pieces of any size is one blob, the same as if it had come whole',
  async ({ blobs }) => {
    for (const length of [0, 5, mebibyte, 2 * mebibyte + 3, 8 * mebibyte, 17 * mebibyte + 5]) {
      const content = randomBytes(length)
      const stored = await blobs.putStream(piecesOf(content, [1, 70_000, 3 * mebibyte, 10]))
      assert.deepEqual(stored, { sha256: nameOf(content), size_bytes: length })
      assert.ok((await readAll(blobs, stored.sha256)).equals(content))
      assert.ok((await blobs.get([stored.sha256])).get(stored.sha256)!.equals(content))
      const again = await Promise.all([1, 2, 3].map(() => blobs.putStream(piecesOf(content, [mebibyte]))))
      assert.ok(again.every(({ sha256 }) => sha256 === stored.sha256))
      const [kept] = await sql`select count(*) as blobs from blobs where sha256 = decode(${stored.sha256}, 'hex')`
      assert.deepEqual(kept, { blobs: 1 })
    }
    assert.equal((await readAll(blobs, nameOf(randomBytes(3)))).length, 0)
  },
)

proves('blobs.parts', 'any part of a content is read without the rest', async ({ blobs }) => {
  const content = randomBytes(9 * mebibyte)
  const { sha256 } = await blobs.putStream(piecesOf(content, [mebibyte]))
  for (const [from, to] of [
    [0, 1],
    [mebibyte - 1, mebibyte + 1],
    [3 * mebibyte, 9 * mebibyte],
    [9 * mebibyte - 2, 20 * mebibyte],
    [9 * mebibyte, 20 * mebibyte],
  ] as const) {
    assert.ok((await readAll(blobs, sha256, { from, to })).equals(content.subarray(from, to)), `${from} to ${to}`)
  }
})

proves('blobs.brought', 'what was brought before a transaction is not sent in it again', async ({ blobs, on }) => {
  const contents = [randomBytes(2 * mebibyte), randomBytes(10)]
  await blobs.bring(contents)
  const names = await db.transaction((own) => on(own).put(contents))
  assert.deepEqual(names, contents.map(nameOf))
  const found = await blobs.get(names)
  for (const [index, content] of contents.entries()) assert.ok(found.get(names[index]!)!.equals(content))
  const read = () => piecesOf(contents[0]!, [mebibyte])
  assert.equal((await blobs.putReadable(read)).sha256, names[0])
})

proves('blobs.beginning', 'a transaction reads the first 64 KiB of any content', async ({ blobs, on }) => {
  const content = randomBytes(2 * mebibyte)
  const { sha256 } = await blobs.putStream(piecesOf(content, [mebibyte]))
  const some = await db.transaction((own) => on(own).get([sha256], beginningBytes))
  assert.ok(some.get(sha256)!.equals(content.subarray(0, beginningBytes)))
})

async function* breaking(): AsyncGenerator<Buffer> {
  yield randomBytes(2 * mebibyte)
  throw new Error('broken off')
}

proves('blobs.streams', 'a stream that breaks off leaves nothing', async ({ blobs }) => {
  await assert.rejects(blobs.putStream(breaking()), /broken off/)
  const [left] = await sql`select count(*) as blobs from blobs where sha256 is null`
  assert.deepEqual(left, { blobs: 0 })
})

proves(
  'blobs.streams',
  'a large content that is cut off between two of its chunks is not found by its hash',
  async ({ blobs, on }) => {
    const content = randomBytes(2 * mebibyte)
    let statements = 0
    const dying: typeof sql = (strings, ...values) => {
      statements += 1
      if (statements === 4) throw new Error('the process died')
      return sql(strings, ...values)
    }
    await assert.rejects(on(dying).put([content]), /the process died/)
    const name = nameOf(content)
    assert.deepEqual(await blobs.has([name]), new Set())
    await blobs.put([content])
    assert.ok((await blobs.get([name])).get(name)!.equals(content))
    await sql`delete from blobs where sha256 is null`
  },
)

proves(
  'blobs.swept',
  'bytes that nobody names go after a day, and those that somebody names stay',
  async ({ blobs, on }) => {
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
      await on(own).put([Buffer.from('brought again')])
    })
    while ((await sweepBlobs(sql, 1)) > 0);
    assert.deepEqual(await blobs.has([young!, named!, unnamed!]), new Set([young, named]))
    assert.deepEqual(await sql`select from blobs where id = ${unfinished}`, [])
  },
)

proves(
  'blobs.swept',
  'old bytes that somebody is about to refer to are kept, also while another transaction refers to them',
  async ({ blobs }) => {
    const names = await blobs.put([randomBytes(100), randomBytes(2 * mebibyte)])
    await sql`update blobs set created_at = now() - interval '25 hours' where encode(sha256, 'hex') = any(${names})`
    await db.transaction(async (own) => {
      // as a foreign key does
      await own`select from blobs where encode(sha256, 'hex') = any(${names}) for key share`
      assert.deepEqual(await blobs.keep([...names, nameOf(randomBytes(8))]), new Set(names))
    })
    while ((await sweepBlobs(sql, 100)) > 0);
    assert.deepEqual(await blobs.has(names), new Set(names))
  },
)

proves(
  'blobs.swept',
  'old bytes that come again are young again, and are not swept from under the transaction that brings them',
  async ({ blobs, on }) => {
    const small = randomBytes(100)
    const large = randomBytes(2 * mebibyte)
    const names = await blobs.put([small, large])
    await sql`update blobs set created_at = now() - interval '25 hours' where encode(sha256, 'hex') = any(${names})`
    await db.transaction(async (own) => {
      await on(own).put([small, large])
      while ((await sweepBlobs(sql, 100)) > 0);
      assert.equal((await on(own).has(names)).size, 2)
    })
  },
)
