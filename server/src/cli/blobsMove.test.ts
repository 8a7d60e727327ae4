// runyard blobs move, and what backup and doctor say of an object store: against a real database and an S3 server.
import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { readConfig } from '../base/config.ts'
import { openDatabase } from '../base/db.ts'
import { connectionUrl } from '../base/embeddedPostgres.ts'
import { createLog } from '../base/log.ts'
import { blobsOn } from '../drivers/blobs/blobsOn.ts'
import { testDatabase } from '../../test/kit/postgres.ts'
import { proves } from '../../test/kit/proves.ts'
import { s3Server } from '../../test/kit/s3Server.ts'
import { backup } from './backup.ts'
import { blobsMove } from './blobsMove.ts'
import { blobs as check } from './checks/blobs.ts'

const s3 = await s3Server()
const address = await testDatabase()
const log = createLog('silent')
const db = openDatabase({ address: () => address, log, connectionsMax: 2 })
const folder = await mkdtemp(join(tmpdir(), 'runyard-move-'))
after(async () => {
  await db.close()
  await rm(folder, { recursive: true, force: true })
})

const env = {
  DATABASE_URL: connectionUrl(address),
  RUNYARD_DATA_DIR: folder,
  RUNYARD_S3_ENDPOINT: s3.endpoint,
  RUNYARD_S3_ACCESS_KEY_ID: s3.settings.s3AccessKeyId!,
  RUNYARD_S3_SECRET_ACCESS_KEY: s3.settings.s3SecretAccessKey!,
}
const inStore = { ...env, RUNYARD_BLOBS: s3.settings.blobs! }

interface Asked {
  env: Record<string, string>
  values?: { to?: string }
  positionals?: string[]
  signal?: AbortSignal
}

const callOf = ({ env: given, values = {}, positionals = [], signal = new AbortController().signal }: Asked) => {
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  return { lines, call: { config: readConfig(given), log, positionals, values, signal, print } }
}

const contents = [10, 300_000, 600_000, 9_000_000].map((size) => randomBytes(size))
const names = await blobsOn(db.sql).put(contents)

/** The line that sums it up: a slow move also says how far it is. */
const whatMoved = ({ lines }: { lines: string[] }): string => lines.find((line) => line.includes(' contents ')) ?? ''

async function requireAll(): Promise<void> {
  const found = await blobsOn(db.sql, s3.stores()).get(names)
  for (const [index, content] of contents.entries()) assert.ok(found.get(names[index]!)!.equals(content))
}

proves('objects.command', 'it moves what is large into the store, and back', async () => {
  const there = callOf({ env: inStore })
  assert.equal(await blobsMove(there.call), 0)
  assert.match(whatMoved(there), /^Moved 3 contents \(9\.4 MiB\) to s3:\/\/runyard-test\/files, each checked/)
  assert.equal((await s3.objects()).length, 3)
  await requireAll()
  const again = callOf({ env: inStore })
  await blobsMove(again.call)
  assert.match(whatMoved(again), /^Moved 0 contents/)
  const back = callOf({ env, values: { to: 'postgres' } })
  assert.equal(await blobsMove(back.call), 0)
  assert.match(whatMoved(back), /^Moved 3 contents \(9\.4 MiB\) to PostgreSQL/)
  const [left] = await db.sql`select count(*)::int as blobs from blobs where object_id is not null`
  assert.deepEqual(left, { blobs: 0 })
  const plain = await blobsOn(db.sql).get(names)
  for (const [index, content] of contents.entries()) assert.ok(plain.get(names[index]!)!.equals(content))
})

proves(
  'objects.command',
  'a move that fails or is stopped leaves every content readable, and the next one continues',
  async () => {
    let asked = 0
    s3.answerWith = (_, response) => {
      asked += 1
      if (asked < 4) return false
      response.destroy()
      return true
    }
    await assert.rejects(blobsMove(callOf({ env: inStore }).call), /does not answer .*Run it again to/s)
    s3.answerWith = undefined
    await requireAll()
    const stopped = callOf({ env: inStore, signal: AbortSignal.abort() })
    assert.equal(await blobsMove(stopped.call), 1)
    assert.match(stopped.lines.at(-1)!, /^Stopped\./)
    assert.equal(await blobsMove(callOf({ env: inStore }).call), 0)
    await requireAll()
    const [left] =
      await db.sql`select count(*)::int as blobs from blobs where object_id is null and size_bytes > 256 * 1024`
    assert.deepEqual(left, { blobs: 0 })
  },
)

proves(
  'objects.damaged',
  'it names what is missing or changed in the store, moves the rest and ends with 1',
  async () => {
    const objects = await db.sql<{ id: string; sha256: string; size: number }>`
    select object_id as id, encode(sha256, 'hex') as sha256, size_bytes as size from blobs where object_id is not null order by size_bytes`
    const [missing, short, changed] = objects
    const store = s3.stores().current!
    const kept = new Map<string, Buffer>()
    for (const { id, sha256 } of objects) kept.set(id, (await blobsOn(db.sql, s3.stores()).get([sha256])).get(sha256)!)
    const put = (id: string, bytes: Buffer) => store.put(id, { bytes, sha256: hash('sha256', bytes, 'hex') })
    await store.remove(missing!.id)
    await put(short!.id, kept.get(short!.id)!.subarray(0, 1000))
    await put(changed!.id, Buffer.alloc(changed!.size))
    const back = callOf({ env, values: { to: 'postgres' } })
    assert.equal(await blobsMove(back.call), 1)
    const named = back.lines.filter((line) => line.startsWith('Not moved: ')).toSorted()
    assert.equal(named.length, 3)
    for (const { id } of objects) assert.ok(named.some((line) => line.includes(id)))
    assert.match(back.lines.at(-1)!, /^3 stay where they are/)
    for (const [id, bytes] of kept) if (id !== missing!.id) await put(id, bytes)
    const again = callOf({ env, values: { to: 'postgres' } })
    assert.equal(await blobsMove(again.call), 1)
    assert.match(whatMoved(again), /^Moved 2 contents/)
    await put(missing!.id, kept.get(missing!.id)!)
    assert.equal(await blobsMove(callOf({ env, values: { to: 'postgres' } }).call), 0)
    assert.equal(await blobsMove(callOf({ env: inStore }).call), 0)
    await requireAll()
  },
)

proves('objects.command', 'a backup says which files are in a store and not in it', async () => {
  const { call, lines } = callOf({ env: inStore, positionals: [join(folder, 'a.backup')] })
  await backup({ ...call, values: {} })
  const says = '3 files (9.4 MiB) are not in it: they are in s3://runyard-test/files'
  assert.ok(lines.some((line) => line.startsWith(says)))
})

const look = (given: Record<string, string>) =>
  check.run({ config: readConfig(given), env: given, database: undefined, databaseFailure: undefined })

proves('objects.probe', 'doctor tries the store of the settings and says what is wrong with it', async () => {
  const good = await look(inStore)
  assert.deepEqual([good.state, /wrote, read and deleted/.test(good.says)], ['ok', true])
  const bad = await look({ ...inStore, RUNYARD_S3_SECRET_ACCESS_KEY: 'another' })
  assert.equal(bad.state, 'problem')
  assert.match(bad.says, /cannot be used, so files there cannot be read or written: .*SignatureDoesNotMatch/)
  assert.equal((await look(env)).state, 'ok')
})
