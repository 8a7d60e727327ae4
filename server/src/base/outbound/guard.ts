// The guard for every URL that a user gives us: it says which URLs may be saved and which addresses may be dialled.

import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type ipaddr from 'ipaddr.js'
import { addressKinds, classifyAddress, embeddedIPv4, isPublicAddress, parseAddress } from './ip.ts'

export type Resolve = (hostname: string) => Promise<string[]>
export type VettedAddress = { address: string; family: 4 | 6 }

/** Which rule of the guard refused. */
export type RefusalRule = 'url' | 'scheme' | 'credentials' | 'port' | 'name' | 'address'

export type Guard = {
  /** Checks what can be checked without a resolver; called for every request, also on a connection that is already open. */
  checkUrl: (url: string | URL) => URL
  /** Does what checkUrl does, and checks the addresses that the name has now. A name without an answer passes: each connection asks again. */
  checkOnSave: (url: string) => Promise<URL>
  /** The addresses to dial for a host, all of them permitted; rejects with OutboundRefused or the resolver's error. */
  vet: (hostname: string) => Promise<VettedAddress[]>
}

export class OutboundRefused extends Error {
  override name = 'OutboundRefused'
  /** A sentence for the caller. It never says what a name resolves to: that would reveal the operator's network. */
  readonly reason: string
  readonly rule: RefusalRule
  /** The address that was refused, for the log. */
  readonly address: string | null

  constructor(rule: RefusalRule, reason: string, address: string | null = null) {
    super(reason)
    this.rule = rule
    this.reason = reason
    this.address = address
  }
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]
type Exceptions = { names: Set<string>; ranges: Range[] }

// Names that never mean a host of the internet: RFC 6761 §6.3, RFC 6762 §3, and ICANN's private-use .internal.
const localSuffixes = ['localhost', 'local', 'internal']

const remedy = 'Only public addresses can be called, unless the operator lists the host in RUNYARD_ALLOW_PRIVATE_HOSTS.'

/** Resolves as the system does, so that /etc/hosts counts as it does for every other program of the machine. */
export async function systemResolve(hostname: string): Promise<string[]> {
  const answers = await lookup(hostname, { all: true, order: 'verbatim' })
  return answers.map((answer) => answer.address)
}

export function createGuard(options: {
  allowPrivateHosts: string[]
  resolve?: Resolve
  /** How long saving waits for a resolver. */
  saveWaitMs?: number
}): Guard {
  const { allowPrivateHosts, resolve = systemResolve, saveWaitMs = 2000 } = options
  const exceptions = readExceptions(allowPrivateHosts)

  function checkUrl(given: string | URL): URL {
    const url = parseUrl(given)
    const host = normalHost(url.hostname)
    if (exceptions.names.has(host)) return url
    if (isIP(host) !== 0) refuseUnlessPermitted(host, [host])
    // A local name can still be spared by an excepted range, but only once it is resolved.
    else if (isLocalName(host) && exceptions.ranges.length === 0) throw refusedName(host)
    return url
  }

  async function checkOnSave(given: string): Promise<URL> {
    const url = checkUrl(given)
    const host = normalHost(url.hostname)
    if (isIP(host) !== 0 || exceptions.names.has(host)) return url
    const addresses = await answerWithin(saveWaitMs, resolve(host))
    if (addresses.length > 0) refuseUnlessPermitted(host, addresses)
    else if (isLocalName(host)) throw refusedName(host)
    return url
  }

  async function vet(hostname: string): Promise<VettedAddress[]> {
    const host = normalHost(hostname)
    const isLiteral = isIP(host) !== 0
    const isExcepted = exceptions.names.has(host)
    if (isLocalName(host) && !isExcepted && exceptions.ranges.length === 0) throw refusedName(host)
    const addresses = isLiteral ? [host] : await resolve(host)
    if (addresses.length === 0) throw Object.assign(new Error(`${host} has no addresses`), { code: 'ENODATA' })
    if (!isExcepted) refuseUnlessPermitted(host, addresses)
    return addresses.map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 }))
  }

  // One bad address among good ones refuses the host: which of them gets dialled is chance, and mixing them is how a
  // rebinding name looks.
  function refuseUnlessPermitted(host: string, addresses: string[]): void {
    const mustBeExcepted = isLocalName(host)
    for (const address of addresses) {
      if (isInRanges(address, exceptions.ranges)) continue
      if (mustBeExcepted) throw refusedName(host)
      if (!isPublicAddress(address)) throw refusedAddress(host, address)
    }
  }

  return { checkUrl, checkOnSave, vet }
}

/** Reads RUNYARD_ALLOW_PRIVATE_HOSTS: hosts, addresses and CIDRs, parted by commas or spaces. */
export function parsePrivateHostList(text: string): { hosts: string[]; bad: { entry: string; reason: string }[] } {
  const hosts: string[] = []
  const bad: { entry: string; reason: string }[] = []
  for (const entry of text.split(/[\s,]+/).filter((part) => part !== '')) {
    const read = readException(entry)
    if (read.problem === undefined) hosts.push(entry)
    else bad.push({ entry, reason: read.problem })
  }
  return { hosts, bad }
}

function parseUrl(given: string | URL): URL {
  const url = URL.parse(String(given))
  if (url === null) throw new OutboundRefused('url', 'This is not a valid URL.')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutboundRefused(
      'scheme',
      `Only http and https URLs can be called; this one is ${url.protocol.slice(0, -1)}.`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundRefused('credentials', 'The URL must not contain a user name or password.')
  }
  if (url.port === '0') throw new OutboundRefused('port', 'Port 0 cannot be called.')
  return url
}

// The WHATWG parser alone decides what a host spells (2130706433, 0x7f.1, full-width digits …): whatever passes here is
// what gets dialled. It keeps more than one trailing dot and then sees a name (127.0.0.1..), hence none is left to it.
function normalHost(hostname: string): string {
  const bare = hostname.replace(/\.+$/, '')
  const bracketed = bare.includes(':') && !bare.startsWith('[') ? `[${bare}]` : bare
  const host = /[\s/\\?#@]|^[^[]*:/.test(bracketed) ? undefined : URL.parse(`http://${bracketed}`)?.hostname
  if (host === undefined) throw new OutboundRefused('url', 'This is not a valid host.')
  return host.startsWith('[') ? host.slice(1, -1) : host.replace(/\.+$/, '')
}

function isLocalName(host: string): boolean {
  return localSuffixes.some((suffix) => host === suffix || host.endsWith(`.${suffix}`))
}

function refusedName(host: string): OutboundRefused {
  return new OutboundRefused('name', `"${host}" is a name for the local network. ${remedy}`)
}

function refusedAddress(host: string, address: string): OutboundRefused {
  const verb = host === address ? 'is' : 'resolves to'
  const words = addressKinds[classifyAddress(address)]
  return new OutboundRefused('address', `"${host}" ${verb} ${words}. ${remedy}`, address)
}

/** The resolver's answer; nothing when it fails or takes too long, which saving treats alike. */
async function answerWithin(waitMs: number, answer: Promise<string[]>): Promise<string[]> {
  const { promise: tooLate, resolve: giveUp } = Promise.withResolvers<string[]>()
  const timer = setTimeout(giveUp, waitMs, [])
  try {
    return await Promise.race([answer, tooLate])
  } catch {
    // This is the rule, and not a swallowed error: a name that does not resolve is accepted, and checked when it is dialled.
    return []
  } finally {
    clearTimeout(timer)
  }
}

function isInRanges(address: string, ranges: Range[]): boolean {
  const parsed = parseAddress(address)
  if (parsed === null) return false
  const inner = parsed.kind() === 'ipv6' ? embeddedIPv4(parsed as ipaddr.IPv6) : null
  return ranges.some(([base, bits]) =>
    [parsed, inner].some((form) => form !== null && form.kind() === base.kind() && form.match(base, bits)),
  )
}

function readExceptions(entries: string[]): Exceptions {
  const exceptions: Exceptions = { names: new Set(), ranges: [] }
  for (const entry of entries) {
    const read = readException(entry)
    if (read.problem !== undefined) throw new TypeError(`allowPrivateHosts: "${entry}" ${read.problem}`)
    if (read.range !== undefined) exceptions.ranges.push(read.range)
    else exceptions.names.add(read.name)
  }
  return exceptions
}

type ReadException =
  | { name: string; range?: undefined; problem?: undefined }
  | { range: Range; problem?: undefined }
  | { problem: string }

function readException(entry: string): ReadException {
  if (entry.includes('://')) return { problem: 'is a URL; give the host alone' }
  if (entry.includes('/')) return readCidr(entry)
  const literal = parseAddress(entry.replace(/^\[(.*)\]$/, '$1'))
  if (literal !== null) return { range: [literal, literal.kind() === 'ipv4' ? 32 : 128] }
  // Letters, digits, hyphens and underscores only: a port, a wildcard or a second spelling of an address would
  // otherwise be taken for a name and never match.
  const isName = /^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*\.?$/u.test(entry)
  const host = isName ? URL.parse(`http://${entry}`)?.hostname.replace(/\.$/, '') : undefined
  if (host === undefined || isIP(host) !== 0) return { problem: 'is not a host name, an IP address or a CIDR' }
  return { name: host }
}

function readCidr(entry: string): ReadException {
  const [, base = '', bits = ''] = /^([^/]*)\/(\d{1,3})$/.exec(entry) ?? []
  const address = parseAddress(base)
  if (address === null || Number(bits) > (address.kind() === 'ipv4' ? 32 : 128)) return { problem: 'is not a CIDR' }
  return { range: [address, Number(bits)] }
}
