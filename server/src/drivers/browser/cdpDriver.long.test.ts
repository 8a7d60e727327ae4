// A browser behind a DevTools address: it works as our own does, and requests to forbidden places are stopped before they are made.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createListener, type AddressInfo } from 'node:net'
import { after } from 'node:test'
import { needsBrowser } from '../../../test/kit/browser.ts'
import { isLongForm } from '../../../test/kit/longForm.ts'
import { startOtherBrowser } from '../../../test/kit/otherBrowser.ts'
import { createGuard } from '../../base/outbound/guard.ts'
import type { Acted } from './browser.ts'
import { cdpDriver } from './cdpDriver.ts'
import { isInPackage } from './chromiumFiles.ts'
import { proves } from '../../../test/kit/proves.ts'

// a full Chromium opens connections before it knows whether it will need them; what counts is whether it sends anything
let requests = 0
let connections = 0
const secret = createListener((socket) => {
  connections += 1
  socket.once('data', () => {
    requests += 1
    socket.destroy()
  })
}).listen(0, '127.0.0.1')
await once(secret, 'listening')
const { port: secretPort } = secret.address() as AddressInfo

// in the order of the targets: what the short form loads would be seen by the listener
const ways = ['loads', 'script', 'redirect']
const targets = [`http://127.0.0.1:${secretPort}/`, `http://inside.example:${secretPort}/`, 'http://169.254.169.254/']
const site = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://site.example')
  const target = searchParams.get('to') ?? ''
  response.setHeader('content-type', 'text/html')
  if (pathname === '/redirect') response.writeHead(302, { location: target }).end()
  else if (pathname === '/script') response.end(`<script>location = ${JSON.stringify(target)}</script>`)
  else if (pathname === '/loads') {
    response.end(`<h1>Loads</h1><iframe src="${target}"></iframe><img src="/redirect?to=${encodeURIComponent(target)}"><script>
      fetch(${JSON.stringify(target)}, { mode: 'no-cors' }).catch(() => {}); new WebSocket(${JSON.stringify(target.replace('http', 'ws'))})</script>`)
  } else
    response.end(
      '<title>Home</title><h1>Home</h1><label>Name <input></label><button onclick="document.title = document.querySelector(\'input\').value">Say</button>',
    )
}).listen(0, '127.0.0.1')
await once(site, 'listening')
const base = `http://site.example:${(site.address() as AddressInfo).port}`

const other = needsBrowser.skip === false ? await startOtherBrowser() : undefined
const guard = createGuard({ allowPrivateHosts: ['site.example'], resolve: async () => ['127.0.0.1'] })
const driver = cdpDriver({ guard, cdpUrl: other?.url ?? 'http://127.0.0.1:9' })
const { signal } = new AbortController()

after(async () => {
  await driver.close()
  await other?.end()
  site.close()
  site.closeAllConnections()
  secret.close()
})

const refused = /Only public addresses can be called/
const toldOf = ({ error, refusals }: Acted): string => [error, ...refusals].join('\n')

proves('browser.cdp', 'pages are opened, typed into and pictured', needsBrowser, async () => {
  const session = await driver.open({ signal })
  await session.act({ kind: 'open', url: base }, signal)
  await session.act({ kind: 'type', element: 'Name', text: 'Ann' }, signal)
  const said = await session.act({ kind: 'click', element: 'Say' }, signal)
  assert.deepEqual([said.page.title, said.error], ['Ann', undefined])
  assert.ok(said.screenshot && said.thumbnail)
  assert.match(await driver.strength(), /names by itself/)
  await session.close()
})

proves('browser.cdp', 'pages of ours are printed', needsBrowser, async () => {
  const pdf = await driver.printer.pdf(`<p>x<img src="${base}">`, { title: 'x', signal })
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-')
  const { thumbnail } = await driver.printer.picture('<p>x', { width: 960, theme: 'dark', signal })
  assert.deepEqual([thumbnail.width, thumbnail.height], [480, 300])
})

proves(
  'browser.cdp',
  'requests, redirects and frames to forbidden hosts are stopped and reported',
  needsBrowser,
  async () => {
    const session = await driver.open({ signal })
    for (const [place, target] of targets.entries()) {
      // the short form tries each way on one of the targets
      for (const way of isLongForm ? ways : [ways[place]]) {
        let acted = await session.act({ kind: 'open', url: `${base}/${way}?to=${encodeURIComponent(target)}` }, signal)
        // on a slow machine a page acts after it is shown: one of the next looks reports what it tried
        for (let looks = 0; looks < 20 && !refused.test(toldOf(acted)); looks += 1) {
          acted = await session.act({ kind: 'read' }, signal)
        }
        assert.match(toldOf(acted), refused, `${way} ${target}`)
      }
    }
    await session.close()
    assert.equal(requests, 0)
    if (isInPackage) assert.equal(connections, 0)
  },
)

proves('browser.cdp', 'an endpoint at which nobody answers is reported with what to do', async () => {
  const nobody = cdpDriver({ guard, cdpUrl: 'http://127.0.0.1:9' })
  await assert.rejects(nobody.open({ signal }), /RUNYARD_CDP_URL cannot be reached\. Start it, or correct the URL\./)
})
