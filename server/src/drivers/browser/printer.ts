// Pictures and PDFs of HTML that we have as text. Such a page is drawn without scripts and without any network.
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { BrowserGone, CannotPrint, type Printer } from './browser.ts'
import { capture } from './pictures.ts'
import { within } from './withTimeout.ts'

/** Runs the work in a browser that stays until the work is done. */
type UseBrowser = <T>(work: (browser: Browser) => Promise<T>) => Promise<T>

const htmlBytesMax = 8 * 1024 * 1024
/** How long a picture or a PDF may take once the browser runs. */
const usualPrintMaxMs = 20_000
const heightMax = 4000
const widthMax = 4000
const thumbnailWidth = 480
/** How high the first screen of a page is, per pixel of its width: the thumbnail shows this much. */
const screenRatio = 5 / 8

export function createPrinter(use: UseBrowser, printMaxMs = usualPrintMaxMs): Printer {
  return {
    async picture(html, { width, height, theme, signal }) {
      if (width < 1 || width > widthMax) throw new RangeError(`a picture cannot be ${width} pixels wide`)
      const viewport = {
        width: Math.round(width),
        height: Math.min(height ?? Math.round(width * screenRatio), heightMax),
      }
      return drawn(use, { html, signal, printMaxMs, viewport, colorScheme: theme }, (page) =>
        picturesOf(page, viewport, height === undefined),
      )
    },
    pdf: (html, { title, at = new Date(), signal }) =>
      drawn(use, { html, signal, printMaxMs, viewport: { width: 1280, height: 800 }, colorScheme: 'light' }, (page) =>
        page.pdf({ ...pdfLayout, headerTemplate: headerOf(title, at), footerTemplate: footer }),
      ),
  }
}

interface Drawing {
  html: string
  signal: AbortSignal
  printMaxMs: number
  viewport: { width: number; height: number }
  colorScheme: 'light' | 'dark'
}

async function drawn<T>(use: UseBrowser, drawing: Drawing, print: (page: Page) => Promise<T>): Promise<T> {
  const { html, signal } = drawing
  signal.throwIfAborted()
  if (Buffer.byteLength(html) > htmlBytesMax) throw new CannotPrint('The page is larger than 8 MiB. Show less on it.')
  let hasBegun = false
  try {
    return await unlessEnded(signal, () =>
      use((browser) => {
        hasBegun = true
        return drawIn(browser, drawing, print)
      }),
    )
  } catch (error) {
    signal.throwIfAborted()
    // without a browser, the error says in a sentence what is missing
    if (!hasBegun && error instanceof Error) throw new CannotPrint(error.message, { cause: error })
    throw error
  }
}

/** Each page has a context of its own, which ends with it: nothing of one page is there for the next. */
async function drawIn<T>(browser: Browser, drawing: Drawing, print: (page: Page) => Promise<T>): Promise<T> {
  const { html, printMaxMs } = drawing
  const timeUp = AbortSignal.timeout(printMaxMs)
  const ended = AbortSignal.any([drawing.signal, timeUp])
  let hasCrashed = false
  try {
    return await unlessEnded(ended, async () => {
      await using held = await openContext(browser, drawing)
      ended.throwIfAborted()
      // this ends whatever is being waited for
      ended.addEventListener('abort', () => void held.close(), { once: true })
      const page = await held.context.newPage()
      page.once('crash', () => {
        hasCrashed = true
        void held.close()
      })
      await page.setContent(html, { waitUntil: 'load' })
      return await print(page)
    })
  } catch (error) {
    if (timeUp.aborted) throw new CannotPrint(`The page was not drawn within ${printMaxMs / 1000} seconds.`)
    if (!hasCrashed && browser.isConnected()) throw error
    throw new BrowserGone('The browser ended unexpectedly while it drew the page. Try again.', { cause: error })
  }
}

/** The work continues in the background until it notices the end; nobody waits for it any more. */
async function unlessEnded<T>(ended: AbortSignal, work: () => Promise<T>): Promise<T> {
  const { promise: end, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(ended.reason as Error)
  ended.addEventListener('abort', stop, { once: true })
  const working = work()
  // a failure after the end is part of the end
  working.catch(() => undefined)
  try {
    return await Promise.race([working, end])
  } finally {
    ended.removeEventListener('abort', stop)
  }
}

/**
 * Nothing leaves such a context: scripts are off, every request is refused, the context is offline, and what is not a request (a connection
 * that is opened in advance) goes to a proxy that does not exist.
 */
async function openContext(browser: Browser, { viewport, colorScheme }: Drawing) {
  const context: BrowserContext = await browser.newContext({
    viewport,
    colorScheme,
    javaScriptEnabled: false,
    offline: true,
    serviceWorkers: 'block',
    acceptDownloads: false,
    proxy: { server: 'http://127.0.0.1:9', bypass: '<-loopback>' },
  })
  const close = (): Promise<void> => within(5000, context.close(), undefined)
  // a navigation that is aborted leaves the page as it is, where one that fails would show an error page
  await context.route(
    () => true,
    (route) => within(5000, route.abort('aborted'), undefined),
  )
  return { context, close, [Symbol.asyncDispose]: close }
}

async function picturesOf(page: Page, viewport: { width: number; height: number }, isWhole: boolean) {
  const devtools = await page.context().newCDPSession(page)
  const { cssContentSize } = await devtools.send('Page.getLayoutMetrics')
  const { width } = viewport
  const height = isWhole ? Math.min(Math.max(Math.ceil(cssContentSize.height), 1), heightMax) : viewport.height
  const top = { x: 0, y: 0, width }
  const scale = Math.min(1, thumbnailWidth / width)
  const picture = await capture(devtools, { ...top, height, scale: 1 }, 85, true)
  const thumbnailHeight = Math.min(viewport.height, Math.round(width * screenRatio))
  const thumbnail = await capture(devtools, { ...top, height: thumbnailHeight, scale }, 80, true)
  return { picture, thumbnail }
}

const pdfLayout = {
  format: 'A4',
  margin: { top: '20mm', bottom: '18mm', left: '14mm', right: '14mm' },
  printBackground: true,
  displayHeaderFooter: true,
  tagged: true,
  outline: true,
}

/** Chromium draws header and footer with styles of their own; without a size they would be invisible. */
const lineStyle =
  'width: 100%; margin: 0 14mm; display: flex; gap: 6mm; justify-content: space-between; font: 8px sans-serif; color: #555'

const titleStyle = 'overflow: hidden; white-space: nowrap; text-overflow: ellipsis'

function headerOf(title: string, at: Date): string {
  const time = `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return `<div style="${lineStyle}"><span style="${titleStyle}">${escaped(title.slice(0, 300))}</span><span style="flex: none">${time}</span></div>`
}

/** Chromium fills in the numbers. */
const footer = `<div style="${lineStyle}; justify-content: flex-end"><span><span class="pageNumber"></span> / <span class="totalPages"></span></span></div>`

const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)
