// Download addresses: the bytes to whoever has one, cacheable, and harmless in a browser.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage, type ServerResponse } from 'node:http'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { proves } from '../../../../test/kit/proves.ts'

const service = await testApp()
const baseUrl = await service.listen()
const team = await seedTeam(service)
const { sandbox_id } = (await team.call('POST /v2/sandboxes')).body
const files = `/v2/sandboxes/${sandbox_id}/files`

async function urlOf(path: string, bytes: Buffer): Promise<string> {
  const query = `path=${encodeURIComponent(path)}`
  await team.call(`POST ${files}?${query}`, { body: bytes })
  return (await team.call(`GET ${files}/content?${query}`)).body.download_url
}

proves('downloads.bytes', 'the bytes come whole, of any size, without a credential', async () => {
  for (const size of [0, 1, 1024 * 1024, 3 * 1024 * 1024 + 5]) {
    const bytes = randomBytes(size)
    const response = await fetch(await urlOf('data.bin', bytes))
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-length'), String(size))
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(bytes))
  }
})

proves(
  'downloads.headers',
  'what a browser could run is saved and never shown, and nothing may run or load',
  async () => {
    const shown = ['a.txt', 'a.log', 'a.md', 'a.csv', 'a.json', 'a.png', 'a.JPG', 'a.gif', 'a.webp']
    const saved = [
      'a.html',
      'a.HTM',
      'a.svg',
      'a.xml',
      'a.js',
      'a.mjs',
      'a.css',
      'a.pdf',
      'a.zip',
      'a.exe',
      'a',
      '.html',
      'a.html ',
    ]
    for (const name of [...shown, ...saved]) {
      const { headers } = await fetch(await urlOf(name, Buffer.from('<script>alert(1)</script>')))
      const how = shown.includes(name) ? 'inline' : 'attachment'
      assert.ok(headers.get('content-disposition')!.startsWith(`${how}; `), name)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('content-security-policy'), "sandbox; default-src 'none'")
      if (how === 'inline')
        assert.match(headers.get('content-type')!, /^(text\/(plain|markdown|csv)|application\/json|image\/)/)
    }
  },
)

proves('downloads.headers', 'a name of any letters arrives as it is, and cannot write a header', async () => {
  const { headers } = await fetch(await urlOf(`ét"é; x='1'%41.txt`, Buffer.from('x')))
  assert.equal(
    headers.get('content-disposition'),
    `inline; filename="_t__; x='1'_41.txt"; filename*=UTF-8''%C3%A9t%22%C3%A9%3B%20x%3D%271%27%2541.txt`,
  )
})

proves(
  'downloads.cache',
  'a download may be kept while its address is good, and is asked for again without its bytes',
  async () => {
    const bytes = Buffer.from('cached')
    const url = await urlOf('cached.txt', bytes)
    const first = await fetch(url)
    const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`
    assert.equal(first.headers.get('etag'), etag)
    const [, seconds] = /^private, max-age=(\d+), immutable$/.exec(first.headers.get('cache-control')!)!
    assert.ok(Number(seconds) >= 3590 && Number(seconds) <= 7200, seconds)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await fetch(url, { headers: { 'if-none-match': known } })
      assert.deepEqual([again.status, await again.text(), again.headers.get('etag')], [304, '', etag], known)
    }
    assert.equal((await fetch(url, { headers: { 'if-none-match': '"other"' } })).status, 200)
  },
)

proves('downloads.bytes', 'when the client goes away, nothing more is read', async (t) => {
  const mebibytes = 48
  const { upload_url } = (await team.call(`POST /v2/sandboxes/${sandbox_id}/upload-urls`, { body: { path: 'large' } }))
    .body
  await (await fetch(upload_url, { method: 'PUT', body: new Uint8Array(mebibytes * 1024 * 1024) })).text()
  const url = (await team.call(`GET ${files}/content?path=large`)).body.download_url
  const { db } = service.context
  const asked = t.mock.method(db, 'sql')
  const answering = once(service.app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  const [download] = (await once(get(url), 'response')) as [IncomingMessage]
  const [, response] = await answering
  await once(download, 'data')
  const closed = once(response, 'close')
  download.destroy()
  await closed
  const readUntilThen = asked.mock.callCount()
  await team.call(`GET ${files}`)
  assert.ok(readUntilThen < mebibytes / 2, String(readUntilThen))
})

proves('downloads.refused', 'an address that was changed, or whose sandbox is gone, gives nothing', async () => {
  const url = await urlOf('secret.txt', Buffer.from('secret'))
  const changed = [
    url.replace(/&signature=.*/, ''),
    `${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`,
    url.replace('secret.txt?', 'secret.html?'),
    url.replace(/expires=(\d+)/, (_, at: string) => `expires=${Number(at) + 1}`),
    url.replace('path=%2Fworkspace%2Fsecret.txt', 'path=%2Fworkspace%2Fother.txt'),
    url.replace(/[0-9a-f]{64}/, createHash('sha256').update('other').digest('hex')),
    `${baseUrl}/files/${sandbox_id}/x/y`,
    `${baseUrl}/files/${sandbox_id}/%zz/y`,
  ]
  for (const one of changed) {
    const response = await fetch(one)
    assert.equal(response.status, 403, one)
    assert.equal(((await response.json()) as { error: string }).error, 'forbidden')
  }
  assert.equal((await fetch(url, { method: 'DELETE' })).status, 405)
  await team.call(`DELETE ${files}?path=secret.txt`)
  assert.equal(await (await fetch(url)).text(), 'secret')
  await team.call(`DELETE /v2/sandboxes/${sandbox_id}`)
  assert.equal((await fetch(url)).status, 404)
})
