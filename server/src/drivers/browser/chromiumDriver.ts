// The browser of this process: one Chromium, started with the first session and ended a while after the last, or one behind a DevTools address.
import { randomBytes } from 'node:crypto'
import type { Browser, BrowserContext } from 'playwright-core'
import type { Log } from '../../base/log.ts'
import type { Guard } from '../../base/outbound/guard.ts'
import { createFilteringProxy } from '../../base/outbound/proxy.ts'
import type { BrowserDriver, BrowserSession, SessionState } from './browser.ts'
import { findChromium } from './chromiumFiles.ts'
import { accountForChromium, startChromium, type ChromiumProcess } from './chromiumProcess.ts'
import { downloadWatch } from './downloads.ts'
import { hear, nothingHeard } from './heard.ts'
import { viewport } from './pictures.ts'
import { startSession } from './session.ts'
import { within } from './within.ts'

export interface ChromiumOptions {
  guard: Guard
  log: Log
  /** Where Chromium is unpacked. */
  cacheDir: string
  /** How long it stays when nobody has a session. */
  idleMs?: number
}

interface Running {
  browser: Browser
  process: ChromiumProcess
  isSandboxed: boolean
}

export function chromiumDriver({ guard, log, cacheDir, idleMs = 60_000 }: ChromiumOptions): BrowserDriver {
  const account = accountForChromium()
  const sessions = new Set<BrowserSession>()
  let opening = 0
  let running: Promise<Running> | undefined
  let idle: NodeJS.Timeout | undefined

  /** The one that runs, or a new one; one that could not start or has ended is not kept. */
  function ensure(): Promise<Running> {
    if (running) return running
    const starting = launch()
    running = starting
    starting.then(
      ({ browser, process }) =>
        browser.once('disconnected', () => {
          if (running === starting) running = undefined
          void process.end()
        }),
      () => {
        if (running === starting) running = undefined
      },
    )
    return starting
  }

  async function launch(): Promise<Running> {
    const files = await findChromium({ cacheDir, account, log })
    try {
      return await launchWith(true)
    } catch (error) {
      if (!(error instanceof NoSandbox)) throw error
      log.warn(
        { reason: error.message },
        'Chromium runs without its own sandbox, because this system gives it no user namespaces: allow them, or use RUNYARD_CDP_URL',
      )
      return launchWith(false)
    }

    async function launchWith(isSandboxed: boolean): Promise<Running> {
      const { chromium } = await import('playwright-core')
      const process = await startChromium(files, { account, isSandboxed })
      try {
        const browser = await chromium.connectOverCDP(process.transport, {
          artifactsDir: process.downloads,
          noDefaults: true,
          timeout: 30_000,
        })
        return { browser, process, isSandboxed }
      } catch (error) {
        await process.end()
        const words = process.lastWords()
        if (isSandboxed && /No usable sandbox|sandbox_host_linux|zygote_host_impl_linux/i.test(words))
          throw new NoSandbox(words)
        throw new Error(`Chromium did not start. It said: ${words.trim() || String(error)}`, { cause: error })
      }
    }
  }

  async function open(state: SessionState | undefined): Promise<BrowserSession> {
    const { browser, process } = await ensure()
    process.hold(true)
    const heard = nothingHeard()
    const credentials = { username: 'session', password: randomBytes(24).toString('base64url') }
    const proxy = createFilteringProxy({
      guard,
      credentials,
      onRefused: ({ host, reason }) => hear(heard.refused, host, reason),
      onUnreachable: ({ host, reason }) => hear(heard.unreachable, host, reason),
    })
    const { port } = await proxy.listen({ host: '127.0.0.1', port: 0 })
    try {
      const context = await browser.newContext({
        viewport,
        serviceWorkers: 'block',
        proxy: { server: `http://127.0.0.1:${port}`, bypass: '<-loopback>', ...credentials },
        ...(state && { storageState: state.storage }),
      })
      const close = async (): Promise<void> => {
        sessions.delete(session)
        await within(5000, context.close(), undefined)
        await proxy.close()
        await rest()
      }
      const watchDownload = downloadWatch(await browser.newBrowserCDPSession(), process.downloads, () =>
        contextIdOf(context),
      )
      const parts = { browser, context, guard, heard, watchDownload, close }
      const session = await startSession(parts, state)
      sessions.add(session)
      return session
    } catch (error) {
      await proxy.close()
      throw error
    }
  }

  /** Nobody has a session: it does not keep this process alive, and ends when that stays so. */
  async function rest(): Promise<void> {
    if (sessions.size > 0 || opening > 0 || !running) return
    const { process } = await running
    process.hold(false)
    clearTimeout(idle)
    idle = setTimeout(() => void end(), idleMs).unref()
  }

  async function end(): Promise<void> {
    clearTimeout(idle)
    const ending = running
    running = undefined
    const ended = ending && (await within(60_000, ending, undefined))
    await ended?.process.end()
  }

  return {
    async strength() {
      const { browser, isSandboxed } = await ensure()
      await rest()
      const user = account ? `user ${account.uid}` : 'the user of this service'
      const walls = isSandboxed
        ? 'pages are walled off by its own sandbox'
        : 'WITHOUT its own sandbox, since this system gives it no user namespaces'
      return `Chromium ${browser.version()} as ${user}, ${walls}; every connection goes through the filtering proxy.`
    },
    async open({ signal, state }) {
      signal.throwIfAborted()
      clearTimeout(idle)
      opening += 1
      try {
        return await open(state)
      } finally {
        opening -= 1
        await rest()
      }
    },
    async close() {
      await Promise.all([...sessions].map((session) => session.close()))
      await end()
    },
  }
}

/** What the DevTools protocol calls a context; playwright keeps that to itself. */
async function contextIdOf(context: BrowserContext): Promise<string | undefined> {
  const [page] = context.pages()
  if (!page) return undefined
  const devtools = await context.newCDPSession(page)
  const { targetInfo } = await devtools.send('Target.getTargetInfo')
  await devtools.detach()
  return targetInfo.browserContextId
}

class NoSandbox extends Error {}
