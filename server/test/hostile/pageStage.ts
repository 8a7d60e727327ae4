// A stage for hostile pages: real Chromium, a server that shows them in frames and in windows, and a listener for each of them.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createListener, type AddressInfo } from 'node:net'
import { chromium, type BrowserContext, type Frame, type Page } from 'playwright-core'
import { startOtherBrowser } from '../kit/otherBrowser.ts'
import type { Goal } from './pagePayload.ts'

/** Notes what gets through: to the listener, to the window around the page, or to the server that it came from. */
export interface Listener {
  goal: Goal
  seen: string[]
  /** Resolves when something got through. */
  first: Promise<void>
}

export interface ShownPage {
  html: string
  headers: Record<string, string>
  /** Where it is shown. Without it, in both. */
  only?: 'frame' | 'window'
}

export interface Stage {
  listen: () => Promise<Listener>
  /** Opens the URLs of another server in windows, beside the pages. */
  visit: (urls: string[], pages: ShownPage[], until: () => Promise<unknown>) => Promise<void>
  /** Shows the pages together, clicks what can be clicked, and then waits for `until`. */
  show: (pages: ShownPage[], until: () => Promise<unknown>) => Promise<void>
  close: () => Promise<void>
}

/** How long a page may take to load or to be clicked. Some pages lead elsewhere before that. */
const actMaxMs = 3000

/** The window around the pages has a cookie and a secret. It reports every message, and what a page writes into it. */
const parentOf = (paths: string[]): string => `<!doctype html><title>Around the pages</title>
  <script>
    localStorage.setItem('secret', 'secret')
    const report = (word) => fetch('/reached/' + encodeURIComponent(String(word)), { method: 'POST', keepalive: true })
    window.heard = { push: report }
    addEventListener('message', ({ data }) => report(data))
    new BroadcastChannel('all').onmessage = ({ data }) => report(data)
  </script>
  ${paths.map((path) => `<iframe src="${path}" width=300 height=200></iframe>`).join('')}`

export async function openStage(): Promise<Stage> {
  const other = await startOtherBrowser()
  const browser = await chromium.connectOverCDP(other.url)
  const documents: ShownPage[] = []
  const listeners: (Listener & { close: () => void; note: (what: string) => void })[] = []
  const serve = ({ url = '' }: IncomingMessage, response: ServerResponse): void => {
    const page = documents[Number(/^\/page\/(\d+)$/.exec(url)?.[1])]
    if (page) return void response.writeHead(200, { ...page.headers, 'set-cookie': 'session=secret' }).end(page.html)
    const asked = decodeURIComponent(url)
    for (const { goal, note } of listeners) if (asked.includes(goal.word)) note(`the window or the server: ${asked}`)
    response.writeHead(204).end()
  }
  const server = createHttp(serve).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const pathOf = (page: ShownPage): string => `/page/${documents.push(page) - 1}`
  async function showAll(urls: string[], pages: ShownPage[], until: () => Promise<unknown>): Promise<void> {
    const shown = pages.map((page) => ({ ...page, path: pathOf(page) }))
    const framed = shown.filter(({ only }) => only !== 'window')
    const around = pathOf({ html: parentOf(framed.map(({ path }) => path)), headers: { 'content-type': 'text/html' } })
    const context = await browser.newContext()
    try {
      const visited = urls.map((path) => ({ path, html: '', headers: {}, only: 'window' as const }))
      await showIn(context, `${origin}${around}`, [...visited, ...shown])
      await until()
    } finally {
      await context.close()
    }
  }
  return {
    async listen() {
      const listener = await startListener(listeners.length)
      listeners.push(listener)
      return listener
    },
    show: (pages, until) => showAll([], pages, until),
    visit: showAll,
    async close() {
      await browser.close()
      await other.end()
      for (const listener of listeners) listener.close()
      server.close()
      server.closeAllConnections()
    },
  }
}

async function showIn(
  context: BrowserContext,
  parentUrl: string,
  shown: (ShownPage & { path: string })[],
): Promise<void> {
  const parent = await context.newPage()
  await parent.goto(parentUrl, { waitUntil: 'load' }).catch(() => undefined)
  const canClick = new Map(shown.map(({ path, html }) => [path, html.includes('data-click')]))
  const isClicked = (frame: Frame): boolean => canClick.get(URL.parse(frame.url())?.pathname ?? '') ?? false
  await Promise.all(parent.frames().filter(isClicked).map(clickIn))
  const windows = shown.filter(({ only }) => only !== 'frame')
  const opened: Page[] = []
  for (const { path } of windows) {
    const opening = context.waitForEvent('page', { timeout: actMaxMs })
    // a call from here counts as a gesture of a person, which a browser wants for each window
    await parent.evaluate(`void open(${JSON.stringify(path)})`)
    opened.push(await opening)
  }
  await Promise.all(opened.map((page) => page.waitForLoadState('load', { timeout: actMaxMs }).catch(() => undefined)))
  await Promise.all(
    opened
      .flatMap((page) => page.frames())
      .filter(isClicked)
      .map(clickIn),
  )
}

/** A page that has gone elsewhere, or that covers what it asks to click, is its own loss. */
async function clickIn(frame: Frame): Promise<void> {
  const clicked = await frame.locator('[data-click]').all()
  for (const one of clicked) {
    await one.click({ timeout: actMaxMs, noWaitAfter: true, force: true }).catch(() => undefined)
  }
}

/** Listens on a port of its own for connections and, for WebRTC, for datagrams. */
async function startListener(number: number) {
  const seen: string[] = []
  const { promise: first, resolve } = Promise.withResolvers<void>()
  const note = (what: string): void => {
    seen.push(what)
    resolve()
  }
  const tcp = createListener((socket) => {
    note('a connection')
    socket.on('error', () => undefined)
    socket.once('data', (data) => {
      note(data.toString('latin1').split('\r\n')[0] ?? '')
      socket.end('HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    })
  }).listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as AddressInfo
  const udp = createSocket('udp4', () => note('a datagram')).bind(port, '127.0.0.1')
  await once(udp, 'listening')
  const host = `127.0.0.1:${port}`
  const closeBoth = (): void => {
    tcp.close()
    udp.close()
  }
  return { goal: { url: `http://${host}`, host, word: `word-${number}.` }, seen, first, note, close: closeBoth }
}
