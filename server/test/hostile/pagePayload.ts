// What a hostile page is: markup that tries to get somewhere, and where that is.

/** Where a payload tries to get. Each payload has a listener of its own, so it is known who got through. */
export interface Goal {
  /** The listener, as http://127.0.0.1:port. */
  url: string
  /** The same without its scheme. */
  host: string
  /** What reaches a window around the page: posted as a message, or asked of the page's own server below /reached/. */
  word: string
}

export interface PagePayload {
  name: string
  html: (goal: Goal) => string
  /** Where it does something, if not in both. */
  only?: 'frame' | 'window'
  /** Why this Chromium does nothing with it even where nothing holds it back. */
  inert?: string
  /** No header can stop it, so only the cleaning of templates keeps it out. */
  onlyCleaned?: string
}
