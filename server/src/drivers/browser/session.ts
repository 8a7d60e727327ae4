// One session: a browser context of its own behind a proxy of its own, in which one action follows the other.
import type { Browser, BrowserContext } from 'playwright-core'
import type { Guard } from '../../base/outbound/guard.ts'
import {
  BrowserGone,
  type Acted,
  type Action,
  type BrowserSession,
  type Credentials,
  type PageState,
  type SessionState,
} from './browser.ts'
import { finishedDownloads } from './downloads.ts'
import { logIn } from './login.ts'
import { hideMore, hideNothing, whileCovered, type Hidden } from './masking.ts'
import { note, takeSessionEvents, type SessionEvents } from './sessionEvents.ts'
import { CannotDo, noAnswer, perform, sentenceOf } from './perform.ts'
import { takePictures } from './pictures.ts'
import {
  activePage,
  createPages,
  openPage,
  replacePage,
  waitUntilQuiet,
  stateOfPage,
  statesOfPages,
  type PageWork,
  type SessionPage,
  type SessionPages,
} from './sessionPages.ts'
import { capped, snapshotOf } from './snapshot.ts'
import { within } from './withTimeout.ts'

const changesNothing = new Set<Action['kind']>(['read', 'pages', 'switch', 'screenshot'])

interface SessionParts extends PageWork {
  browser: Browser
  context: BrowserContext
  guard: Guard
  heard: SessionEvents
  close: () => Promise<void>
}

interface Session {
  parts: SessionParts
  pages: SessionPages
  /** What logins filled in. */
  hidden: Hidden
}

export async function startSession(parts: SessionParts, state: SessionState | undefined): Promise<BrowserSession> {
  const session: Session = { parts, pages: createPages(parts.context, parts.heard, parts), hidden: hideNothing() }
  if (state) await openAgain(session.pages, state)
  let before: Promise<unknown> = Promise.resolve()
  return {
    act(action, signal) {
      const turn = before
        .then(() => act(session, action, signal))
        .catch((error: unknown) => {
          // the reason of the abort says more than the abort itself
          signal.throwIfAborted()
          throw error
        })
      before = turn.catch(() => undefined)
      return turn
    },
    state: () => stateOf(session),
    close: parts.close,
  }
}

function requireAlive({ parts: { browser, context } }: Session): void {
  if (browser.isConnected() && !context.isClosed()) return
  throw new BrowserGone('The browser ended unexpectedly. The next action opens it again, from its saved state.')
}

async function act(session: Session, action: Action, signal: AbortSignal): Promise<Acted> {
  const { parts, pages } = session
  requireAlive(session)
  signal.throwIfAborted()
  const last = await activePage(pages)
  const acting = last.isStuck && action.kind === 'open' ? await replacePage(pages, last) : last
  for (const one of pages.all) one.failed = undefined
  // only what this action begins is waited for
  acting.pending.clear()
  let read: string | undefined
  let error: string | undefined
  try {
    read = await doAction(session, acting, action, signal)
  } catch (thrown) {
    signal.throwIfAborted()
    requireAlive(session)
    error = sentenceOf(thrown)
  }
  if (!acting.page.isClosed() && !changesNothing.has(action.kind)) await waitUntilQuiet(acting, signal)
  requireAlive(session)
  signal.throwIfAborted()
  const current = await activePage(pages)
  if (current !== acting) await waitUntilQuiet(current, signal)
  const failure = failureOf(current, parts.heard) ?? failureOf(acting, parts.heard) ?? error
  return resultOf(session, current, { read, error: failure })
}

async function doAction(
  { parts, pages, hidden }: Session,
  on: SessionPage,
  action: Action,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (action.kind === 'pages' || action.kind === 'screenshot') return undefined
  if (action.kind !== 'switch') {
    const isDead = on.isStuck && (await within(2000, on.page.evaluate('true'), undefined)) === undefined
    if (isDead && action.kind !== 'wait') throw new CannotDo(noAnswer)
    if (action.kind === 'login') {
      const { page } = on
      const credentials = await credentialsFor(action, page.url())
      const hide = (value: string, isName: boolean): void => hideMore(hidden, value, isName)
      await logIn({ page, credentials, signal, hide, settle: () => waitUntilQuiet(on, signal) })
      return undefined
    }
    return perform(on.page, action, { guard: parts.guard, signal })
  }
  const wanted = pages.all.find(({ number }) => number === action.page)
  const numbers = pages.all.map(({ number }) => number)
  if (!wanted) throw new CannotDo(`There is no page ${action.page}. Open are: ${numbers.join(', ')}.`)
  await within(2000, wanted.page.bringToFront(), undefined)
  pages.active = wanted
  return undefined
}

/** Why there is none for this page is for whoever asked. */
async function credentialsFor(
  { credentialsFor: find }: Extract<Action, { kind: 'login' }>,
  pageUrl: string,
): Promise<Credentials> {
  try {
    return await find(pageUrl)
  } catch (error) {
    throw new CannotDo(error instanceof Error ? error.message : String(error))
  }
}

/** What the page shows after the action. */
async function resultOf(
  { parts: { heard }, pages, hidden }: Session,
  current: SessionPage,
  done: { read: string | undefined; error: string | undefined },
): Promise<Acted> {
  const text = done.read === undefined ? await snapshotOf(current.page) : capped(done.read)
  current.isStuck = text === undefined
  const pictures = current.isStuck
    ? undefined
    : await whileCovered(current.page, hidden, () => takePictures(current.devtools()))
  if (!current.isStuck && !pictures && hidden.values.size > 0)
    note(heard, 'No picture was taken: the page shows a secret.')
  const takenAt = new Date()
  const downloads = await finishedDownloads(heard)
  const states = await statesOfPages(pages)
  const { refused, notes } = takeSessionEvents(heard)
  const error = done.error ?? (text === undefined ? noAnswer : undefined)
  const { scrub } = hidden
  const clean = (state: PageState): PageState => ({ ...state, url: scrub(state.url), title: scrub(state.title) })
  return {
    ...(error !== undefined && { error: scrub(error) }),
    text: scrub(text ?? ''),
    // it may have been closed at this moment
    page: clean(states.find(({ id }) => id === current.id) ?? (await stateOfPage(pages, current))),
    pages: states.map(clean),
    ...pictures,
    takenAt,
    downloads,
    refusals: [...refused.values()].map(scrub),
    notes: notes.map(scrub),
  }
}

/** What a later session continues from. */
async function stateOf({ parts: { context }, pages }: Session): Promise<SessionState> {
  const storage = await within(5000, context.storageState(), undefined)
  const kept = (await statesOfPages(pages)).map(({ id, number, url, active, openedAt }) => {
    return { id, number, url, active, openedAt: openedAt.toISOString() }
  })
  return { storage: storage ?? { cookies: await context.cookies(), origins: [] }, pages: kept }
}

/** Why the page could not open what it should: the guard's words, the proxy's, or Chromium's. */
function failureOf({ failed }: SessionPage, heard: SessionEvents): string | undefined {
  if (!failed) return undefined
  const host = URL.parse(failed.url)?.hostname ?? ''
  return heard.refused.get(host) ?? heard.unreachable.get(host) ?? sentenceOf(new Error(failed.reason))
}

/** Opens the saved pages and loads them again; the next action shows the result. */
async function openAgain(pages: SessionPages, state: SessionState): Promise<void> {
  const opened = []
  for (const known of state.pages) {
    const one = await openPage(pages, known)
    if (known.active) pages.active = one
    if (/^https?:/.test(known.url)) opened.push({ page: one.page, url: known.url })
  }
  const limits = { timeout: 15_000, waitUntil: 'domcontentloaded' as const }
  await Promise.all(opened.map(({ page, url }) => within(limits.timeout, page.goto(url, limits), null)))
}
