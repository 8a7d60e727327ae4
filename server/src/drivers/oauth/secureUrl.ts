// Which URLs secrets may be sent to: https, or plain http on a private network that the outbound guard was opened for.
import { isIP } from 'node:net'
import { isPublicAddress } from '../../base/outbound/ip.ts'
import { OAuthTrouble } from './failures.ts'

/** Names of local networks: without a dot, which public names are not to be (RFC 7085), or below one of these three. */
const isLocalName = (host: string): boolean => !host.includes('.') || /\.(localhost|local|internal)$/.test(host)

/** Whether plain http is acceptable: the guard permits such a host only if the operator listed it. */
function isPrivate({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  return isIP(host) === 0 ? isLocalName(host) : !isPublicAddress(host)
}

export const isSecure = (url: URL): boolean => url.protocol === 'https:' || (url.protocol === 'http:' && isPrivate(url))

/** A URL from a server's metadata. */
export function secureUrl(value: unknown, what: string): URL {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url === null) throw new OAuthTrouble(`The server gives no usable ${what}.`)
  if (url.username !== '' || url.password !== '') {
    throw new OAuthTrouble(`The server's ${what} contains a user name or password, which is not allowed.`)
  }
  if (!isSecure(url)) throw new OAuthTrouble(`The server's ${what} must be an https URL; ${url.origin} is not.`)
  return url
}
