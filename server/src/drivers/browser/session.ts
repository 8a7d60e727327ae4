// One session: a browser context of its own behind a proxy of its own, in which one action follows the other.
import type { Browser, BrowserContext } from 'playwright-core'
import type { Guard } from '../../base/outbound/guard.ts'
import { BrowserGone, type Acted, type Action, type BrowserSession, type SessionState } from './browser.ts'
import { finishedDownloads } from './downloads.ts'
import { takeHeard, type Heard } from './sessionEvents.ts'
import { CannotDo, noAnswer, perform, sentenceOf } from './perform.ts'
import { takePictures } from './pictures.ts'
import { createPages, settle, type PageWork, type SessionPage, type SessionPages } from './sessionPages.ts'
import { capped, snapshotOf } from './snapshot.ts'
import { within } from './withTimeout.ts'

const changesNothing = new Set<Action['kind']>(['read', 'pages', 'switch', 'screenshot'])

interface SessionParts extends PageWork {
  browser: Browser
  context: BrowserContext
  guard: Guard
  heard: Heard
  close: () => Promise<void>
}

export async function startSession(parts: SessionParts, state: SessionState | undefined): Promise<BrowserSession> {
  const { browser, context, guard, heard } = parts
  const pages = createPages(context, heard, parts)
  if (state) await openAgain(pages, state)
  let before: Promise<unknown> = Promise.resolve()

  function requireAlive(): void {
    if (browser.isConnected() && !context.isClosed()) return
    throw new BrowserGone(
      'The browser ended unexpectedly. The next action opens it anew, from what was kept of its state.',
    )
  }

  async function act(action: Action, signal: AbortSignal): Promise<Acted> {
    requireAlive()
    signal.throwIfAborted()
    const last = await pages.active()
    const acting = last.isStuck && action.kind === 'open' ? await pages.replace(last) : last
    for (const one of pages.all()) one.failed = undefined
    // only what this action begins is waited for
    acting.pending.clear()
    let read: string | undefined
    let error: string | undefined
    try {
      read = await doAction(acting, action, signal)
    } catch (thrown) {
      signal.throwIfAborted()
      requireAlive()
      error = sentenceOf(thrown)
    }
    if (!acting.page.isClosed() && !changesNothing.has(action.kind)) await settle(acting, signal)
    requireAlive()
    signal.throwIfAborted()
    const current = await pages.active()
    if (current !== acting) await settle(current, signal)
    return told(current, { read, error: failureOf(current, heard) ?? failureOf(acting, heard) ?? error })
  }

  async function doAction(on: SessionPage, action: Action, signal: AbortSignal): Promise<string | undefined> {
    if (action.kind === 'pages' || action.kind === 'screenshot') return undefined
    if (action.kind !== 'switch') {
      const isDead = on.isStuck && (await within(2000, on.page.evaluate('true'), undefined)) === undefined
      if (isDead && action.kind !== 'wait') throw new CannotDo(noAnswer)
      return perform(on.page, action, { guard, signal })
    }
    const wanted = pages.all().find(({ number }) => number === action.page)
    const numbers = pages.all().map(({ number }) => number)
    if (!wanted) throw new CannotDo(`There is no page ${action.page}. Open are: ${numbers.join(', ')}.`)
    await within(2000, wanted.page.bringToFront(), undefined)
    pages.activate(wanted)
    return undefined
  }

  async function told(
    current: SessionPage,
    done: { read: string | undefined; error: string | undefined },
  ): Promise<Acted> {
    const text = done.read === undefined ? await snapshotOf(current.page) : capped(done.read)
    current.isStuck = text === undefined
    const pictures = current.isStuck ? undefined : await takePictures(current.devtools())
    const takenAt = new Date()
    const downloads = await finishedDownloads(heard)
    const states = await pages.states()
    const { refused, notes } = takeHeard(heard)
    const error = done.error ?? (text === undefined ? noAnswer : undefined)
    return {
      ...(error !== undefined && { error }),
      text: text ?? '',
      // it may have been closed in this very moment
      page: states.find(({ id }) => id === current.id) ?? (await pages.state(current)),
      pages: states,
      ...pictures,
      takenAt,
      downloads,
      refusals: [...refused.values()],
      notes,
    }
  }

  return {
    act(action, signal) {
      const turn = before
        .then(() => act(action, signal))
        .catch((error: unknown) => {
          // why it was given up says more than that it was
          signal.throwIfAborted()
          throw error
        })
      before = turn.catch(() => undefined)
      return turn
    },
    async state() {
      const storage = await within(5000, context.storageState(), undefined)
      const kept = (await pages.states()).map(({ id, number, url, active, openedAt }) => {
        return { id, number, url, active, openedAt: openedAt.toISOString() }
      })
      return { storage: storage ?? { cookies: await context.cookies(), origins: [] }, pages: kept }
    },
    close: parts.close,
  }
}

/** Where the page was to go and could not: the guard's words, the proxy's, or Chromium's. */
function failureOf({ failed }: SessionPage, heard: Heard): string | undefined {
  if (!failed) return undefined
  const host = URL.parse(failed.url)?.hostname ?? ''
  return heard.refused.get(host) ?? heard.unreachable.get(host) ?? sentenceOf(new Error(failed.reason))
}

/** The pages as they were, loaded again: what comes of it shows at the next action. */
async function openAgain(pages: SessionPages, state: SessionState): Promise<void> {
  const opened = []
  for (const known of state.pages) {
    const one = await pages.make(known)
    if (known.active) pages.activate(one)
    if (/^https?:/.test(known.url)) opened.push({ page: one.page, url: known.url })
  }
  const limits = { timeout: 15_000, waitUntil: 'domcontentloaded' as const }
  await Promise.all(opened.map(({ page, url }) => within(limits.timeout, page.goto(url, limits), null)))
}
