// What the service asks of a browser: sessions that are isolated from each other, and one action at a time in each.

export type Action =
  | { kind: 'open'; url: string }
  | { kind: 'click'; element: string }
  | { kind: 'type'; element: string; text: string; submit?: boolean }
  | { kind: 'select'; element: string; value: string }
  | { kind: 'press'; key: string }
  | { kind: 'read'; element?: string }
  | { kind: 'back' }
  | { kind: 'scroll'; to: ScrollTarget }
  | { kind: 'wait'; text?: string; seconds?: number }
  | { kind: 'pages' }
  | { kind: 'switch'; page: number }
  | { kind: 'screenshot' }
  | { kind: 'login'; credentialsFor: (pageUrl: string) => Promise<Credentials> }

/** A login as it is filled in. */
export interface Credentials {
  /** The only domain whose pages it may be filled into. */
  domain: string
  username: string
  password: string
  /** Makes a one-time code for this moment; null: the login has none. */
  code: (() => string) | null
}

export const scrollTargets = ['down', 'up', 'top', 'bottom'] as const
export type ScrollTarget = (typeof scrollTargets)[number]

export interface Picture {
  /** JPEG. */
  bytes: Buffer
  width: number
  height: number
}

export interface PageState {
  id: string
  /** Its number within its session: 1, 2, 3 … */
  number: number
  url: string
  title: string
  active: boolean
  openedAt: Date
}

export interface Download {
  /** A plain file name, whatever the site called it. */
  name: string
  /** On disk until the session closes. */
  path: string
  size: number
}

/** The state after an action, whether or not it could be done. */
export interface Acted {
  /** A sentence that says what could not be done. */
  error?: string
  /** The page as its aria snapshot, or what was read; at most 48 KiB. */
  text: string
  /** The page that the action was done on, or led to. */
  page: PageState
  /** Every page that is open. */
  pages: PageState[]
  /** Missing if the page has crashed or does not answer. */
  screenshot?: Picture
  thumbnail?: Picture
  takenAt: Date
  downloads: Download[]
  /** Sentences about hosts that pages wanted and may not reach. */
  refusals: string[]
  /** Sentences about dialogs that were answered, pages that were opened or closed, and downloads that were not saved. */
  notes: string[]
}

/** Enough to open a session again elsewhere: not what was typed, scrolled or unfolded. */
export interface SessionState {
  storage: StoredStorage
  pages: { id: string; number: number; url: string; active: boolean; openedAt: string }[]
}

interface StoredStorage {
  cookies: {
    name: string
    value: string
    domain: string
    path: string
    expires: number
    httpOnly: boolean
    secure: boolean
    sameSite: 'Strict' | 'Lax' | 'None'
  }[]
  origins: { origin: string; localStorage: { name: string; value: string }[] }[]
}

export interface BrowserSession {
  /** Never hangs: every part of an action has a limit. Rejects with BrowserGone only, or when `signal` is aborted. */
  act(action: Action, signal: AbortSignal): Promise<Acted>
  state(): Promise<SessionState>
  close(): Promise<void>
}

export interface SessionWanted {
  signal: AbortSignal
  state?: SessionState
  /** Asked for every host that a page wants, after the guard; absent: every host. */
  mayReach?: (host: string) => boolean
}

export interface BrowserDriver {
  /** One sentence: how well pages are isolated from the machine and its network. Starts the browser if needed. */
  strength(): Promise<string>
  open(wanted: SessionWanted): Promise<BrowserSession>
  /** Draws pages of our own, which reach nothing. */
  printer: Printer
  close(): Promise<void>
}

export interface Printer {
  /** Rejects with CannotPrint, BrowserGone, or the reason of `signal`. */
  picture(html: string, wanted: PictureWanted): Promise<{ picture: Picture; thumbnail: Picture }>
  pdf(html: string, wanted: PdfWanted): Promise<Buffer>
}

interface PictureWanted {
  width: number
  /** Without it the picture shows the whole page, up to 4,000 pixels. */
  height?: number
  theme: 'light' | 'dark'
  signal: AbortSignal
}

interface PdfWanted {
  /** It stands at the top of each page, beside the time. */
  title: string
  /** Without it: now. */
  at?: Date
  signal: AbortSignal
}

/** The browser or this session has ended: the next action needs a new one. */
export class BrowserGone extends Error {
  override name = 'BrowserGone'
}

/** The page cannot be drawn here, whoever tries again: the message says why. */
export class CannotPrint extends Error {
  override name = 'CannotPrint'
}
