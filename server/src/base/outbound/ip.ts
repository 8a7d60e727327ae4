// What kind of address an IP address is, and whether it belongs to the public internet: a pure table.

import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Each kind with the words a refusal uses for it. */
export const addressKinds = {
  public: 'a public address',
  loopback: 'a loopback address',
  private: 'a private address',
  unique_local: 'a private (unique local) address',
  link_local: 'a link-local address',
  carrier_grade_nat: 'a carrier-grade NAT address',
  unspecified: 'an unspecified address',
  multicast: 'a multicast address',
  broadcast: 'a broadcast address',
  documentation: 'an address reserved for documentation',
  benchmarking: 'an address reserved for benchmarks',
  protocol: 'an address reserved for internet protocols',
  transition: 'an IPv6 transition address',
  platform: 'an address of the hosting platform',
  reserved: 'a reserved address',
  invalid: 'not a usable IP address',
} as const

export type AddressKind = keyof typeof addressKinds

type Block<Address> = { range: [Address, number]; kind: AddressKind }

const ipv4 = (cidr: string, kind: AddressKind): Block<ipaddr.IPv4> => ({ range: ipaddr.IPv4.parseCIDR(cidr), kind })
const ipv6 = (cidr: string, kind: AddressKind): Block<ipaddr.IPv6> => ({ range: ipaddr.IPv6.parseCIDR(cidr), kind })

// The IANA IPv4 Special-Purpose Address Registry (RFC 6890) with multicast and class E; the first match counts.
// Three blocks there are marked globally reachable and still denied: they are anycast sinks and relays that any
// network may run within its own borders (AS112, AMT), so what answers is decided locally, and no API lives there.
const ipv4Blocks: Block<ipaddr.IPv4>[] = [
  ipv4('0.0.0.0/8', 'unspecified'), // RFC 791 §3.2; Linux dials 0.0.0.0 as loopback
  ipv4('10.0.0.0/8', 'private'), // RFC 1918
  ipv4('100.64.0.0/10', 'carrier_grade_nat'), // RFC 6598; 100.100.100.200 is a metadata service
  ipv4('127.0.0.0/8', 'loopback'), // RFC 1122 §3.2.1.3
  // Azure's WireServer: a public number that the hypervisor answers itself, with the machine's secrets.
  ipv4('168.63.129.16/32', 'platform'),
  ipv4('169.254.0.0/16', 'link_local'), // RFC 3927; 169.254.169.254 is a metadata service
  ipv4('172.16.0.0/12', 'private'), // RFC 1918
  // RFC 6890 §2.1, the whole block: its globally reachable 192.0.0.9 and .10 are anycast of the local network
  // (RFC 7723, RFC 8155), and 192.0.0.192 is a metadata service.
  ipv4('192.0.0.0/24', 'protocol'),
  ipv4('192.0.2.0/24', 'documentation'), // RFC 5737
  ipv4('192.31.196.0/24', 'protocol'), // AS112, RFC 7535
  ipv4('192.52.193.0/24', 'protocol'), // AMT relays, RFC 7450
  ipv4('192.88.99.0/24', 'transition'), // 6to4 relays, deprecated by RFC 7526
  ipv4('192.168.0.0/16', 'private'), // RFC 1918
  ipv4('192.175.48.0/24', 'protocol'), // AS112, RFC 7534
  ipv4('198.18.0.0/15', 'benchmarking'), // RFC 2544
  ipv4('198.51.100.0/24', 'documentation'), // RFC 5737
  ipv4('203.0.113.0/24', 'documentation'), // RFC 5737
  ipv4('224.0.0.0/4', 'multicast'), // RFC 5771
  ipv4('255.255.255.255/32', 'broadcast'), // RFC 919 §7
  ipv4('240.0.0.0/4', 'reserved'), // RFC 1112 §4
]

// Two prefixes are other spellings of an IPv4 address and judged as that address: the kernel dials the mapped form as IPv4 (RFC 4291
// §2.5.5.2), and in an IPv6-only network with DNS64 every IPv4-only name resolves to the well-known NAT64 prefix (RFC 6052 §2.1), where
// denying it would cut off most of the internet. A network's own NAT64 prefix cannot be distinguished from any other address; keeping
// private IPv4 out of it is the translator's duty (RFC 6052 §3.1, §5.1).
const ipv4Spellings = [ipaddr.IPv6.parseCIDR('::ffff:0:0/96'), ipaddr.IPv6.parseCIDR('64:ff9b::/96')]

// The IANA IPv6 Special-Purpose Address Registry and the scopes of RFC 4291; the first match counts. Whatever else lies
// outside 2000::/3 (discard 100::/64, segment routing 5f00::/16 …) needs no row: it is 'reserved' by default.
const ipv6Blocks: Block<ipaddr.IPv6>[] = [
  ipv6('::/128', 'unspecified'),
  ipv6('::1/128', 'loopback'),
  // Deprecated forms with an IPv4 address inside; no network carries them, so none is public, whatever is inside.
  ipv6('::/96', 'transition'), // IPv4-compatible, RFC 4291 §2.5.5.1
  ipv6('::ffff:0:0:0/96', 'transition'), // IPv4-translated, RFC 2765 §2.1
  ipv6('64:ff9b:1::/48', 'transition'), // local-use NAT64, RFC 8215
  ipv6('2001::/32', 'transition'), // Teredo, RFC 4380
  ipv6('2002::/16', 'transition'), // 6to4, RFC 3056; its relays are withdrawn (RFC 7526)
  ipv6('2001:2::/48', 'benchmarking'), // RFC 5180
  // RFC 2928, the whole block: PCP, TURN and DNS-SD anycast (2001:1::), AMT (2001:3::/32), AS112 (2001:4:112::/48),
  // ORCHID (2001:10::/28, 2001:20::/28), drone tags (2001:30::/28). Some are globally reachable; none is a host.
  ipv6('2001::/23', 'protocol'),
  ipv6('2001:db8::/32', 'documentation'), // RFC 3849
  ipv6('2620:4f:8000::/48', 'protocol'), // AS112, RFC 7534
  ipv6('3ffe::/16', 'reserved'), // the 6bone, handed back by RFC 3701
  ipv6('3fff::/20', 'documentation'), // RFC 9637
  ipv6('2000::/3', 'public'), // global unicast, RFC 4291 §2.4 as allocated by IANA: the only public block
  ipv6('fc00::/7', 'unique_local'), // RFC 4193
  ipv6('fe80::/10', 'link_local'), // RFC 4291 §2.5.6
  ipv6('fec0::/10', 'private'), // site-local, deprecated by RFC 3879 and still in use
  ipv6('ff00::/8', 'multicast'), // RFC 4291 §2.7
]

/**
 * The kind of an address in its textual form, with or without a zone (`fe80::1%eth0`). Only canonical spellings are
 * addresses here, as a resolver answers them; `0177.0.0.1` and its like are 'invalid', and names too.
 */
export function classifyAddress(address: string): AddressKind {
  const [bare = '', zone] = address.split('%', 2)
  const parsed = parseAddress(bare)
  if (parsed === null) return 'invalid'
  const kind = parsed.kind() === 'ipv4' ? kindOfIPv4(parsed as ipaddr.IPv4) : kindOfIPv6(parsed as ipaddr.IPv6)
  // A zone chooses one of this machine's links (RFC 4007 §11): with one, no address is plainly global.
  return zone !== undefined && kind === 'public' ? 'invalid' : kind
}

export function isPublicAddress(address: string): boolean {
  return classifyAddress(address) === 'public'
}

/** The address as numbers, or null for what is not an address in canonical spelling. */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (isIPv4(text)) return ipaddr.IPv4.parse(text)
  if (!isIPv6(text) || text.includes('%')) return null
  // ipaddr.js reads `::8.8.8.8` as `::ffff:8.8.8.8`, another address; the URL parser writes the tail in hex, so that
  // there is nothing left to misread.
  return ipaddr.IPv6.parse(new URL(`http://[${text}]`).hostname.slice(1, -1))
}

/** The IPv4 address that an IPv6 address merely spells, or null. */
export function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  if (!ipv4Spellings.some((prefix) => address.match(prefix))) return null
  return new ipaddr.IPv4(address.toByteArray().slice(12))
}

function kindOfIPv4(address: ipaddr.IPv4): AddressKind {
  return ipv4Blocks.find((block) => address.match(block.range))?.kind ?? 'public'
}

function kindOfIPv6(address: ipaddr.IPv6): AddressKind {
  const inner = embeddedIPv4(address)
  if (inner !== null) return kindOfIPv4(inner)
  return ipv6Blocks.find((block) => address.match(block.range))?.kind ?? 'reserved'
}
