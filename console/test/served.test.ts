// The built console as a service of its own process serves it, and as a browser loads it.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { proves } from '../../server/test/kit/proves.ts'
import { axe } from './kit/axe.ts'
import { needsConsole, stage } from './kit/stage.ts'
import { watchPage } from './kit/watchPage.ts'

const story = stage()
const ofBrowsers = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

/** Sends the path as it stands: fetch would resolve its dots. */
const statusOf = (baseUrl: string, path: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl)
    request({ hostname, port, path, headers: { accept: ofBrowsers } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })

proves(
  ['console.served', 'console.assets'],
  'the page comes with its headers, and what it names is compressed and stored for ever',
  needsConsole,
  story(async ({ service: { baseUrl } }) => {
    const page = await fetch(baseUrl)
    assert.equal(page.headers.get('cache-control'), 'no-cache')
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    )
    const html = await page.text()
    const named = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
    assert.ok(named.some((path) => path.endsWith('.js')) && named.some((path) => path.endsWith('.css')), html)
    assert.doesNotMatch(html, /<style|<script(?![^>]* src=)|https?:/)
    for (const path of named) {
      for (const encoding of ['br', 'gzip']) {
        const asset = await fetch(`${baseUrl}${path}`, { headers: { 'accept-encoding': encoding } })
        assert.equal(asset.status, 200, path)
        const { byteLength } = await asset.arrayBuffer()
        assert.equal(asset.headers.get('content-encoding'), byteLength < 1024 ? null : encoding, path)
        assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable')
        assert.match(asset.headers.get('content-type') ?? '', path.endsWith('.js') ? /^text\/javascript/ : /^text\/css/)
      }
    }
    assert.match(await (await fetch(`${baseUrl}/licenses.txt`)).text(), /^react \d/m)
  }),
)

proves(
  'console.paths',
  'an unknown path gets the page in a browser, JSON elsewhere, and no file outside of the console',
  needsConsole,
  story(async ({ service: { baseUrl } }) => {
    const shown = await fetch(`${baseUrl}/no/such/screen`, { headers: { accept: ofBrowsers } })
    assert.deepEqual([shown.status, shown.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
    const refused = await fetch(`${baseUrl}/no/such/screen`)
    assert.deepEqual([refused.status, ((await refused.json()) as { error: string }).error], [404, 'not_found'])
    for (const path of [
      '/assets/../build.json',
      '/assets/%2e%2e/files.json',
      '/assets/..%2ffiles.json',
      '/assets//etc/passwd',
    ])
      assert.equal(await statusOf(baseUrl, path), 404, path)
  }),
)

proves(
  ['console.served', 'signIn.open'],
  'a sign-in link opens the console, which loads within its own policy',
  needsConsole,
  (t) =>
    story(async ({ page }) => {
      await page.getByRole('main').waitFor()
      assert.equal(new URL(page.url()).hash, '')
      const loaded = await page.evaluate<{ name: string; encodedBodySize: number }[]>(
        `performance.getEntriesByType('resource').map(({ name, encodedBodySize }) => ({ name, encodedBodySize }))`,
      )
      const scripts = loaded.filter(({ name }) => /\/assets\/.*\.js$/.test(name))
      assert.ok(scripts.length > 0)
      const bytes = scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
      t.diagnostic(`first load: ${Math.ceil(bytes / 1024)} KiB of compressed JavaScript in ${scripts.length} files`)
    })(t),
)

proves(
  'console.served',
  'what the policy forbids does not run, and a story with it would fail',
  needsConsole,
  story(async ({ page, service, mayLog }) => {
    mayLog(/./)
    const watch = watchPage(page, service.baseUrl)
    const last = page.waitForEvent('console', (message) => message.text() === 'after the rest')
    await page.evaluate(`
      const script = document.createElement('script')
      script.textContent = 'window.broken = true'
      document.head.append(script)
      const style = document.createElement('style')
      style.textContent = 'body { display: none }'
      document.head.append(style)
      void fetch('http://127.0.0.1:9/elsewhere').catch(() => console.error('after the rest'))
    `)
    await last
    assert.equal(await page.evaluate('window.broken'), undefined)
    assert.notEqual(await page.evaluate('getComputedStyle(document.body).display'), 'none')
    const said = watch.problems().join('\\n')
    assert.match(said, /script-src/)
    assert.match(said, /style-src/)
    assert.match(said, /connect-src/)
  }),
)

proves(
  'console.served',
  'axe reports what hinders people',
  needsConsole,
  story(async ({ page }) => {
    await page.getByRole('main').waitFor()
    assert.doesNotMatch((await axe(page)).join(), /button-name/)
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<button></button>')`)
    assert.match((await axe(page)).join(), /critical button-name/)
  }),
)
