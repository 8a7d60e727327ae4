// Reads the hosts of a database URL, one or several, by the rules of libpq.

const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?/

/** What of libpq's choices a service can use that must write. */
const accepted = new Set(['any', 'read-write', 'primary'])

/**
 * One URL for each host, with everything else as it was given. Throws an Error whose message follows the name of the setting. A URL with one
 * host, or one that is none, comes back as it is.
 */
export function hostUrls(url: string): string[] {
  const [, start, authority = '', path = '', query = ''] = parts.exec(url) ?? []
  if (start === undefined) return [url]
  const given = new URLSearchParams(query)
  requireWriting(given.get('target_session_attrs'))
  const hosts = given.get('host')?.split(',').map(inAuthority) ?? authority.split(',').map(withoutPort)
  if (hosts.length === 1) return [url]
  if (hosts.includes('')) throw new Error('has an empty host in its list: put a name between two commas')
  const ports = given.get('port')?.split(',') ?? authority.split(',').map(portOf)
  if (ports.length !== 1 && ports.length !== hosts.length) {
    throw new Error(`names ${hosts.length} hosts and ${ports.length} ports: give a port for each host, or one for all`)
  }
  const others = query.split('&').filter((one) => !/^(host|port|target_session_attrs)=/.test(one))
  const end = others.join('&') === '' ? '' : `?${others.join('&')}`
  return hosts.map(
    (host, index) => `${start}${host}:${(ports.length === 1 ? ports[0] : ports[index]) || 5432}${path}${end}`,
  )
}

function requireWriting(attribute: string | null): void {
  if (attribute === null || accepted.has(attribute)) return
  throw new Error(
    `asks for target_session_attrs=${attribute}, but Runyard must write: use read-write, or leave it out, which means the same`,
  )
}

const portPattern = /:(\d*)$/
const withoutPort = (host: string): string => host.replace(portPattern, '')
const portOf = (host: string): string => portPattern.exec(host)?.[1] || '5432'
/** An IPv6 address has no brackets in a parameter. */
const inAuthority = (host: string): string => (host.includes(':') ? `[${host}]` : encodeURIComponent(host))
