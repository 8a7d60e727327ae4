// The address of a caller: the peer's, or the one that a trusted proxy gives, in a form in which one caller has one address.
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4 } from 'node:net'

/** Reads the address by which a caller without a credential is counted. */
export type ReadAddress = (request: IncomingMessage) => string

/**
 * X-Forwarded-For is read from its right end, where the nearest proxy wrote, and only for as long as trusted proxies wrote it: the first
 * address that is not a trusted proxy is the caller's. The caller may have invented everything to the left of it.
 */
export function createAddressReader(trustedProxies: readonly string[]): ReadAddress {
  const trusted = networksOf(trustedProxies)
  const isTrusted = (address: string) => trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
  return ({ socket, headers }) => {
    let address = plainAddress(socket.remoteAddress ?? '') ?? 'unknown'
    if (trustedProxies.length === 0 || isIP(address) === 0) return networkOf(address)
    const named = String(headers['x-forwarded-for'] ?? '').split(',')
    for (const text of named.toReversed()) {
      const next = isTrusted(address) ? plainAddress(text) : undefined
      if (next === undefined) break
      address = next
    }
    return networkOf(address)
  }
}

function networksOf(entries: readonly string[]): BlockList {
  const networks = new BlockList()
  for (const entry of entries) {
    const [address, bits] = entry.split('/') as [string, string | undefined]
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    if (bits === undefined) networks.addAddress(address, family)
    else networks.addSubnet(address, Number(bits), family)
  }
  return networks
}

/** Strips the port, brackets and zone; an IPv4 address inside an IPv6 one becomes that IPv4 address. Undefined: not an address. */
function plainAddress(text: string): string | undefined {
  const trimmed = text.trim()
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed
  const address = bare.replace(/%.*$/, '').toLowerCase()
  const mapped = /^::ffff:([\d.]+)$/.exec(address)?.[1] ?? address
  return isIP(mapped) === 0 ? undefined : mapped
}

/** One customer has a whole /64 of IPv6 and can send each request from another address in it, so the network counts. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length - (address.includes('.') ? 1 : 0)
  const groups = [...before, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...after]
  const network = groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''))
  return `${network.join(':')}::/64`
}
