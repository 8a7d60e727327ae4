// Which hosts sandboxes may reach: the list RUNYARD_SANDBOX_HOSTS, as a function of one host and port.

export type MayReach = (host: string, port: number) => boolean

/** Entries are `api.example.com` (any port), `api.example.com:8443`, and `*.example.com` (every name below it, not itself). */
export function allowedHosts(hosts: string[]): MayReach {
  const entries = hosts.map(readEntry)
  return (host, port) => {
    const name = normalName(host)
    if (name === null) return false
    return entries.some(
      (entry) =>
        (entry.port === null || entry.port === port) &&
        (entry.isBelow ? name.endsWith(`.${entry.name}`) : name === entry.name),
    )
  }
}

export function mayReachUrl(mayReach: MayReach, url: URL): boolean {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return mayReach(url.hostname, port)
}

interface Entry {
  name: string
  port: number | null
  isBelow: boolean
}

function readEntry(text: string): Entry {
  const isBelow = text.startsWith('*.')
  const [, host, port] = /^(.*?)(?::(\d{1,5}))?$/.exec(isBelow ? text.slice(2) : text) ?? []
  // an IPv6 address without brackets has colons of its own
  const isBareAddress = (text.match(/:/g)?.length ?? 0) > 1 && !text.startsWith('[')
  const name = normalName(isBareAddress ? text : (host ?? ''))
  if (name === null || name.includes('*') || Number(port ?? 1) > 65_535) {
    throw new TypeError(
      `RUNYARD_SANDBOX_HOSTS: "${text}" is not a host. Write names like api.example.com, api.example.com:8443 or *.example.com.`,
    )
  }
  return { name, port: port === undefined || isBareAddress ? null : Number(port), isBelow }
}

/** A host as the URL parser spells it, without the final dot: what is compared is what would be dialled. */
function normalName(host: string): string | null {
  const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  if (bracketed === '' || /[\s/\\?#@]/.test(bracketed)) return null
  const name = URL.parse(`http://${bracketed}`)?.hostname.replace(/\.+$/, '')
  return name === undefined || name === '' ? null : name
}
