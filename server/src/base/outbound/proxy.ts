// A forward proxy for programs whose requests are not made by us (browsers, sandboxes): it dials only what the guard permits.

import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { pipeline, type Duplex } from 'node:stream'
import { dialFailure } from './failure.ts'
import { OutboundRefused, type Guard, type VettedAddress } from './guard.ts'
import { answer, asAnswer, idle, ProxyAnswer, relay, written, type RelayTarget } from './relay.ts'

/** Called for a host that is refused; `reason` is a sentence for whoever wanted it. */
export type ProxyRefusal = { host: string; reason: string }

export type FilteringProxyOptions = {
  guard: Guard
  /** Asked after the guard, with the host as it is dialled: lower case, no brackets, no trailing dot. */
  mayReach?: (host: string, port: number) => boolean
  onRefused?: (refusal: ProxyRefusal) => void
  /** Called for a host that is permitted but was not reached: programs seldom show what a proxy answers to CONNECT. */
  onUnreachable?: (failure: ProxyRefusal) => void
  /** Without them, whoever reaches the listener may use it. */
  credentials?: { username: string; password: string }
  connectTimeoutMs?: number
  /** How long a connection stays on which nothing moves. */
  idleTimeoutMs?: number
  /** How many connections may be open at once. A page or a script may open them without end; beyond this they are cut at once. */
  connectionsMax?: number
}

type FilteringProxy = {
  /** The port of a TCP listener (0 takes any free one); null for a socket in the file system. */
  listen: (on: { path: string } | { host: string; port: number }) => Promise<{ port: number | null }>
  /** Cuts off whatever is under way. */
  close: () => Promise<void>
}

interface Proxy extends FilteringProxyOptions {
  sockets: Set<Socket>
  isClosed: boolean
}

const usualConnectMs = 10_000
const usualIdleMs = 300_000
const usualConnections = 256

export function createFilteringProxy(options: FilteringProxyOptions): FilteringProxy {
  const proxy: Proxy = { ...options, sockets: new Set(), isClosed: false }
  const server = createServer({ maxHeaderSize: 64 * 1024, headersTimeout: 30_000, requestTimeout: 0, noDelay: true })
  server.maxConnections = options.connectionsMax ?? usualConnections
  // A little longer than the limit of the server's side, so that the client can still get an answer.
  server.timeout = (options.idleTimeoutMs ?? usualIdleMs) + 5000
  server.on('connection', (socket) => track(proxy, socket))
  server.on('request', (request, response) => void forward(proxy, request, response))
  server.on('connect', (request, client, head) => void tunnel(proxy, request, client, head))
  return {
    async listen(on) {
      server.listen(on)
      await once(server, 'listening')
      const address = server.address()
      return { port: typeof address === 'string' ? null : (address as AddressInfo).port }
    },
    async close() {
      proxy.isClosed = true
      const closed = server.listening ? once(server, 'close') : undefined
      server.close()
      for (const socket of proxy.sockets) socket.destroy()
      await closed
    },
  }
}

function track({ sockets }: Proxy, socket: Socket): void {
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
}

function requireCredentials({ credentials }: Proxy, request: IncomingMessage): void {
  if (!credentials) return
  const wanted = `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`
  if (isSame(request.headers['proxy-authorization'] ?? '', wanted)) return
  throw new ProxyAnswer(407, 'This proxy wants a user name and a password.', {
    'proxy-authenticate': 'Basic realm="runyard", charset="UTF-8"',
  })
}

/** Reads where a request wants to go, and lets it through or throws the refusal. */
function admit(proxy: Proxy, address: string): RelayTarget {
  try {
    const url = proxy.guard.checkUrl(address)
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.+$/, '')
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
    if (proxy.mayReach?.(host, port) === false) {
      throw new OutboundRefused('name', `"${host}" is not on the list of hosts that may be reached from here.`)
    }
    return { url, host, port }
  } catch (error) {
    throw refused(proxy, URL.parse(address)?.hostname ?? address.slice(0, 253), error)
  }
}

function refused({ onRefused }: Proxy, host: string, error: unknown): unknown {
  if (!(error instanceof OutboundRefused)) return error
  onRefused?.({ host, reason: error.reason })
  return new ProxyAnswer(403, error.reason)
}

/** The name is resolved once, and exactly what was vetted is dialled. */
async function dial(proxy: Proxy, { host, port }: RelayTarget): Promise<Socket> {
  const attempt = new AbortController()
  const timer = setTimeout(() => attempt.abort(), proxy.connectTimeoutMs ?? usualConnectMs)
  let stage: 'dns' | 'connect' = 'dns'
  try {
    const addresses = await unlessAborted(proxy.guard.vet(host), attempt.signal)
    if (proxy.isClosed) throw new Error('the proxy was closed')
    stage = 'connect'
    return await connected(proxy, { addresses, port, signal: attempt.signal })
  } catch (error) {
    if (error instanceof OutboundRefused) throw refused(proxy, host, error)
    const isLate = attempt.signal.aborted
    const reason = isLate ? `${host} did not accept a connection in time.` : dialFailure(stage, host, error).message
    proxy.onUnreachable?.({ host, reason })
    throw new ProxyAnswer(isLate ? 504 : 502, reason)
  } finally {
    clearTimeout(timer)
  }
}

async function connected(
  proxy: Proxy,
  to: { addresses: VettedAddress[]; port: number; signal: AbortSignal },
): Promise<Socket> {
  const socket = connect({
    // A name without meaning (RFC 6761 §6.4): were the vetted answer not asked for, nothing would be dialled.
    host: 'vetted.invalid',
    lookup: (_host, _options, found) => found(null, to.addresses),
    port: to.port,
    signal: to.signal,
    autoSelectFamily: true,
    noDelay: true,
  })
  track(proxy, socket)
  // Whoever uses the socket handles its errors; between two users one would end the process.
  socket.on('error', () => {})
  socket.setTimeout(proxy.idleTimeoutMs ?? usualIdleMs, () => socket.destroy(new Error(idle)))
  await once(socket, 'connect')
  return socket
}

/** RFC 9112 §3.2.2: a request that names its whole URL. */
async function forward(proxy: Proxy, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on('error', () => request.destroy())
  try {
    requireCredentials(proxy, request)
    const address = request.url ?? ''
    if (!/^http:\/\//i.test(address)) throw new ProxyAnswer(400, notForUs(address))
    if (/websocket/i.test(request.headers.upgrade ?? '')) {
      throw new ProxyAnswer(501, 'This proxy carries WebSockets through CONNECT only.')
    }
    const target = admit(proxy, address)
    const upstream = await dial(proxy, target)
    if (request.socket.destroyed) return void upstream.destroy()
    relay(target, upstream, request, response)
  } catch (error) {
    answer(response, asAnswer(error))
  }
}

/** RFC 9110 §9.3.6: bytes both ways, none of them read. */
async function tunnel(proxy: Proxy, request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
  client.on('error', () => client.destroy())
  try {
    requireCredentials(proxy, request)
    const authority = /^(\[[0-9a-f:.]+\]|[^\s:/\\?#@[\]]+):(\d{1,5})$/i.exec(request.url ?? '')
    if (!authority) throw new ProxyAnswer(400, 'CONNECT wants a host and a port, as example.com:443.')
    const upstream = await dial(proxy, admit(proxy, `https://${authority[0]}/`))
    if (client.destroyed) return void upstream.destroy()
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) upstream.write(head)
    // An end of one side is carried to the other; a failure of one ends both.
    pipeline(client, upstream, () => {})
    pipeline(upstream, client, () => {})
  } catch (error) {
    client.end(written(asAnswer(error)))
  }
}

function notForUs(address: string): string {
  if (/^https:/i.test(address)) return 'For https this proxy wants CONNECT.'
  return 'This is a proxy: send it the whole URL, as GET http://example.com/.'
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Hashes are compared, so that neither length nor content shows in the time it takes. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(hash(given), hash(wanted))
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const giveUp = (): void => reject(signal.reason)
  signal.addEventListener('abort', giveUp)
  try {
    return await Promise.race([work, late])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
