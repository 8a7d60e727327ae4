// Documents for everybody: they are made once, sent compressed, and not sent to callers who already have them.
import assert from 'node:assert/strict'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { testApp } from '../../test/kit/testApp.ts'
import { feature } from './feature.ts'
import { encodingFor, serveDocument } from './servedDocument.ts'
import { proves } from '../../test/kit/proves.ts'

let made = 0
const make = () => ({ text: `document ${++made} `.repeat(500) })
const counted = feature({
  name: 'counted',
  routes(app) {
    serveDocument(app, ['/counted'], { contentType: 'text/plain', make })
  },
})
const { app } = await testApp({ features: [counted] })
const get = (url: string, headers: Record<string, string> = {}) => app.inject({ method: 'GET', url, headers })

proves('docs.once', 'a document is made once, however many ask for it', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => get('/counted')))
  assert.equal(made, 1)
  assert.ok(answers.every(({ body }) => body === answers[0]!.body))
})

for (const url of [
  '/openapi.json',
  '/v2/openapi.json',
  '/llms.txt',
  '/llms-full.txt',
  '/docs/mcp',
  '/docs/js/scalar.js',
]) {
  proves('docs.once', `${url} comes compressed to whoever can read that, and as a 304 to whoever has it`, async () => {
    const plain = await get(url)
    assert.equal(plain.statusCode, 200)
    assert.equal(plain.headers['content-encoding'], undefined)
    const zipped = await get(url, { 'accept-encoding': 'gzip' })
    assert.equal(zipped.headers['content-encoding'], 'gzip')
    assert.deepEqual(gunzipSync(zipped.rawPayload), plain.rawPayload)
    const brotli = await get(url, { 'accept-encoding': 'gzip, deflate, br' })
    assert.equal(brotli.headers['content-encoding'], 'br')
    assert.deepEqual(brotliDecompressSync(brotli.rawPayload), plain.rawPayload)
    const { etag, vary } = plain.headers
    assert.equal(vary, 'accept-encoding')
    assert.equal(zipped.headers['etag'], etag)
    const again = await get(url, { 'if-none-match': `"other", ${String(etag)}` })
    assert.equal(again.statusCode, 304)
    assert.equal(again.body, '')
    assert.equal((await get(url, { 'if-none-match': '"other"' })).statusCode, 200)
  })
}

proves('docs.once', 'an encoding that a caller refuses is not sent', () => {
  const chosen = ['br;q=0, gzip', 'identity', '*', '*;q=0', 'gzip;q=0.000', 'GZIP;q=0.5', undefined].map(encodingFor)
  assert.deepEqual(chosen, ['gzip', undefined, 'br', undefined, undefined, 'gzip', undefined])
})
