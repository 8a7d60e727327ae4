// The operator's own browser, reached by its DevTools URL. Its network is not ours, so each request is checked instead of each connection.
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { OutboundRefused, type Guard } from '../../base/outbound/guard.ts'
import type { BrowserDriver, BrowserSession } from './browser.ts'
import { noteHost, note, noSessionEvents, type SessionEvents } from './sessionEvents.ts'
import { onlyHttp } from './perform.ts'
import { createPrinter } from './printer.ts'
import { viewport } from './pictures.ts'
import { startSession } from './session.ts'
import { within } from './withTimeout.ts'

interface Door {
  guard: Guard
  /** Asked after the guard, with the host as it is dialled. */
  mayReach: (host: string) => boolean
}

const anyHost = (): boolean => true

export function cdpDriver({ guard, cdpUrl }: { guard: Guard; cdpUrl: string }): BrowserDriver {
  const sessions = new Set<BrowserSession>()
  let connecting: Promise<Browser> | undefined

  function connected(): Promise<Browser> {
    if (connecting) return connecting
    const attempt = connect(cdpUrl)
    connecting = attempt
    const forget = (): void => {
      if (connecting === attempt) connecting = undefined
    }
    attempt.then((browser) => browser.once('disconnected', forget), forget)
    return attempt
  }

  return {
    async strength() {
      const browser = await connected()
      return (
        `The browser behind RUNYARD_CDP_URL (${browser.version()}): requests and redirects are judged before they are made. But it resolves ` +
        'names by itself, so that one which changes its address gets through, and so does what is not a request, such as WebRTC. Restrict its network.'
      )
    },
    async open({ signal, state, mayReach = anyHost }) {
      signal.throwIfAborted()
      const browser = await connected()
      const heard = noSessionEvents()
      const context = await browser.newContext({
        viewport,
        serviceWorkers: 'block',
        acceptDownloads: false,
        ...(state && { storageState: state.storage }),
      })
      const door: Door = { guard, mayReach }
      await guardContext(context, door, heard)
      const close = async (): Promise<void> => {
        sessions.delete(session)
        await within(5000, context.close(), undefined)
      }
      const takeDownload = (): void => note(heard, 'Files cannot be downloaded with a browser behind RUNYARD_CDP_URL.')
      const prepare = (page: Page): Promise<void> => guardRedirects(context, page, door, heard)
      const session = await startSession({ browser, context, guard, heard, takeDownload, prepare, close }, state)
      sessions.add(session)
      return session
    },
    printer: createPrinter(async (print) => print(await connected())),
    async close() {
      await Promise.all([...sessions].map((session) => session.close()))
      const browser = connecting && (await within(5000, connecting, undefined))
      connecting = undefined
      await browser?.close()
    },
  }
}

async function connect(cdpUrl: string): Promise<Browser> {
  const { chromium } = await import('playwright-core')
  try {
    return await chromium.connectOverCDP(cdpUrl, { noDefaults: true, timeout: 15_000 })
  } catch (error) {
    throw new Error('The browser at RUNYARD_CDP_URL cannot be reached. Start it, or correct the URL.', {
      cause: error,
    })
  }
}

/** playwright asks for everything but redirects, in frames and workers of all kinds; each page is asked for its redirects too. */
async function guardContext(context: BrowserContext, door: Door, heard: SessionEvents): Promise<void> {
  await context.route(
    () => true,
    async (route) => {
      const isPermitted = await permitted(route.request().url(), door, heard)
      await within(5000, isPermitted ? route.continue() : route.abort('blockedbyclient'), undefined)
    },
  )
  await context.routeWebSocket(
    () => true,
    async (socket) => {
      const url = socket.url().replace(/^ws/, 'http')
      if (await permitted(url, door, heard)) socket.connectToServer()
      else await socket.close({ code: 1008, reason: 'refused' })
    },
  )
}

async function guardRedirects(context: BrowserContext, page: Page, door: Door, heard: SessionEvents): Promise<void> {
  const devtools: CDPSession = await context.newCDPSession(page)
  devtools.on('Fetch.requestPaused', ({ requestId, request }) => {
    void permitted(request.url, door, heard).then((isPermitted) => {
      const answer = isPermitted
        ? devtools.send('Fetch.continueRequest', { requestId })
        : devtools.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
      // a page that has navigated elsewhere does not need the answer
      return within(5000, answer, undefined)
    })
  })
  await devtools.send('Fetch.enable', { patterns: [{ urlPattern: '*', requestStage: 'Request' }] })
}

/** Checked like our own connections, except that the browser dials. */
async function permitted(address: string, { guard, mayReach }: Door, heard: SessionEvents): Promise<boolean> {
  if (/^(data|blob|about):/.test(address)) return true
  const host = URL.parse(address)?.hostname ?? address.slice(0, 200)
  try {
    const { hostname } = guard.checkUrl(address)
    if (!mayReach(hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.+$/, ''))) {
      noteHost(heard.refused, host, `"${host}" is not on the list of hosts that may be reached from here.`)
      return false
    }
    await guard.vet(hostname)
    return true
  } catch (error) {
    if (!(error instanceof OutboundRefused)) noteHost(heard.unreachable, host, `${host} does not resolve.`)
    else noteHost(heard.refused, host, error.rule === 'scheme' ? onlyHttp : error.reason)
    return false
  }
}
