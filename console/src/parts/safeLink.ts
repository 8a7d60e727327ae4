// Addresses that strangers wrote: which of them may become a link.

const allowed = new Set(['http:', 'https:', 'mailto:'])

/** The address as a browser would open it; undefined: it is none that a person should be led to by a click. */
export function safeLink(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  // a name before the host is there to look like another host
  if (!allowed.has(url.protocol) || url.username !== '' || url.password !== '') return undefined
  return url.href
}

/** The host of an address that a text pretends to be, if it is another than that of the link. */
export function otherHost(text: string, href: string): string | undefined {
  const { host, protocol } = new URL(href)
  if (protocol === 'mailto:') return undefined
  const looksLike = /^\s*(?:https?:\/\/)?((?:[\w-]+\.)+[a-z]{2,})(?=$|[\s/:?#])/i.exec(text)?.[1]
  return looksLike !== undefined && looksLike.toLowerCase() !== host ? host : undefined
}
