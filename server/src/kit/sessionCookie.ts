// The cookie of a session: how it is named, set and read, and which requests of a browser may act with it.
import type { IncomingHttpHeaders } from 'node:http'
import { Fault } from '../base/errors.ts'
import { requireOwnAddress } from './hostCheck.ts'

/** Browsers accept `__Host-` only from https, for the whole host and never from a host below or beside it. */
const nameAt = (baseUrl: string, name: string): string => (isSecure(baseUrl) ? `__Host-${name}` : name)

const isSecure = (baseUrl: string): boolean => new URL(baseUrl).protocol === 'https:'

export const sessionCookie = 'runyard_session'

/** How long the browser keeps it: as long as a session can last. The service decides when it is over. */
export const sessionCookieS = 7 * 86_400

interface Cookie {
  name: string
  value: string
  maxAgeS: number
  /** `Lax` also reaches us when another site sends the browser back. */
  sameSite: 'Strict' | 'Lax'
}

export function setCookie(baseUrl: string, { name, value, maxAgeS, sameSite }: Cookie): string {
  const secure = isSecure(baseUrl) ? '; Secure' : ''
  return `${nameAt(baseUrl, name)}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=${sameSite}${secure}`
}

/** A cookie that comes twice has been set by somebody else as well: then neither counts. */
export function readCookie(baseUrl: string, headers: IncomingHttpHeaders, name: string): string | undefined {
  const begin = `${nameAt(baseUrl, name)}=`
  const found = (headers.cookie ?? '').split(/; */).filter((one) => one.startsWith(begin))
  const [only] = found
  return only !== undefined && found.length === 1 ? only.slice(begin.length) || undefined : undefined
}

/**
 * Refuses a request that a page of another origin may have caused, since the browser adds the cookie by itself. Browsers send Origin with
 * every request that changes something, so one without it does not come from our page. A page of another origin cannot send the header
 * X-Runyard-Client without our permission, which no answer of ours gives.
 */
export function requireOwnPage(baseUrl: string, headers: IncomingHttpHeaders, { changes }: { changes: boolean }): void {
  requireOwnAddress(baseUrl, headers.host, headers.origin)
  const site = headers['sec-fetch-site']
  if (site === 'cross-site' || site === 'same-site') {
    throw new Fault('forbidden', 'A page of another origin asked for this. Open the page of this service instead.')
  }
  if (!changes) return
  const { origin } = headers
  if (origin === undefined || isDowngraded(baseUrl, origin)) throw new Fault('forbidden', needsOrigin(baseUrl))
  if (!headers['x-runyard-client']) throw new Fault('forbidden', needsClient)
}

/** A page of our public name over http, which others on the way can change. An address of this machine is reached over http too. */
const isDowngraded = (baseUrl: string, origin: string): boolean =>
  isSecure(baseUrl) && !origin.startsWith('https:') && URL.parse(origin)?.hostname === new URL(baseUrl).hostname

const needsOrigin = (baseUrl: string): string =>
  `Signing in or out, and a change that a session makes, need the header Origin with ${new URL(baseUrl).origin}: browsers send it by themselves. ` +
  'Use the page of this service, or an API key.'

const needsClient =
  'A request with a session cookie that changes something needs the header X-Runyard-Client. Send it, or use an API key.'
