// The browser against pages that mean harm, and the ordinary things that pages do: dialogs, popups, downloads, a death.
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createListener, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { needsBrowser } from '../../../test/kit/browser.ts'
import { chromiumProcess, rendererPids } from '../../../test/kit/chromiumProcess.ts'
import { isLongForm } from '../../../test/kit/longForm.ts'
import { createLog } from '../../base/log.ts'
import { createGuard } from '../../base/outbound/guard.ts'
import { BrowserGone, type Acted, type Action, type BrowserSession } from './browser.ts'
import { chromiumDriver } from './chromiumDriver.ts'
import { isInPackage } from './chromiumFiles.ts'
import { plainName } from './downloads.ts'
import { proves, provesTogether } from '../../../test/kit/proves.ts'

let connections = 0
let packets = 0
const secret = createListener((socket) => {
  connections += 1
  socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret')
}).listen(0, '127.0.0.1')
await once(secret, 'listening')
const { port: secretPort } = secret.address() as AddressInfo
const datagrams = createSocket('udp4', () => (packets += 1)).bind(secretPort, '127.0.0.1')
await once(datagrams, 'listening')

/** Where a page must not get, however it tries. */
const targets = [
  `http://127.0.0.1:${secretPort}/`,
  `http://localhost:${secretPort}/`,
  `http://inside.example:${secretPort}/`,
  `https://127.0.0.1:${secretPort}/`,
  'http://169.254.169.254/latest/meta-data/',
  'file:///etc/passwd',
]

/** The ways of a whole page to another address. */
const ways: Record<string, (target: string, response: ServerResponse) => void> = {
  redirect: (target, response) => response.writeHead(302, { location: target }).end(),
  refresh: (target, response) => response.end(`<meta http-equiv=refresh content="0;url=${target}">`),
  script: (target, response) => response.end(`<script>location = ${JSON.stringify(target)}</script>`),
  popup: (target, response) => response.end(`<script>window.open(${JSON.stringify(target)})</script>`),
  form: (target, response) =>
    response.end(`<form method=post action="${target}"></form><script>document.forms[0].submit()</script>`),
}

/** The short form tries each way on one or two of the targets. */
const waysFor = (place: number): string[] =>
  Object.keys(ways).filter((_, index, { length }) => isLongForm || index === place % length)

/** The ways of what a page loads, all at once. */
const loads = (target: string): string => `
  <iframe src="${target}"></iframe><img src="${target}"><link rel=stylesheet href="${target}"><link rel=prefetch href="${target}">
  <link rel=preconnect href="${target}"><link rel=dns-prefetch href="${target}"><object data="${target}"></object><video src="${target}"></video>
  <script>{
    const target = ${JSON.stringify(target)}
    const attempt = (load) => { try { load()?.catch?.(() => {}) } catch {} }
    attempt(() => fetch(target, { mode: 'no-cors' }))
    attempt(() => new WebSocket(target.replace(/^\\w+/, 'ws')))
    attempt(() => new EventSource(target))
    attempt(() => navigator.sendBeacon(target, 'x'))
    attempt(() => new Worker(URL.createObjectURL(new Blob(['fetch(' + JSON.stringify(target) + ')']))))
    attempt(() => {
      const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${secretPort}' }] })
      peer.createDataChannel('x')
      return peer.createOffer().then((offer) => peer.setLocalDescription(offer))
    })
  }</script>`

const pages: Record<string, string> = {
  '/': '<title>Home</title><h1>Home</h1>',
  '/words': `<title>Words</title><label>Name <input></label><input placeholder="City"><button>Save</button><a href=#a>Save</a><button>Save all</button>
    <label>Color <select><option>Red<option value=g>Green</select></label><p>Total: 12</p>`,
  '/dialogs': `<title>Dialogs</title><button onclick="document.title = String(confirm('Really?'))">Ask</button>`,
  '/popups': `<title>Popups</title><button onclick="for (let n = 0; n < 10; n++) window.open('/?' + n)">Open</button>`,
  '/long': `<title>Long</title>${`<p>${'All work and no play makes a long page. '.repeat(25)}</p>`.repeat(100)}`,
  '/large': '<title>Large</title><a href=/large.zip download>Large</a><a href=/small.txt download>Small</a>',
}

/** Sends for as long as somebody reads. */
function sendWithoutEnd(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment' })
  const piece = Buffer.alloc(256 * 1024)
  const send = (): void => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once('drain', send)
  }
  send()
}

function serve({ url = '' }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('content-type', 'text/html')
  const [path = '', query = ''] = url.split('?')
  const target = decodeURIComponent(query)
  const way = ways[path.slice(1)]
  if (way) way(target, response)
  else if (path === '/loads') response.end(`<h1>Loads</h1>${target.split(' ').map(loads).join('')}`)
  else if (path === '/large.zip') sendWithoutEnd(response)
  else if (path === '/attached.txt') response.writeHead(200, { 'content-disposition': 'attachment' }).end('attached')
  else if (path === '/small.txt') response.writeHead(200, { 'content-type': 'text/plain' }).end('small')
  else response.writeHead(path in pages ? 200 : 404).end(pages[path])
}

const site = createServer(serve).listen(0, '127.0.0.1')
await once(site, 'listening')
const base = `http://site.example:${(site.address() as AddressInfo).port}`

const notFound = Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
const guard = createGuard({
  // the name alone is permitted: the address behind it, by any other name, is not
  allowPrivateHosts: ['site.example'],
  resolve: (host) =>
    /^(site|inside)\.example$/.test(host) ? Promise.resolve(['127.0.0.1']) : Promise.reject(notFound),
})
const log = createLog('silent', { write: () => undefined })
const cacheDir = join(process.cwd(), '.runyard/browser')
const driver = chromiumDriver({ guard, log, cacheDir })
const { signal } = new AbortController()

after(async () => {
  await driver.close()
  for (const server of [site, secret]) server.close()
  datagrams.close()
  site.closeAllConnections()
})

async function withSession<T>(
  work: (act: (action: Action) => Promise<Acted>, session: BrowserSession) => Promise<T>,
): Promise<T> {
  const session = await driver.open({ signal })
  try {
    return await work((action) => session.act(action, signal), session)
  } finally {
    await session.close()
  }
}

const wayTo = (way: string, target: string): string => `${base}/${way}?${encodeURIComponent(target)}`
const toldOf = ({ error, refusals }: Acted): string => [error, ...refusals].join('\n')

/** The sentence that reports an attempt to get to the target. */
const reportOf = (target: string): RegExp =>
  target.startsWith('file:')
    ? /only http and https URLs/
    : new RegExp(`"${new URL(target).hostname.replaceAll('.', '\\.')}".*Only public addresses can be called`)

/** On a slow machine a page acts after it is shown, or before: the looks that follow report what it tried, and what it shows. */
async function openUntilTold(
  act: (action: Action) => Promise<Acted>,
  way: string,
  aims: string[],
  shown = /^/,
): Promise<{ told: string; text: string }> {
  let acted = await act({ kind: 'open', url: wayTo(way, aims.join(' ')) })
  let told = toldOf(acted)
  const isTold = (): boolean => aims.every((aim) => reportOf(aim).test(told))
  for (let looks = 0; looks < 20 && !(isTold() && shown.test(acted.text)); looks += 1) {
    acted = await act({ kind: 'read' })
    told = `${told}\n${toldOf(acted)}`
  }
  return { told, text: acted.text }
}

provesTogether(
  'browser.guard',
  'a page that wants to get where it must not',
  { ...needsBrowser, concurrency: true },
  () => {
    test('gets there in no way, and every attempt is reported', async () => {
      await withSession(async (act) => {
        for (const [place, target] of targets.entries()) {
          for (const way of waysFor(place)) {
            const { told, text } = await openUntilTold(act, way, [target])
            assert.match(told, reportOf(target), way)
            assert.doesNotMatch(text, /secret|root:/, way)
          }
          const direct = await act({ kind: 'open', url: target })
          assert.match(direct.error!, /"[\w.]+" (is|resolves to) .+|only http and https URLs/)
        }
      })
      assert.deepEqual({ connections, packets }, { connections: 0, packets: 0 })
    })

    test('loads nothing from there, and every attempt is reported', async () => {
      await withSession(async (act) => {
        for (const aims of isLongForm ? targets.map((target) => [target]) : [targets]) {
          const { told, text } = await openUntilTold(act, 'loads', aims, /Loads/)
          assert.match(text, /Loads/)
          for (const aim of aims) assert.match(told, reportOf(aim))
        }
      })
      assert.deepEqual({ connections, packets }, { connections: 0, packets: 0 })
    })

    test('is refused schemes that are not of the network', async () => {
      await withSession(async (act) => {
        for (const url of [
          'file:///etc/passwd',
          'chrome://version',
          'data:text/html,x',
          'javascript:alert(1)',
          'view-source:http://a',
        ]) {
          const { error } = await act({ kind: 'open', url })
          assert.equal(error, 'The browser opens only http and https URLs.', url)
        }
        assert.match((await act({ kind: 'open', url: 'no url' })).error!, /not a valid URL/)
      })
    })
  },
)

proves(
  'browser.guard',
  'the same page is seen by the same listener, once the operator permits the address',
  needsBrowser,
  async () => {
    const open = chromiumDriver({ guard: createGuard({ allowPrivateHosts: ['127.0.0.1'] }), log, cacheDir })
    const session = await open.open({ signal })
    const acted = await session.act({ kind: 'open', url: targets[0]! }, signal)
    await open.close()
    assert.match(acted.text, /secret/)
    assert.ok(connections > 0)
    connections = 0
  },
)

proves(
  'browser.elements',
  'elements are found by their words or their reference, and several by one name are listed',
  needsBrowser,
  async () => {
    await withSession(async (act) => {
      await act({ kind: 'open', url: `${base}/words` })
      assert.match((await act({ kind: 'type', element: 'Name', text: 'Ann' })).text, /textbox "Name".*: Ann/)
      assert.match((await act({ kind: 'type', element: 'City', text: 'Ulm' })).text, /textbox "City".*: Ulm/)
      assert.match(
        (await act({ kind: 'select', element: 'Color', value: 'Green' })).text,
        /option "Green" \[selected\]/,
      )
      const many = await act({ kind: 'click', element: 'Save' })
      assert.match(
        many.error!,
        /^2 elements are called "Save"\. Give the reference of one of them:\n- button "Save" .*\[ref=(e\d+)\].*\n- link "Save"/,
      )
      const [, reference] = /link "Save" .*?\[ref=(\w+)\]/.exec(many.text)!
      assert.equal((await act({ kind: 'click', element: reference! })).page.url, `${base}/words#a`)
      assert.equal((await act({ kind: 'click', element: 'button "Save"' })).error, undefined)
      assert.equal((await act({ kind: 'click', element: 'Save all' })).error, undefined)
      assert.equal((await act({ kind: 'read', element: 'Total' })).text, 'Total: 12')
      assert.match((await act({ kind: 'click', element: 'e999' })).error!, /no element e999/)
      assert.match(
        (await act({ kind: 'type', element: 'Total', text: 'x' })).error!,
        /Nothing on the page is called "Total"/,
      )
    })
  },
)

proves(
  'browser.pageEvents',
  'dialogs are dismissed and reported, popups become pages up to ten, a long page is cut with a sentence',
  needsBrowser,
  async () => {
    await withSession(async (act) => {
      await act({ kind: 'open', url: `${base}/dialogs` })
      const asked = await act({ kind: 'click', element: 'Ask' })
      assert.deepEqual(
        [asked.page.title, asked.notes],
        ['false', ['A dialog (confirm) was dismissed. It said: Really?']],
      )

      await act({ kind: 'open', url: `${base}/popups` })
      // a slow machine shows them later than the click ends
      const refusal = 'A page wanted to open another one and was refused: a session has at most 10.'
      let acted = await act({ kind: 'click', element: 'Open' })
      const notes = [...acted.notes]
      const areShown = (): boolean => acted.pages.filter(({ title }) => title === 'Home').length === 9
      for (let looks = 0; looks < 30 && !(notes.includes(refusal) && areShown()); looks += 1) {
        acted = await act({ kind: 'pages' })
        notes.push(...acted.notes)
      }
      assert.deepEqual(
        acted.pages.map(({ number, title }) => [number, title]),
        [[1, 'Popups'], ...Array.from({ length: 9 }, (_, index) => [index + 2, 'Home'])],
        notes.join(' '),
      )
      const back = await act({ kind: 'switch', page: 1 })
      assert.deepEqual(
        [back.page.number, back.page.title, back.pages.filter(({ active }) => active).length],
        [1, 'Popups', 1],
      )

      const long = await act({ kind: 'open', url: `${base}/long` })
      assert.ok(Buffer.byteLength(long.text) < 50 * 1024)
      assert.match(long.text, /\(cut off: the page is longer than 48 KiB\./)
      const lower = await act({ kind: 'scroll', to: 'bottom' })
      assert.ok(lower.thumbnail!.bytes.length > 2000, 'the thumbnail shows what the picture shows, also further down')
    })
  },
)

/** On a slow machine a download begins after its action is over, or ends then: the looks that follow report it. */
async function actUntilLoaded(act: (action: Action) => Promise<Acted>, action: Action): Promise<Acted> {
  let acted = await act(action)
  while (acted.error === undefined && acted.downloads.length + acted.notes.length === 0)
    acted = await act({ kind: 'pages' })
  return acted
}

proves(
  'browser.downloads',
  'a download is handed over whole, and one without end is cut off and reported',
  needsBrowser,
  async () => {
    await withSession(async (act) => {
      await act({ kind: 'open', url: `${base}/large` })
      const small = await actUntilLoaded(act, { kind: 'click', element: 'Small' })
      assert.deepEqual(
        small.downloads.map(({ name, size, path }) => [name, size, readFileSync(path, 'utf8')]),
        [['small.txt', 5, 'small']],
      )
      const opened = await actUntilLoaded(act, { kind: 'open', url: `${base}/attached.txt` })
      assert.deepEqual(
        [opened.error, opened.downloads[0]?.name, opened.page.title],
        [undefined, 'attached.txt', 'Large'],
      )
      const large = await actUntilLoaded(act, { kind: 'click', element: 'Large' })
      assert.deepEqual([large.downloads, large.notes], [[], ['large.zip is larger than 10 MiB and was not saved.']])
    })
  },
)

proves('browser.downloads', 'a site cannot choose where a download lands', () => {
  const names = [
    '../../etc/passwd',
    'a\\b\\c.txt',
    '.bashrc',
    '...',
    '',
    'a\0b\n.csv',
    '/x',
    'ä ö.pdf',
    `${'x'.repeat(300)}.tar.gz`,
  ]
  assert.deepEqual(names.map(plainName), [
    'passwd',
    'c.txt',
    'bashrc',
    'download',
    'download',
    'a_b_.csv',
    'x',
    'ä ö.pdf',
    `${'x'.repeat(50)}.gz`,
  ])
})

describe('the process', { skip: needsBrowser.skip || (process.platform !== 'linux' && 'looks into /proc') }, () => {
  proves('browser.process', 'has none of our rights and none of our environment', async () => {
    await withSession(async (act) => {
      await act({ kind: 'open', url: `${base}/` })
      const { environ, uid } = chromiumProcess()!
      assert.notEqual(uid, '0')
      // a script around an installed Chromium needs the PATH, and sets some names of its own
      const ours = environ.filter((one) => {
        const [name, ...value] = one.split('=')
        return name !== 'PATH' && process.env[name!] === value.join('=')
      })
      assert.deepEqual(ours, [])
      const packaged = ['FONTCONFIG_FILE', 'HOME', 'LD_LIBRARY_PATH', 'TMPDIR', 'XDG_CACHE_HOME']
      const names = environ.map((one) => one.split('=')[0]!)
      if (isInPackage) assert.deepEqual(new Set(names), new Set(packaged))
      assert.ok(Object.keys(process.env).length > 1, 'there is something to leak')
      assert.match(await driver.strength(), /sandbox.*; every connection goes through the filtering proxy\.$/)
    })
  })

  proves('browser.gone', 'of a page may crash: that is reported, and the next page can be opened', async () => {
    await withSession(async (act) => {
      await act({ kind: 'open', url: `${base}/words` })
      for (const pid of rendererPids(chromiumProcess()!.pid)) process.kill(pid, 'SIGKILL')
      const acted = await act({ kind: 'click', element: 'Save all' })
      assert.match([acted.error, ...acted.notes].join(' '), /crashed/)
      assert.equal((await act({ kind: 'open', url: `${base}/` })).page.title, 'Home')
    })
  })

  proves(
    'browser.gone',
    'may die: the action says so, and the next session has a new one with the state of the old',
    async () => {
      const session = await driver.open({ signal })
      await session.act({ kind: 'open', url: `${base}/` }, signal)
      const state = await session.state()
      const { pid } = chromiumProcess()!
      process.kill(pid, 'SIGKILL')
      await assert.rejects(async () => {
        for (;;) await session.act({ kind: 'read' }, signal)
      }, BrowserGone)
      await session.close()
      const again = await driver.open({ signal, state })
      const acted = await again.act({ kind: 'read' }, signal)
      assert.deepEqual([acted.page.id, acted.page.url, acted.page.title], [state.pages[0]!.id, `${base}/`, 'Home'])
      assert.notEqual(chromiumProcess()!.pid, pid)
      await again.close()
    },
  )
})
