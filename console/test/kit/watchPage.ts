// What goes wrong in a window without anybody seeing it: logged errors, errors that nobody caught, and requests to other origins.
import type { Page } from 'playwright-core'

export interface Watch {
  /** Errors with this in them are no problems. */
  mayLog: (what: RegExp) => void
  problems: () => string[]
  /** Also those that are no problems. */
  all: () => string[]
}

/** A policy that was broken is an error in the log of the browser. */
export function watchPage(page: Page, baseUrl: string): Watch {
  const seen: string[] = []
  const allowed: RegExp[] = []
  const { origin } = new URL(baseUrl)
  page.on('console', (message) => {
    if (message.type() !== 'error') return
    const { url, lineNumber } = message.location()
    seen.push(`logged: ${message.text()} (${url}:${lineNumber})`)
  })
  page.on('pageerror', (error) => seen.push(`not caught: ${error.stack ?? error.message}`))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !url.startsWith(`blob:${origin}/`)) seen.push(`asked another origin: ${url}`)
  })
  page.on('crash', () => seen.push('the page crashed'))
  return {
    mayLog: (what) => void allowed.push(what),
    problems: () => seen.filter((one) => !allowed.some((what) => what.test(one))),
    all: () => seen,
  }
}
