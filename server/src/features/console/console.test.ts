// How the console is served: its headers, its assets, and which paths it gets.
import assert from 'node:assert/strict'
import { rename, rm } from 'node:fs/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { proves } from '../../../test/kit/proves.ts'
import { smallConsole, smallIndex, smallScript } from '../../../test/kit/smallConsole.ts'
import { testApp } from '../../../test/kit/testApp.ts'

const { app, context } = await testApp({ config: { consoleDir: await smallConsole() } })
const bare = await testApp()

const ofBrowsers = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
type Method = 'GET' | 'HEAD' | 'POST'
const ask = (url: string, headers: Record<string, string> = {}, method: Method = 'GET') =>
  app.inject({ method, url, headers })

proves('console.served', 'the console is at /, with headers that let nothing else into it', async () => {
  const { statusCode, headers, body } = await ask('/')
  assert.equal(statusCode, 200)
  assert.equal(body, smallIndex)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(headers['cache-control'], 'no-cache')
  const { origin } = new URL(context.baseUrl())
  assert.equal(
    headers['content-security-policy'],
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: ${origin}; connect-src 'self'; font-src 'self'; ` +
      `frame-src 'self' blob: ${origin}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  )
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['referrer-policy'], 'no-referrer')
  assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
  assert.match(String(headers['permissions-policy']), /\bcamera=\(\).*\bgeolocation=\(\)/)
  const again = await ask('/', { 'if-none-match': String(headers['etag']) })
  assert.deepEqual([again.statusCode, again.body], [304, ''])
  assert.equal(again.headers['content-security-policy'], headers['content-security-policy'])
})

proves(
  'console.assets',
  'an asset is stored by browsers for ever and comes compressed to whoever can read that',
  async () => {
    const plain = await ask('/assets/small-abc.js')
    assert.deepEqual([plain.statusCode, plain.body], [200, smallScript])
    assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8')
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(plain.headers['vary'], 'accept-encoding')
    assert.equal(plain.headers['content-encoding'], undefined)
    const brotli = await ask('/assets/small-abc.js', { 'accept-encoding': 'gzip, deflate, br, zstd' })
    assert.equal(brotli.headers['content-encoding'], 'br')
    assert.equal(brotliDecompressSync(brotli.rawPayload).toString(), smallScript)
    const gzip = await ask('/assets/small-abc.js', { 'accept-encoding': 'gzip' })
    assert.equal(gzip.headers['content-encoding'], 'gzip')
    assert.equal(gunzipSync(gzip.rawPayload).toString(), smallScript)
    assert.equal(Number(gzip.headers['content-length']), gzip.rawPayload.length)
    const icon = await ask('/icon.svg', { accept: 'image/*' })
    assert.deepEqual([icon.headers['content-type'], icon.headers['cache-control']], ['image/svg+xml', 'no-cache'])
  },
)

proves('console.assets', 'HEAD gives the headers of GET without the body', async () => {
  for (const url of ['/', '/runs', '/icon.svg', '/assets/small-abc.js']) {
    const headers = { accept: ofBrowsers, 'accept-encoding': 'br' }
    const [got, asked] = [await ask(url, headers), await ask(url, headers, 'HEAD')]
    assert.deepEqual([asked.statusCode, asked.body], [200, ''], url)
    for (const name of ['etag', 'content-type', 'content-length', 'cache-control', 'content-encoding'])
      assert.equal(asked.headers[name], got.headers[name], `${url} ${name}`)
  }
  const posted = await ask('/', {}, 'POST')
  assert.deepEqual([posted.statusCode, posted.headers['allow']], [405, 'GET, HEAD'])
})

proves('console.paths', 'a path that nothing serves gets the console in a browser and JSON elsewhere', async () => {
  for (const url of [
    '/runs',
    '/runs/01890000-0000-7000-8000-000000000000?step=3',
    '/artifacts/x',
    '/index.html',
    '/a.b',
  ]) {
    const shown = await ask(url, { accept: ofBrowsers })
    assert.deepEqual([shown.statusCode, shown.body], [200, smallIndex], url)
    assert.equal(shown.headers['vary'], 'accept, accept-encoding')
    assert.ok(shown.headers['content-security-policy'])
    for (const accept of ['application/json', '*/*', 'text/html;q=0', '']) {
      const { statusCode, headers, body } = await ask(url, { accept })
      assert.equal(statusCode, 404, `${url} ${accept}`)
      assert.match(String(headers['content-type']), /^application\/json/)
      assert.equal((JSON.parse(body) as { error: string }).error, 'not_found')
    }
  }
  const posted = await ask('/runs', { accept: ofBrowsers }, 'POST')
  assert.equal(posted.statusCode, 404)
})

proves(
  'console.paths',
  'what is mistyped below a path of the service stays a 404 in JSON, also in a browser',
  async () => {
    for (const url of [
      '/v2/nothing',
      '/v2',
      '/auth/nothing',
      '/oauth/nothing',
      '/.well-known/nothing',
      '/mcp',
      '/docs/nothing',
      '/files/nothing',
      '/images/a/b/c',
      '/assets/nothing.js',
      '/assets/',
      '/assets/..%2f..%2fbuild.json',
      '/assets/small-abc.js.br',
    ]) {
      const { statusCode, headers } = await ask(url, { accept: ofBrowsers })
      assert.equal(statusCode, 404, url)
      assert.match(String(headers['content-type']), /^application\/json/, url)
    }
  },
)

proves(
  'console.stays',
  'a process serves the console that it began with, whatever is built while it runs',
  async () => {
    const folder = await smallConsole()
    const service = await testApp({ config: { consoleDir: folder } })
    const get = (url: string) => service.app.inject({ method: 'GET', url })
    assert.equal((await get('/')).statusCode, 200)
    await rm(`${folder}/one`, { recursive: true })
    assert.equal((await get('/assets/small-abc.js')).body, smallScript)
    assert.equal((await get('/')).body, smallIndex)
  },
)

proves('console.notBuilt', 'where the console is not built, / says how to get it, until it is there', async () => {
  const folder = await smallConsole()
  await rename(`${folder}/build.json`, `${folder}/later.json`)
  const service = await testApp({ config: { consoleDir: folder } })
  for (const url of ['/', '/runs']) {
    const { statusCode, headers, body } = await service.app.inject({
      method: 'GET',
      url,
      headers: { accept: ofBrowsers },
    })
    assert.deepEqual([statusCode, headers['content-type']], [503, 'text/html; charset=utf-8'])
    assert.match(body, /npm start<\/code> builds the console/)
    assert.match(String(headers['content-security-policy']), /default-src 'none'/)
  }
  await rename(`${folder}/later.json`, `${folder}/build.json`)
  assert.equal((await service.app.inject({ method: 'GET', url: '/' })).body, smallIndex)
  assert.equal((await bare.app.inject({ method: 'GET', url: '/assets/small-abc.js' })).statusCode, 404)
})
