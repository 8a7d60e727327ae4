// Files of a team in an object store, as callers see them: up and down by URLs, in parts, by a redirect, and while the store is away.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { s3Server } from '../../../test/kit/s3Server.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'

const s3 = await s3Server()
const service = await testApp({ config: { ...s3.settings, sandbox: 'just_bash' } })
const team = await seedTeam(service)
await service.listen()
const direct = await testApp({ config: { ...s3.settings, s3Downloads: 'direct' } })
const teamOfDirect = await seedTeam(direct)
await direct.listen()

async function put(of: TestTeam, name: string, bytes: Buffer): Promise<Response> {
  const asked = await of.call('POST /v2/teams/:teamId/files/upload-urls', { body: { name } })
  return fetch(asked.body.upload_url, { method: 'PUT', body: bytes as Buffer<ArrayBuffer> })
}

async function uploaded(of: TestTeam, name: string, bytes: Buffer): Promise<{ id: string; url: string }> {
  const answer = await put(of, name, bytes)
  assert.equal(answer.status, 201)
  const { file_id } = (await answer.json()) as { file_id: string }
  const { body } = await of.call(`GET /v2/teams/:teamId/files/${file_id}`)
  return { id: file_id, url: body.download_url }
}

const bytesOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer())

async function whileAway<T>(work: () => Promise<T>): Promise<T> {
  s3.answerWith = (_, response) => {
    response.destroy()
    return true
  }
  return work().finally(() => (s3.answerWith = undefined))
}

proves(
  'objects.where',
  'a large file goes into the store by an upload URL and comes back by a download URL',
  async () => {
    const before = (await s3.objects()).length
    const bytes = randomBytes(9_000_000)
    const { id, url } = await uploaded(team, 'large.bin', bytes)
    assert.equal((await s3.objects()).length, before + 1)
    assert.ok((await bytesOf(await fetch(url))).equals(bytes))
    const { body } = await team.call(`GET /v2/teams/:teamId/files/${id}`)
    assert.equal(body.content, bytes.toString('base64'))
  },
)

proves('objects.where', 'a file in the body of a request is an object before its transaction', async () => {
  const before = (await s3.objects()).length
  const content = 'many words '.repeat(40_000)
  const made = await team.call('POST /v2/teams/:teamId/files', { body: { name: 'words.txt', content } })
  assert.equal(made.status, 201)
  assert.equal((await s3.objects()).length, before + 1)
  const key = { idempotencyKey: 'a read with a key' }
  const { body } = await team.call(`GET /v2/teams/:teamId/files/${made.body.file_id}`, key)
  assert.equal(body.content, content)
})

proves('files.ranges', 'a download gives the part that is asked for', async () => {
  for (const size of [100_000, 9_000_000]) {
    const bytes = randomBytes(size)
    const { url } = await uploaded(team, `ranges-${size}.bin`, bytes)
    const ask = (range: string, headers: Record<string, string> = {}) => fetch(url, { headers: { range, ...headers } })
    const parts: [string, number, number][] = [
      ['bytes=0-0', 0, 1],
      ['bytes=500-999', 500, 1000],
      [`bytes=${size - 5}-`, size - 5, size],
      ['bytes=-7', size - 7, size],
      [`bytes=90-${size * 2}`, 90, size],
    ]
    for (const [range, from, to] of parts) {
      const answer = await ask(range)
      assert.equal(answer.status, 206, range)
      assert.equal(answer.headers.get('content-range'), `bytes ${from}-${to - 1}/${size}`)
      assert.ok((await bytesOf(answer)).equals(bytes.subarray(from, to)), range)
    }
    for (const range of [`bytes=${size}-`, 'bytes=-0']) {
      const answer = await ask(range)
      assert.deepEqual([answer.status, answer.headers.get('content-range')], [416, `bytes */${size}`])
    }
    for (const range of ['bytes=5-2', 'bytes=0-1,5-6', 'lines=1-2']) {
      const answer = await ask(range)
      assert.equal(answer.status, 200, range)
      assert.equal((await bytesOf(answer)).length, size)
    }
    const etag = (await ask('bytes=0-0')).headers.get('etag')!
    assert.equal((await ask('bytes=0-0', { 'if-range': etag })).status, 206)
    assert.equal((await ask('bytes=0-0', { 'if-range': '"another"' })).status, 200)
  }
})

proves('objects.links', 'a download is sent to the store, by a URL that is bound to type and name', async () => {
  const bytes = randomBytes(2_000_000)
  const { url } = await uploaded(teamOfDirect, 'folder/Bild ü.png', bytes)
  const sent = await fetch(url, { redirect: 'manual' })
  assert.equal(sent.status, 302)
  assert.equal(sent.headers.get('cache-control'), 'no-store')
  const link = sent.headers.get('location')!
  assert.ok(link.startsWith(`${s3.endpoint}/`))
  const query = new URL(link).searchParams
  assert.equal(query.get('X-Amz-Expires'), '60')
  assert.equal(query.get('response-content-type'), 'image/png')
  assert.match(query.get('response-content-disposition')!, /^inline; .*Bild%20%C3%BC\.png$/)
})

proves('objects.links', 'a page that loads a file for itself, and a small file, come through the service', async () => {
  const bytes = randomBytes(2_000_000)
  const { url } = await uploaded(teamOfDirect, 'shown.png', bytes)
  const inPage = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors' }
  assert.equal((await fetch(url, { redirect: 'manual', headers: inPage })).status, 200)
  const small = await uploaded(teamOfDirect, 'small.png', bytes.subarray(0, 1000))
  assert.equal((await fetch(small.url, { redirect: 'manual' })).status, 200)
})

proves('objects.away', 'uploads and downloads are refused with a sentence while the store is away', async () => {
  const bytes = randomBytes(2_000_000)
  const { url } = await uploaded(team, 'before.bin', bytes)
  await whileAway(async () => {
    for (const answer of [await put(team, 'while.bin', bytes.subarray(1)), await fetch(url)]) {
      assert.equal(answer.status, 500)
      assert.equal(answer.headers.get('retry-after'), '5')
      const { error, message } = (await answer.json()) as { error: string; message: string }
      assert.equal(error, 'internal_error')
      assert.match(message, /^The store of files does not answer right now/)
    }
    assert.equal((await service.call('GET /readyz')).status, 200)
    assert.equal((await team.call('GET /v2/teams/:teamId/files')).status, 200)
    assert.match((await service.call('GET /metrics')).text, /^runyard_object_store_present 0$/m)
  })
  assert.ok((await bytesOf(await fetch(url))).equals(bytes))
})

const block = (words: string, body = '') => `\`\`\`${words}\n${body}\n\`\`\`\n\n`

proves(
  'objects.away',
  'the large files that a command leaves are kept while the store is away, and moved later',
  async () => {
    const command = 'seq 1 300000 > large.bin'
    const run = await startRun(team, await seedAgent(team, block('bash', command) + block('output', '"done"')))
    await whileAway(() => drainRuns(service))
    const { status, error } = await readRun(team, run)
    assert.equal(status, 'completed', JSON.stringify(error))
    const { body } = await team.call(`GET /v2/runs/${run}/sandbox/files/content?path=large.bin`)
    assert.equal(body.size_bytes, 1_988_895)
    const before = (await s3.objects()).length
    await service.context.db.sql`select graphile_worker.add_job('sweepFiles', '{}'::json)`
    await service.drain()
    assert.equal((await s3.objects()).length, before + 1)
    assert.equal((await bytesOf(await fetch(body.download_url))).length, 1_988_895)
  },
)
