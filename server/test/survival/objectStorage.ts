// Proofs about files in an object store: large files pass without staying in memory, a store that goes away loses nothing, and moves survive kills.
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'pg'
import { sqlOn, type Sql } from '../../src/base/db.ts'
import { blobsOn } from '../../src/drivers/blobs/blobsOn.ts'
import { ask, type S3Server } from '../../src/drivers/blobs/s3/request.ts'
import { openStores } from '../../src/drivers/blobs/stores.ts'
import { readConfig } from '../../src/base/config.ts'
import { programFile } from '../kit/programFile.ts'
import { send, startService, type HttpAnswer, type Service } from './processes.ts'
import type { Proof } from './proof.ts'
import { bucket, startSwift, swiftIsMissing, type ProofStore } from './swiftServer.ts'
import { uploadThrough, type Uploaded } from './uploads.ts'
import { bodyOf, until } from './yard.ts'

const mebibyte = 1024 * 1024

/** How many contents are moved: 100,000 unless the environment says otherwise. */
const movedCount = Number(process.env['RUNYARD_TEST_MOVED_BLOBS'] ?? 100_000)
/** How long the store is away. */
const awayMs = Number(process.env['RUNYARD_TEST_STORE_AWAY_MS'] ?? 60_000)

/** Everything in the bucket: keys of objects, and uploads that were not finished. */
async function inBucket(server: S3Server): Promise<{ keys: string[]; uploads: number }> {
  const keys: string[] = []
  for (let more: string | undefined = ''; more !== undefined;) {
    const query: Record<string, string> = { 'list-type': '2', ...(more !== '' && { 'continuation-token': more }) }
    const { text } = await ask(server, { method: 'GET', bucket, query })
    keys.push(...[...text.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key]) => key!))
    more = /<NextContinuationToken>([^<]+)</.exec(text)?.[1]
  }
  const { text } = await ask(server, { method: 'GET', bucket, query: { uploads: '' } })
  return { keys, uploads: [...text.matchAll(/<UploadId>/g)].length }
}

interface Scene {
  store: ProofStore
  service: Service
  sql: Sql
}

async function withScene<T>(
  dataDir: string,
  env: Record<string, string>,
  work: (scene: Scene) => Promise<T>,
): Promise<T> {
  const store = await startSwift()
  try {
    const settings = { LOG_LEVEL: 'error', RUNYARD_RATE_LIMIT: '0', ...store.env, ...env }
    const service = await startService({ dataDir, env: settings })
    const pool = new Pool({ connectionString: await databaseUrl(dataDir), max: 6 })
    try {
      return await work({ store, service, sql: sqlOn(pool) })
    } finally {
      await pool.end()
      await service.stop('SIGINT')
    }
  } finally {
    await store.close()
  }
}

async function databaseUrl(dataDir: string): Promise<string> {
  const facts = JSON.parse(await readFile(`${dataDir}/service.json`, 'utf8')) as { database_url: string }
  return facts.database_url
}

/** The sweep, as if a day had passed for everything that nobody uses. */
async function sweep(sql: Sql): Promise<void> {
  await sql`update blobs set created_at = now() - interval '25 hours'`
  await sql`update blob_objects set created_at = now() - interval '25 hours' where used_at is null`
  await sql`update blob_objects set dropped_at = now() - interval '1 hour' where dropped_at is not null`
  await sql`select graphile_worker.add_job('sweepFiles', '{}'::json, job_key => 'proof')`
  await until(
    'the sweep has ended',
    () => sql`select from graphile_worker.jobs where key = 'proof'`,
    (jobs) => jobs.length === 0,
    { everyMs: 200, forMs: 600_000 },
  )
}

/** How many objects have no blob, and how many blobs lack their object. */
async function compare({ store, sql }: Scene): Promise<{ orphans: number; missing: number; uploads: number }> {
  const { keys, uploads } = await inBucket(store.server)
  const rows = await sql<{ id: string }>`select object_id as id from blobs where object_id is not null`
  const used = new Set(rows.map(({ id }) => `files/${id}`))
  const there = new Set(keys)
  return {
    orphans: keys.filter((key) => !used.has(key)).length,
    missing: [...used].filter((key) => !there.has(key)).length,
    uploads,
  }
}

export const slimProof: Proof = {
  name: 'object storage: 1 GiB up by a signed URL into Swift, and down again',
  must: 'the same bytes; the process grows by less than 100 MB in each direction',
  async run(dataDir) {
    const skipped = swiftIsMissing()
    if (skipped !== undefined) return { counts: { skipped }, holds: true }
    return withScene(dataDir, {}, async ({ service, ...scene }) => {
      await uploadThrough(service, 32)
      const seen: Uploaded = await uploadThrough(service, 1024)
      await sweep(scene.sql)
      await sweep(scene.sql)
      const left = await compare({ service, ...scene })
      const holds =
        seen.isWhole &&
        seen.uploadGrewMb < 100 &&
        seen.downloadGrewMb < 100 &&
        left.orphans + left.missing + left.uploads === 0
      return { counts: { ...seen, ...left }, holds }
    })
  },
}

interface Kept {
  sha256: string
  id: string
}

export const awayProof: Proof = {
  name: `object storage: Swift is away for ${awayMs / 1000} s under requests`,
  must: 'every request answered: with success, or with a sentence and Retry-After, and only a download that had begun cut off; every acknowledged file whole afterwards; nothing left in the store that no file has',
  async run(dataDir) {
    const skipped = swiftIsMissing()
    if (skipped !== undefined) return { counts: { skipped }, holds: true }
    return withScene(dataDir, {}, stayWithoutStore)
  },
}

const isClear = ({ status, headers, text }: HttpAnswer): boolean =>
  status === 500 && headers['retry-after'] !== undefined && text.includes('The store of files does not answer')

async function stayWithoutStore(scene: Scene): Promise<{ counts: object; holds: boolean }> {
  const { service, store, sql } = scene
  const call = async (method: string, path: string, body?: object): Promise<HttpAnswer> =>
    send(service.baseUrl, { method, path, key: service.key, ...(body && { body }) })
  const files = `/v2/teams/${service.teamId}/files`
  const kept: Kept[] = []
  const counts = { uploaded: 0, refused: 0, unclear: 0, small: 0, plain: 0, cutOff: 0, notReady: 0, changed: 0 }
  const note = async (content: Buffer, answer: HttpAnswer): Promise<void> => {
    if (answer.status !== 201) {
      counts.refused += 1
      if (!isClear(answer)) counts.unclear += 1
      return
    }
    const { file_id } = JSON.parse(answer.text) as { file_id: string }
    kept.push({ sha256: createHash('sha256').update(content).digest('hex'), id: file_id })
  }
  const urlOf = async ({ id }: Kept): Promise<string> =>
    bodyOf(await call('GET', `${files}/${id}`))['download_url'] as string
  const size = 20 * mebibyte
  let n = 0
  const upload = async (): Promise<void> => {
    const content = randomBytes(size)
    const { upload_url } = bodyOf(await call('POST', `${files}/upload-urls`, { name: `large-${n++}.bin` }))
    const answer = await fetch(upload_url as string, { method: 'PUT', body: content })
    const headers = Object.fromEntries(answer.headers)
    await note(content, { status: answer.status, headers, text: await answer.text() })
    if (answer.status === 201) counts.uploaded += 1
  }
  const create = async (): Promise<void> => {
    const content = randomBytes(600 * 1024)
    const body = { name: `small-${n++}.bin`, content: content.toString('base64'), encoding: 'base64' }
    await note(content, await call('POST', files, body))
    counts.small += 1
  }
  await upload()
  await create()
  const url = await urlOf(kept[0]!)
  const download = async (): Promise<void> => {
    const read = await fetch(url)
    if (read.status === 200) {
      const isWhole = await read.arrayBuffer().then(
        (body) => body.byteLength === size,
        () => undefined,
      )
      // a body that has begun can only be cut off, and its reader sees that
      if (isWhole === undefined) counts.cutOff += 1
      if (isWhole === false) counts.changed += 1
      return
    }
    const answer = { status: read.status, headers: Object.fromEntries(read.headers), text: await read.text() }
    if (!isClear(answer)) counts.unclear += 1
  }
  const endAt = Date.now() + awayMs + 10_000
  const away = (async () => {
    await sleep(3000)
    await store.stop()
    await sleep(awayMs)
    await store.start()
  })()
  const whileAway = async (work: () => Promise<void>): Promise<void> => {
    while (Date.now() < endAt) await work()
  }
  await Promise.all([
    away,
    whileAway(upload),
    whileAway(create),
    whileAway(async () => {
      const ready = await fetch(`${service.baseUrl}/readyz`)
      if (ready.status !== 200) counts.notReady += 1
      if ((await call('GET', files)).status === 200) counts.plain += 1
      await download()
      await sleep(500)
    }),
  ])
  await sweep(sql)
  await sweep(sql)
  for (const one of kept) {
    const read = Buffer.from(await (await fetch(await urlOf(one))).arrayBuffer())
    if (createHash('sha256').update(read).digest('hex') !== one.sha256) counts.changed += 1
  }
  const left = await compare(scene)
  const [waiting] = await sql<{ blobs: number }>`select count(*)::int as blobs from blobs_to_move`
  const holds =
    counts.unclear + counts.notReady + counts.changed + left.orphans + left.missing + left.uploads + waiting!.blobs ===
      0 &&
    counts.refused > 0 &&
    counts.uploaded > 0
  return { counts: { ...counts, files: kept.length, ...left, toMove: waiting!.blobs }, holds }
}

export const moveProof: Proof = {
  name: `object storage: runyard blobs move of ${movedCount} contents, killed ten times`,
  must: 'every content is the same at every look, and is in the store at the end; nothing left in the store that no file has',
  async run(dataDir) {
    const skipped = swiftIsMissing()
    if (skipped !== undefined) return { counts: { skipped }, holds: true }
    return withScene(dataDir, { RUNYARD_BLOBS_FROM_BYTES: '1024' }, (scene) => moveUnderKills(scene, dataDir))
  },
}

/** Each is another one, by its number: it can be checked without being remembered. */
const contentOf = (n: number): Buffer => {
  const size = 2048 + (n % 64) * 128
  const seed = createHash('sha512').update(`content ${n}`).digest()
  return Buffer.alloc(size, seed)
}

const command = programFile(fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url)))

async function moveUnderKills(scene: Scene, dataDir: string): Promise<{ counts: object; holds: boolean }> {
  const { sql, store } = scene
  const env = { ...process.env, ...store.env, RUNYARD_BLOBS_FROM_BYTES: '1024', RUNYARD_DATA_DIR: dataDir }
  const stores = openStores(readConfig(env))
  const names = await fill(sql)
  const reader = blobsOn(sql, stores)
  const counts = { contents: movedCount, kills: 0, looked: 0, changed: 0, moved: 0 }
  // `read`, because `get` would find the beginning of each in PostgreSQL
  const lookAt = async (n: number): Promise<void> => {
    const pieces: Buffer[] = []
    for await (const piece of reader.read(names[n]!)) pieces.push(piece)
    counts.looked += 1
    if (!Buffer.concat(pieces).equals(contentOf(n))) counts.changed += 1
  }
  const look = (some: number[]) => Promise.all(some.map(lookAt))
  const random = (): number => Math.floor(Math.random() * movedCount)
  const movedNow = async (): Promise<number> => {
    const [row] = await sql<{ moved: number }>`select count(*)::int as moved from blobs where object_id is not null`
    return row!.moved
  }
  for (;;) {
    const child = spawn(process.execPath, [command, 'blobs', 'move'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    const before = await movedNow()
    // killed after about an eleventh of the work, at no particular moment
    const share = movedCount / 11
    while (
      counts.kills < 10 &&
      child.exitCode === null &&
      (await movedNow()) < before + share * (0.5 + Math.random() * 0.5)
    ) {
      await look(Array.from({ length: 20 }, random))
      // most of what the store can do is left to the command
      await sleep(500)
    }
    if (counts.kills < 10 && child.exitCode === null) {
      child.kill('SIGKILL')
      counts.kills += 1
    }
    const code = await ended
    if (code === 0) break
    if (code !== null) throw new Error(`runyard blobs move ended with ${code}`)
  }
  for (let n = 0; n < movedCount; n += 20) {
    await look(Array.from({ length: Math.min(20, movedCount - n) }, (_, index) => n + index))
  }
  counts.moved = await movedNow()
  // what the killed left is swept; the contents themselves are kept by a table that refers to them
  await sweep(sql)
  await sweep(sql)
  const left = await compare(scene)
  const holds =
    counts.changed === 0 &&
    counts.kills === 10 &&
    counts.moved === movedCount &&
    left.orphans + left.missing + left.uploads === 0
  return { counts: { ...counts, ...left }, holds }
}

/** Contents in PostgreSQL, and a table that refers to each, so that the sweep keeps them. */
async function fill(sql: Sql): Promise<string[]> {
  await sql`create table proof_contents (sha256 bytea primary key references blobs (sha256))`
  const names: string[] = []
  for (let n = 0; n < movedCount; n += 200) {
    const contents = Array.from({ length: Math.min(200, movedCount - n) }, (_, index) => contentOf(n + index))
    const some = await blobsOn(sql).put(contents)
    await sql`insert into proof_contents select decode(name, 'hex') from unnest(${some}::text[]) as name`
    names.push(...some)
  }
  return names
}

export const objectStorageProofs: Proof[] = [slimProof, awayProof, moveProof]
