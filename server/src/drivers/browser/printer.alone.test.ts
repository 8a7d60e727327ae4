// Pictures and PDFs of pages: what they show, what they reach, and what happens when the browser dies or a page is too much.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createListener, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { inflateSync } from 'node:zlib'
import { needsBrowser } from '../../../test/kit/browser.ts'
import { chromiumProcess } from '../../../test/kit/chromiumProcess.ts'
import { isLongForm } from '../../../test/kit/longForm.ts'
import { proves } from '../../../test/kit/proves.ts'
import { createLog } from '../../base/log.ts'
import { createGuard } from '../../base/outbound/guard.ts'
import { readPage } from '../../base/page/readPage.ts'
import { renderPage } from '../../base/page/renderPage.ts'
import { StepBudget } from '../../base/stepBudget.ts'
import { BrowserGone, CannotPrint, type Picture } from './browser.ts'
import { chromiumDriver } from './chromiumDriver.ts'
import { createPrinter } from './printer.ts'

let connections = 0
const elsewhere = createListener((socket) => {
  connections += 1
  socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
}).listen(0, '127.0.0.1')
await once(elsewhere, 'listening')
const port = (elsewhere.address() as AddressInfo).port

/** Everything that a page can ask for, of one host. */
const wishes = (host: string): string => {
  const url = `http://${host}:${port}`
  return `<link rel=stylesheet href="${url}/style"><link rel=preconnect href="${url}"><link rel=dns-prefetch href="${url}">
    <link rel=prefetch href="${url}/prefetch"><link rel=preload as=image href="${url}/preload"><link rel=icon href="${url}/icon">
    <style>@import "${url}/import"; @font-face { font-family: far; src: url(${url}/font) }
      body { font-family: far; background: url(${url}/background) } p { cursor: url(${url}/cursor), auto }</style>
    <script src="${url}/script"></script><script>fetch('${url}/fetch')</script>
    <p>Text</p><img src="${url}/image"><iframe src="${url}/frame"></iframe><object data="${url}/object"></object>
    <iframe srcdoc="<img src='${url}/inner'>"></iframe><embed src="${url}/embed"><video src="${url}/video" autoplay></video>
    <svg><image href="${url}/svg" width=9 height=9 /><use href="${url}/use#a" /></svg>`
}
const hosts = ['127.0.0.1', 'localhost', 'site.example']
const greedy = `<!doctype html><title>Greedy</title>${hosts.map(wishes).join('')}`

const site = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end(wishes('site.example'))
}).listen(0, '127.0.0.1')
await once(site, 'listening')

const guard = createGuard({ allowPrivateHosts: ['site.example'], resolve: () => Promise.resolve(['127.0.0.1']) })
const log = createLog('silent', { write: () => undefined })
const cacheDir = join(process.cwd(), '.runyard/browser')
const driver = chromiumDriver({ guard, log, cacheDir })
const { printer } = driver
const { signal } = new AbortController()

after(async () => {
  await driver.close()
  for (const server of [site, elsewhere]) server.close()
  site.closeAllConnections()
})

const themed = `<!doctype html><style>body { background: white; margin: 0 } @media (prefers-color-scheme: dark) { body { background: black } }</style>`

/** Its size as the JPEG itself says: the frame header follows marker FFC0 or FFC2. */
function sizeOf({ bytes }: Picture): { width: number; height: number } {
  for (let at = 2; at < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at)
    if (marker === 0xffc0 || marker === 0xffc2)
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
  }
  throw new Error('this is not a JPEG')
}

/** Chromium writes page objects uncompressed. */
const pagesIn = (pdf: Buffer): number => pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0

/** The content of each page, as its drawing commands. */
function textsIn(pdf: Buffer): string[] {
  const streams = [...pdf.toString('latin1').matchAll(/FlateDecode[^>]*>>\s*stream\r?\n(.*?)\r?\nendstream/gs)]
  const contents = streams.map(([, bytes]) => inflateSync(Buffer.from(bytes!, 'latin1')).toString('latin1'))
  return contents.filter((content) => / Tf\b/.test(content))
}

describe('the printer', needsBrowser, () => {
  proves('browser.print', 'draws a page in light and in dark, with a small picture of its top', async () => {
    const wanted = { width: 1200, height: 700, signal }
    const light = await printer.picture(themed, { ...wanted, theme: 'light' })
    const dark = await printer.picture(themed, { ...wanted, theme: 'dark' })
    assert.ok(!light.picture.bytes.equals(dark.picture.bytes))
    assert.ok(!light.thumbnail.bytes.equals(dark.thumbnail.bytes))
    assert.deepEqual(sizeOf(light.picture), { width: 1200, height: 700 })
    assert.deepEqual(sizeOf(light.thumbnail), { width: 480, height: 280 })
    assert.deepEqual({ width: light.thumbnail.width, height: light.thumbnail.height }, sizeOf(light.thumbnail))
  })

  proves('browser.print', 'draws the whole page up to 4,000 pixels when no height is given', async () => {
    const wanted = { width: 400, theme: 'light', signal } as const
    const short = await printer.picture(`${themed}<div style="height: 1234px">`, wanted)
    assert.deepEqual(sizeOf(short.picture), { width: 400, height: 1234 })
    assert.deepEqual(sizeOf(short.thumbnail), { width: 400, height: 250 })
    const long = await printer.picture(`${themed}<div style="height: 99999px">`, wanted)
    assert.deepEqual(sizeOf(long.picture), { width: 400, height: 4000 })
  })

  proves('browser.print', 'makes a PDF of ten pages', async (t) => {
    const page = `<section style="break-after: page"><h1>A page</h1>${'<p>Some text of this page.</p>'.repeat(20)}</section>`
    const html = `<!doctype html><title>Ten pages</title>${page.repeat(9)}<section><h1>The last page</h1></section>`
    const startedAt = performance.now()
    const pdf = await printer.pdf(html, { title: 'Ten <pages> & more', at: new Date('2026-01-02T03:04:05Z'), signal })
    t.diagnostic(`a PDF of ten pages took ${Math.round(performance.now() - startedAt)} ms, ${pdf.length} bytes`)
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-')
    assert.equal(pagesIn(pdf), 10)
  })

  proves('artifacts.export', 'a table has the names of its columns on every page of a PDF', async () => {
    const rows = Array.from({ length: 60 }, (_, index) => ({ name: `Agent ${index}`, runs: index }))
    const { page } = readPage('<data-table rows="{{ data.rows }}"></data-table>')
    const shown = { data: { rows }, title: 'Long', at: new Date(), budget: new StepBudget(1_000_000) }
    const pdf = await printer.pdf(renderPage(page, shown).html, { title: 'Long', signal })
    const drawn = textsIn(pdf)
    assert.ok(drawn.length > 1)
    // nothing else of a table has this color
    for (const text of drawn) assert.match(text, /\.3647 \.4 \.4706 rg/)
  })

  proves('browser.printsOffline', 'reaches nothing, whatever a page asks for', async () => {
    await printer.picture(greedy, { width: 800, theme: 'light', signal })
    await printer.pdf(wishes('127.0.0.1'), { title: greedy, signal })
    const pictureOf = async (head: string): Promise<Buffer> => {
      const { picture } = await printer.picture(`${themed}${head}<p>Stays`, { width: 300, theme: 'light', signal })
      return picture.bytes
    }
    const still = await pictureOf('')
    for (const host of isLongForm ? hosts : ['127.0.0.1']) {
      const moved = await pictureOf(`<meta http-equiv=refresh content="0;url=http://${host}:${port}/">`)
      assert.ok(moved.equals(still), `the page does not lead to ${host}`)
    }
    assert.equal(connections, 0)
    const session = await driver.open({ signal })
    await session.act({ kind: 'open', url: `http://site.example:${(site.address() as AddressInfo).port}/` }, signal)
    await session.close()
    assert.ok(connections > 5, `a part of the page in a session made ${connections} connections`)
  })

  proves(
    'browser.print',
    'refuses what is too large or takes too long, and stops when its signal is aborted',
    async () => {
      const wanted = { title: 'x', signal }
      await assert.rejects(printer.pdf('x'.repeat(8 * 1024 * 1024 + 1), wanted), (error) => {
        return error instanceof CannotPrint && error.message.includes('larger than 8 MiB')
      })
      const hasty = chromiumDriver({ guard, log, cacheDir, printMaxMs: 1 })
      await assert.rejects(hasty.printer.pdf('<p>x', wanted), (error) => {
        return error instanceof CannotPrint && error.message.includes('not drawn within')
      })
      await hasty.close()
      const reason = new Error('nobody wants it any more')
      const stopping = new AbortController()
      const begun = printer.pdf('<p>x', { title: 'x', signal: stopping.signal })
      stopping.abort(reason)
      await assert.rejects(begun, reason)
      await assert.rejects(printer.pdf('<p>x', { title: 'x', signal: stopping.signal }), reason)
    },
  )

  const looksIntoProc = { skip: process.platform !== 'linux' && 'looks into /proc' }
  proves(
    'browser.print',
    'says that the browser died, and draws the next page in a new one',
    looksIntoProc,
    async () => {
      // it runs, and is the only one of this process
      await driver.strength()
      const begun = printer.pdf('<p>x', { title: 'x', signal })
      process.kill(chromiumProcess()!.pid, 'SIGKILL')
      await assert.rejects(begun, BrowserGone)
      assert.equal(pagesIn(await printer.pdf('<p>x', { title: 'x', signal })), 1)
    },
  )
})

proves('browser.print', 'without a browser the error says in a sentence what is missing', async () => {
  const none = createPrinter(() => Promise.reject(new Error('There is no Chromium.')))
  await assert.rejects(none.pdf('<p>x', { title: 'x', signal }), (error) => {
    return error instanceof CannotPrint && error.message === 'There is no Chromium.'
  })
})
