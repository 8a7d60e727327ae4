// The pages of a session: which are open, which one is active, what each is loading and where one could not go.
import { setTimeout } from 'node:timers/promises'
import type { BrowserContext, CDPSession, Download, Page, Request } from 'playwright-core'
import { newId } from '../../base/ids.ts'
import type { PageState, SessionState } from './browser.ts'
import { hear, note, type Heard } from './sessionEvents.ts'
import { onlyHttp } from './perform.ts'
import { within } from './withTimeout.ts'

export interface SessionPage {
  id: string
  number: number
  openedAt: Date
  page: Page
  /** Opened when it is first asked for: a page that is just being opened by another can hang on it. */
  devtools: () => Promise<CDPSession>
  /** Requests under way. */
  pending: Set<Request>
  /** The navigation of the whole page that failed last, if none has succeeded since. */
  failed: { url: string; reason: string } | undefined
  /** It did not answer when it was last asked: a script of it may run for ever. */
  isStuck: boolean
}

const pagesMax = 10

export type SessionPages = ReturnType<typeof createPages>

export interface PageWork {
  takeDownload: (download: Download) => void
  /** Done with every page before it is used. */
  prepare?: (page: Page) => Promise<void>
}

export function createPages(context: BrowserContext, heard: Heard, { takeDownload, prepare }: PageWork) {
  const pages: SessionPage[] = []
  let active: SessionPage | undefined
  let lastNumber = 0

  function add(page: Page, known?: SessionState['pages'][number]): SessionPage {
    let devtools: Promise<CDPSession> | undefined
    const added: SessionPage = {
      id: known?.id ?? newId(),
      number: known?.number ?? lastNumber + 1,
      openedAt: known ? new Date(known.openedAt) : new Date(),
      page,
      devtools: () => (devtools ??= context.newCDPSession(page)),
      pending: new Set(),
      failed: undefined,
      isStuck: false,
    }
    lastNumber = Math.max(lastNumber, added.number)
    pages.push(added)
    listen(added)
    return added
  }

  function listen(one: SessionPage): void {
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
    page.on('dialog', (dialog) => {
      const isLeaving = dialog.type() === 'beforeunload'
      if (!isLeaving)
        note(heard, `A dialog (${dialog.type()}) was dismissed. It said: ${dialog.message().slice(0, 500)}`)
      void within(1000, isLeaving ? dialog.accept() : dialog.dismiss(), undefined)
    })
    page.on('console', (message) => {
      const [, url] = /^Not allowed to load local resource: (\S{1,200})/.exec(message.text()) ?? []
      if (url !== undefined) hear(heard.refused, url, `A page wanted to open ${url}. ${onlyHttp}`)
    })
    page.on('download', takeDownload)
    page.on('crash', () => {
      note(heard, `Page ${one.number} crashed and was closed.`)
      void within(1000, page.close(), undefined)
    })
    page.on('close', () => {
      pages.splice(pages.indexOf(one), 1)
      if (active === one) active = pages.at(-1)
    })
  }

  /** What a page opened by itself. */
  function addPopup(page: Page): void {
    if (pages.length >= pagesMax) {
      note(heard, `A page wanted to open another one and was refused: a session has at most ${pagesMax}.`)
      return void within(1000, page.close(), undefined)
    }
    if (prepare) void within(5000, prepare(page), undefined)
    active = add(page)
    note(heard, `Page ${active.number} was opened by another page and is now the active one.`)
  }

  async function make(known?: SessionState['pages'][number]): Promise<SessionPage> {
    isMaking += 1
    try {
      const page = await context.newPage()
      await prepare?.(page)
      return add(page, known)
    } finally {
      isMaking -= 1
      if (isMaking === 0) addStrays()
    }
  }

  /** Pages tell of themselves before we know whether they are ours. */
  function addStrays(): void {
    for (const page of context.pages()) if (pages.every((one) => one.page !== page)) addPopup(page)
  }

  let isMaking = 0
  context.on('page', () => {
    if (isMaking === 0) addStrays()
  })

  return {
    make,
    all: (): SessionPage[] => pages,
    async active(): Promise<SessionPage> {
      return (active ??= pages.at(-1) ?? (await make()))
    },
    /** A page in place of one that is stuck, which would not even go elsewhere. */
    async replace(one: SessionPage): Promise<SessionPage> {
      active = await make()
      await within(2000, one.page.close(), undefined)
      return active
    },
    activate(one: SessionPage): void {
      active = one
    },
    state: (one: SessionPage): Promise<PageState> => stateOf(one, one === active && pages.includes(one)),
    states: (): Promise<PageState[]> => Promise.all(pages.map((one) => stateOf(one, one === active))),
  }
}

async function stateOf(one: SessionPage, isActive: boolean): Promise<PageState> {
  const { id, number, openedAt, page } = one
  const title = await within(2000, page.title(), '')
  // Chromium's own page for what could not be opened has an address that means nothing to anybody.
  const url = page.url().startsWith('chrome-error:') ? (one.failed?.url ?? 'about:blank') : page.url()
  return { id, number, openedAt, url: url.slice(0, 4000), title: title.slice(0, 500), active: isActive }
}

function isNavigation(request: Request, page: Page): boolean {
  if (!request.isNavigationRequest()) return false
  try {
    return request.frame() === page.mainFrame()
  } catch {
    // playwright knows no frame for the first navigation of a page that is just being opened: it is the whole page
    return true
  }
}

/** Waits until the page has come to rest: a navigation for at most 15 s, what a page loads besides for at most 2 s. */
export async function settle(one: SessionPage, signal: AbortSignal): Promise<void> {
  const isLoading = (): boolean => [...one.pending].some((request) => isNavigation(request, one.page))
  const giveUpAt = Date.now() + 15_000
  let quietBy = Date.now() + 2000
  do {
    // what a click begins shows a moment later
    await setTimeout(100, undefined, { signal })
    if (isLoading()) quietBy = Date.now() + 2000
  } while (one.pending.size > 0 && !one.page.isClosed() && Date.now() < Math.min(quietBy, giveUpAt))
}
