// Blobs: what is put in comes out, once however often it came.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { testApp } from '../../../test/kit/testApp.ts'
import { postgresBlobs } from './postgres.ts'

const { db } = (await testApp()).context
const { sql } = db
const blobs = postgresBlobs(sql)

const mebibyte = 1024 * 1024
const nameOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

// proves blobs.roundTrip
test('bytes of any size come back as they were, in whole or their beginning', async () => {
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

// proves blobs.once
test('the same bytes are kept once, whoever brings them and however many do so at once', async () => {
  const contents = [randomBytes(100), randomBytes(2 * mebibyte), randomBytes(300)]
  const orders = Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? contents : contents.toReversed()))
  await Promise.all(orders.map((order) => db.transaction((own) => postgresBlobs(own).put([...order, order[0]!]))))
  const names = contents.map(nameOf)
  const [stored] = await sql<{ blobs: number; chunks: number }>`
    select (select count(*) from blobs where encode(sha256, 'hex') = any(${names})) as blobs,
      (select count(*) from blob_chunks where encode(sha256, 'hex') = any(${names})) as chunks`
  assert.deepEqual(stored, { blobs: 3, chunks: 4 })
  const found = await blobs.get(names)
  for (const [index, content] of contents.entries()) assert.ok(found.get(names[index]!)!.equals(content))
})

// proves blobs.transaction
test('a transaction that is undone leaves no bytes, and the next one can bring them', async () => {
  const content = randomBytes(50)
  const undone = db.transaction(async (own) => {
    await postgresBlobs(own).put([content])
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  assert.deepEqual(await blobs.has([nameOf(content)]), new Set())
  const [name] = await blobs.put([content])
  assert.ok((await blobs.get([name!])).get(name!)!.equals(content))
})
