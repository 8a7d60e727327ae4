// The browser of this process: one Chromium, started with the first session and ended a while after the last.
import { randomBytes } from 'node:crypto'
import type { BrowserContext, Download } from 'playwright-core'
import type { Log } from '../../base/log.ts'
import type { Guard } from '../../base/outbound/guard.ts'
import { createFilteringProxy } from '../../base/outbound/proxy.ts'
import type { BrowserDriver, BrowserSession, SessionWanted } from './browser.ts'
import { accountForChromium, type ChromiumProcess } from './chromiumProcess.ts'
import { downloadWatch } from './downloads.ts'
import { launchChromium, type Running } from './launchChromium.ts'
import { createPrinter } from './printer.ts'
import { noteHost, noSessionEvents } from './sessionEvents.ts'
import { viewport } from './pictures.ts'
import { startSession } from './session.ts'
import { within } from './withTimeout.ts'

interface ChromiumOptions {
  guard: Guard
  log: Log
  /** The file of an installed Chromium, to be started instead of the one in the npm package. */
  named?: string | undefined
  /** Where Chromium is unpacked. */
  cacheDir: string
  /** How long it stays when nobody has a session. */
  idleMs?: number
  /** How long a page may take to be printed. */
  printMaxMs?: number
}

/** The one Chromium of this process, and who uses it. */
interface Chromium extends ChromiumOptions {
  account: ReturnType<typeof accountForChromium>
  sessions: Set<BrowserSession>
  /** How many sessions are being opened, and pages printed. */
  users: number
  running: Promise<Running> | undefined
  idle: NodeJS.Timeout | undefined
}

const usualIdleMs = 60_000

export function chromiumDriver(options: ChromiumOptions): BrowserDriver {
  const chromium: Chromium = {
    ...options,
    account: accountForChromium(),
    sessions: new Set(),
    users: 0,
    running: undefined,
    idle: undefined,
  }
  return {
    strength: () => strengthOf(chromium),
    async open(wanted) {
      wanted.signal.throwIfAborted()
      return inUse(chromium, () => openSession(chromium, wanted))
    },
    printer: createPrinter(
      (print) =>
        inUse(chromium, async () => {
          const { browser, process } = await ensure(chromium)
          process.hold(true)
          return print(browser)
        }),
      options.printMaxMs,
    ),
    async close() {
      await Promise.all([...chromium.sessions].map((session) => session.close()))
      await end(chromium)
    },
  }
}

/** The browser does not end for want of sessions while this work uses it. */
async function inUse<T>(chromium: Chromium, work: () => Promise<T>): Promise<T> {
  clearTimeout(chromium.idle)
  chromium.users += 1
  try {
    return await work()
  } finally {
    chromium.users -= 1
    await rest(chromium)
  }
}

/** The browser that runs, or a new one; one that could not start or has ended is forgotten. */
function ensure(chromium: Chromium): Promise<Running> {
  if (chromium.running) return chromium.running
  const { named, cacheDir, account, log } = chromium
  const starting = launchChromium({ named, cacheDir, account, log })
  chromium.running = starting
  const forget = (): void => {
    if (chromium.running === starting) chromium.running = undefined
  }
  starting.then(
    ({ browser, process }) =>
      browser.once('disconnected', () => {
        forget()
        void clearAway(chromium, process)
      }),
    forget,
  )
  return starting
}

async function openSession(chromium: Chromium, { state, mayReach }: SessionWanted): Promise<BrowserSession> {
  const { guard, sessions } = chromium
  const { browser, process, devtools } = await ensure(chromium)
  process.hold(true)
  const heard = noSessionEvents()
  const credentials = { username: 'session', password: randomBytes(24).toString('base64url') }
  const proxy = createFilteringProxy({
    guard,
    ...(mayReach && { mayReach }),
    credentials,
    onRefused: ({ host, reason }) => noteHost(heard.refused, host, reason),
    onUnreachable: ({ host, reason }) => noteHost(heard.unreachable, host, reason),
  })
  let context: BrowserContext | undefined
  let session: BrowserSession | undefined
  const close = async (): Promise<void> => {
    if (session) sessions.delete(session)
    if (context) await within(5000, context.close(), undefined)
    await proxy.close()
    await rest(chromium)
  }
  try {
    const { port } = await proxy.listen({ host: '127.0.0.1', port: 0 })
    const made = (context = await browser.newContext({
      viewport,
      serviceWorkers: 'block',
      proxy: { server: `http://127.0.0.1:${port}`, bypass: '<-loopback>', ...credentials },
      ...(state && { storageState: state.storage }),
    }))
    const watch = downloadWatch(devtools, process.downloads, () => contextIdOf(made))
    const takeDownload = (download: Download): void => {
      heard.downloads.push(download)
      watch(download)
    }
    session = await startSession({ browser, context, guard, heard, takeDownload, close }, state)
    sessions.add(session)
    return session
  } catch (error) {
    await close()
    throw error
  }
}

/** Nobody has a session: the browser does not keep this process alive, and ends when that stays so. */
async function rest(chromium: Chromium): Promise<void> {
  const { sessions, users, running, idleMs = usualIdleMs } = chromium
  if (sessions.size > 0 || users > 0 || !running) return
  const resting = await within(60_000, running, undefined)
  resting?.process.hold(false)
  clearTimeout(chromium.idle)
  chromium.idle = setTimeout(() => void end(chromium), idleMs).unref()
}

async function end(chromium: Chromium): Promise<void> {
  clearTimeout(chromium.idle)
  const ending = chromium.running
  chromium.running = undefined
  const ended = ending && (await within(60_000, ending, undefined))
  if (ended) await clearAway(chromium, ended.process)
}

async function clearAway({ log }: Chromium, process: ChromiumProcess): Promise<void> {
  try {
    await process.end()
  } catch (error) {
    log.warn({ err: error }, 'the folder of a browser that has ended could not be removed')
  }
}

async function strengthOf(chromium: Chromium): Promise<string> {
  const { browser, isSandboxed } = await ensure(chromium)
  await rest(chromium)
  const user = chromium.account ? `user ${chromium.account.uid}` : 'the user of this service'
  const walls = isSandboxed
    ? 'pages are walled off by its own sandbox'
    : 'WITHOUT its own sandbox, since this system gives it no user namespaces'
  return `Chromium ${browser.version()} as ${user}, ${walls}; every connection goes through the filtering proxy.`
}

/** The id of a context in the DevTools protocol, which playwright does not show. */
async function contextIdOf(context: BrowserContext): Promise<string | undefined> {
  const [page] = context.pages()
  if (!page) return undefined
  const devtools = await context.newCDPSession(page)
  const { targetInfo } = await devtools.send('Target.getTargetInfo')
  await devtools.detach()
  return targetInfo.browserContextId
}
