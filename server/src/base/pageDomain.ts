// The domain that a login is for: one host, or all hosts below one, compared letter by letter as URLs spell them.

/** The domain in one spelling, or a sentence that says what is wrong with it. */
export function readDomain(text: string): { domain: string } | { problem: string } {
  const isWide = text.startsWith('*.')
  const written = isWide ? text.slice(2) : text
  const url = /^[^\s/?#@\\*]+$/.test(written) ? URL.parse(`https://${written}/`) : null
  const isHost = url !== null && url.host !== '' && url.username === '' && url.pathname === '/'
  if (!isHost)
    return { problem: 'domain must be a host such as shop.example.com, with :port where that is not the usual one.' }
  if (isWide && !url.hostname.includes('.'))
    return { problem: 'domain with *. needs a host of at least two parts after it.' }
  return { domain: `${isWide ? '*.' : ''}${url.host}` }
}

/**
 * Whether a page is of the domain. A host that only looks alike is another one: URLs spell letters of other scripts in ASCII (punycode). The
 * page must come encrypted, unless it is of this machine.
 */
export function isOfDomain(pageUrl: string, domain: string): boolean {
  const url = URL.parse(pageUrl)
  if (url === null || !isSecurePage(url)) return false
  if (!domain.startsWith('*.')) return url.host === domain
  return url.host.endsWith(domain.slice(1)) && url.host.length > domain.length - 1
}

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

const isSecurePage = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname))
