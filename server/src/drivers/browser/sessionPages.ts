// The pages of a session: which are open, which one is active, what each is loading, and which navigations failed.
import { setTimeout } from 'node:timers/promises'
import type { BrowserContext, CDPSession, Download, Page, Request } from 'playwright-core'
import { newId } from '../../base/ids.ts'
import type { PageState, SessionState } from './browser.ts'
import { noteHost, note, type SessionEvents } from './sessionEvents.ts'
import { onlyHttp } from './perform.ts'
import { within } from './withTimeout.ts'

export interface SessionPage {
  id: string
  number: number
  openedAt: Date
  page: Page
  /** Opened when it is first needed: a page that another page is just opening can hang on it. */
  devtools: () => Promise<CDPSession>
  /** Requests under way. */
  pending: Set<Request>
  /** The navigation of the whole page that failed last, if none has succeeded since. */
  failed: { url: string; reason: string } | undefined
  /** It did not answer when it was last asked: a script of it may run for ever. */
  isStuck: boolean
}

const pagesMax = 10

export interface PageWork {
  takeDownload: (download: Download) => void
  /** Called with every page before it is used. */
  prepare?: (page: Page) => Promise<void>
}

/** The pages of one session. */
export interface SessionPages extends PageWork {
  context: BrowserContext
  heard: SessionEvents
  all: SessionPage[]
  active: SessionPage | undefined
  lastNumber: number
  /** How many pages of our own are being opened: what appears then may be one of them. */
  making: number
}

export function createPages(
  context: BrowserContext,
  heard: SessionEvents,
  { takeDownload, prepare }: PageWork,
): SessionPages {
  const work: PageWork = { takeDownload, ...(prepare && { prepare }) }
  const pages: SessionPages = { ...work, context, heard, all: [], active: undefined, lastNumber: 0, making: 0 }
  context.on('page', () => {
    if (pages.making === 0) addStrays(pages)
  })
  return pages
}

type KnownPage = SessionState['pages'][number]

export async function openPage(pages: SessionPages, known?: KnownPage): Promise<SessionPage> {
  pages.making += 1
  try {
    const page = await pages.context.newPage()
    await pages.prepare?.(page)
    return add(pages, page, known)
  } finally {
    pages.making -= 1
    if (pages.making === 0) addStrays(pages)
  }
}

/** The page in which the next action happens; a session without pages opens one. */
export async function activePage(pages: SessionPages): Promise<SessionPage> {
  return (pages.active ??= pages.all.at(-1) ?? (await openPage(pages)))
}

/** Opens a page instead of one that is stuck, which would not even open another URL. */
export async function replacePage(pages: SessionPages, stuck: SessionPage): Promise<SessionPage> {
  const page = (pages.active = await openPage(pages))
  await within(2000, stuck.page.close(), undefined)
  return page
}

export const stateOfPage = (pages: SessionPages, one: SessionPage): Promise<PageState> =>
  stateOf(one, one === pages.active && pages.all.includes(one))

export const statesOfPages = ({ all, active }: SessionPages): Promise<PageState[]> =>
  Promise.all(all.map((one) => stateOf(one, one === active)))

function add(pages: SessionPages, page: Page, known?: KnownPage): SessionPage {
  let devtools: Promise<CDPSession> | undefined
  const added: SessionPage = {
    id: known?.id ?? newId(),
    number: known?.number ?? pages.lastNumber + 1,
    openedAt: known ? new Date(known.openedAt) : new Date(),
    page,
    devtools: () => (devtools ??= pages.context.newCDPSession(page)),
    pending: new Set(),
    failed: undefined,
    isStuck: false,
  }
  pages.lastNumber = Math.max(pages.lastNumber, added.number)
  pages.all.push(added)
  followRequests(pages, added)
  followPage(pages, added)
  return added
}

function followRequests({ heard }: SessionPages, one: SessionPage): void {
  const { page, pending } = one
  page.on('request', (request) => pending.add(request))
  page.on('requestfinished', (request) => pending.delete(request))
  page.on('requestfailed', (request) => {
    pending.delete(request)
    const reason = request.failure()?.errorText ?? ''
    // superseded by another navigation, or a download
    if (isNavigation(request, page) && !reason.includes('ERR_ABORTED')) one.failed = { url: request.url(), reason }
  })
  page.on('response', (response) => {
    if (!isNavigation(response.request(), page)) return
    const host = URL.parse(response.url())?.hostname ?? ''
    const isOurs = heard.refused.has(host) || heard.unreachable.has(host)
    one.failed = isOurs && response.status() >= 400 ? { url: response.url(), reason: '' } : undefined
  })
}

function followPage(pages: SessionPages, one: SessionPage): void {
  const { heard } = pages
  const { page } = one
  page.on('dialog', (dialog) => {
    const isLeaving = dialog.type() === 'beforeunload'
    if (!isLeaving) note(heard, `A dialog (${dialog.type()}) was dismissed. It said: ${dialog.message().slice(0, 500)}`)
    void within(1000, isLeaving ? dialog.accept() : dialog.dismiss(), undefined)
  })
  page.on('console', (message) => {
    const [, url] = /^Not allowed to load local resource: (\S{1,200})/.exec(message.text()) ?? []
    if (url !== undefined) noteHost(heard.refused, url, `A page wanted to open ${url}. ${onlyHttp}`)
  })
  page.on('download', pages.takeDownload)
  page.on('crash', () => {
    note(heard, `Page ${one.number} crashed and was closed.`)
    void within(1000, page.close(), undefined)
  })
  page.on('close', () => {
    pages.all.splice(pages.all.indexOf(one), 1)
    if (pages.active === one) pages.active = pages.all.at(-1)
  })
}

/** Adds what a page opened by itself. */
function addPopup(pages: SessionPages, page: Page): void {
  const { heard, prepare } = pages
  if (pages.all.length >= pagesMax) {
    note(heard, `A page wanted to open another one and was refused: a session has at most ${pagesMax}.`)
    return void within(1000, page.close(), undefined)
  }
  if (prepare) void within(5000, prepare(page), undefined)
  const added = (pages.active = add(pages, page))
  note(heard, `Page ${added.number} was opened by another page and is now the active one.`)
}

/** Pages appear before we know whether they are ours. */
function addStrays(pages: SessionPages): void {
  for (const page of pages.context.pages()) if (pages.all.every((one) => one.page !== page)) addPopup(pages, page)
}

async function stateOf(one: SessionPage, isActive: boolean): Promise<PageState> {
  const { id, number, openedAt, page } = one
  const title = await within(2000, page.title(), '')
  // The URL of Chromium's own error page means nothing to anybody.
  const url = page.url().startsWith('chrome-error:') ? (one.failed?.url ?? 'about:blank') : page.url()
  return { id, number, openedAt, url: url.slice(0, 4000), title: title.slice(0, 500), active: isActive }
}

function isNavigation(request: Request, page: Page): boolean {
  if (!request.isNavigationRequest()) return false
  try {
    return request.frame() === page.mainFrame()
  } catch {
    // playwright does not know a frame for the first navigation of a page that is just being opened: it is the whole page
    return true
  }
}

/** Waits until the page has come to rest: a navigation for at most 15 s, what a page loads besides for at most 2 s. */
export async function waitUntilQuiet(one: SessionPage, signal: AbortSignal): Promise<void> {
  const isLoading = (): boolean => [...one.pending].some((request) => isNavigation(request, one.page))
  const giveUpAt = Date.now() + 15_000
  let quietBy = Date.now() + 2000
  do {
    // what a click begins shows a moment later
    await setTimeout(100, undefined, { signal })
    if (isLoading()) quietBy = Date.now() + 2000
  } while (one.pending.size > 0 && !one.page.isClosed() && Date.now() < Math.min(quietBy, giveUpAt))
}
