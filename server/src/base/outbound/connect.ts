// The connections of outbound calls: pooled per origin, and dialled only to addresses the guard has vetted.

import { connect, isIP, type Socket } from 'node:net'
import { callbackify } from 'node:util'
import { Agent, buildConnector, Client, Pool, type Dispatcher } from 'undici'
import { connectTimeout, dialFailure, OutboundFailure } from './failure.ts'
import type { Guard, VettedAddress } from './guard.ts'
import { newDial, type Dial } from './timing.ts'

/** A dispatch handler that wants to know which connection carries its request. */
export type ConnectionAware = Dispatcher.DispatchHandler & { onConnection?(connection: PooledConnection): void }

type GuardedDispatcher = { dispatcher: Dispatcher; close: () => Promise<void> }

/**
 * An undici dispatcher behind the guard. A plain Agent reads no proxy from the environment: with one, the proxy and not
 * we would resolve the name. The number of connections is left to the callers, who know what they ask for: a limit here
 * would let one slow receiver's requests queue up in front of everybody else's.
 */
export function createDispatcher(guard: Guard, limits: { connectTimeoutMs: number }): GuardedDispatcher {
  const { connectVetted, abandon } = createConnector(guard, limits.connectTimeoutMs)
  const agent = new Agent({
    factory: (origin, options: object) =>
      new Pool(origin, { ...options, factory: (url, own) => new PooledConnection(url, own) }),
    connect: connectVetted,
    // HTTP/1.1 only: its header limit is one number, and no receiver of webhooks or MCP needs more.
    allowH2: false,
    maxHeaderSize: 16 * 1024,
  })
  const close = async (): Promise<void> => {
    const destroyed = agent.destroy()
    abandon()
    await destroyed
  }
  return { dispatcher: agent, close }
}

/** How dialling goes, for the connection that asked for it. */
const dials = new WeakMap<buildConnector.Options, Dial>()

/** One connection of a pool; it remembers the address it was dialled to, and how long that took. */
export class PooledConnection extends Client {
  address: string | null = null
  dial: Dial | null = null

  constructor(origin: URL, options: Client.Options) {
    const open = options.connect as buildConnector.connector
    super(origin, {
      ...options,
      connect: (target, done) => {
        this.dial = newDial()
        dials.set(target, this.dial)
        open(target, (...[error, socket]) => {
          if (error !== null) return done(error, null)
          this.address = socket.remoteAddress ?? null
          return done(null, socket)
        })
      },
    })
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: ConnectionAware): boolean {
    handler.onConnection?.(this)
    return super.dispatch(options, handler)
  }
}

/**
 * undici's connector with the guard around it. A `lookup` option would not do: for an IP literal net never asks it.
 * `connectTimeoutMs` spans name resolution, TCP and TLS; `abandon` gives up every attempt under way.
 */
function createConnector(
  guard: Guard,
  connectTimeoutMs: number,
): { connectVetted: buildConnector.connector; abandon: () => void } {
  const secure = buildConnector({ allowH2: false, timeout: connectTimeoutMs })
  const attempts = new Set<AbortController>()

  async function open(target: buildConnector.Options, signal: AbortSignal): Promise<Socket> {
    const addresses = await stage('dns', target, guard.vet(target.hostname))
    signal.throwIfAborted()
    const socket = await stage('connect', target, dial(target, addresses, signal))
    return target.protocol === 'https:' ? stage('tls', target, handshake(secure, target, socket)) : socket
  }

  async function openInTime(target: buildConnector.Options): Promise<Socket> {
    const { promise: givenUp, reject } = Promise.withResolvers<never>()
    const attempt = new AbortController()
    attempt.signal.addEventListener('abort', () => reject(attempt.signal.reason as OutboundFailure))
    const timer = setTimeout(() => attempt.abort(connectTimeout(target.hostname)), connectTimeoutMs)
    attempts.add(attempt)
    try {
      return await Promise.race([open(target, attempt.signal), givenUp])
    } finally {
      clearTimeout(timer)
      attempts.delete(attempt)
    }
  }

  const openWithCallback = callbackify(openInTime)
  return {
    connectVetted: (target, done) =>
      openWithCallback(target, (error, socket) => {
        if (error !== null) return done(error, null)
        // The socket was closed before anybody listened for that, so undici would wait for ever.
        if (socket.destroyed) return done(closedAtOnce(target.hostname), null)
        return done(null, socket)
      }),
    abandon: () => {
      for (const attempt of attempts) attempt.abort(new OutboundFailure('aborted', 'The service is shutting down.'))
    },
  }
}

function closedAtOnce(host: string): OutboundFailure {
  return new OutboundFailure('connect', `${host} closed the connection at once.`)
}

async function stage<T>(name: 'dns' | 'connect' | 'tls', target: buildConnector.Options, step: Promise<T>): Promise<T> {
  const begunAt = performance.now()
  try {
    const done = await step
    const timed = dials.get(target)
    if (timed) timed[name] = performance.now() - begunAt
    return done
  } catch (error) {
    throw dialFailure(name, target.hostname, error)
  }
}

// net tries the addresses one after the other, IPv6 and IPv4 in turn (after RFC 8305 §4). The name it is given has no
// meaning (RFC 6761 §6.4): were the vetted answer ever not asked for, nothing would be dialled.
function dial(target: buildConnector.Options, addresses: VettedAddress[], signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect({
    host: 'vetted.invalid',
    lookup: (_host, _options, answer) => answer(null, addresses),
    port: target.port === '' ? (target.protocol === 'https:' ? 443 : 80) : Number(target.port),
    autoSelectFamily: true,
    // An attempt that takes too long is given up and not left running, as the RFC would do: hence twice its 250 ms.
    autoSelectFamilyAttemptTimeout: 500,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
    signal,
  })
  socket.once('connect', () => resolve(socket))
  // Stays after the connection is made: an error then is undici's to handle, and here without effect.
  socket.on('error', reject)
  return promise
}

// The certificate must be for the name in the URL, and that name is sent to the server (SNI, RFC 6066 §3: no trailing dot, no address),
// whatever address was dialled.
function handshake(
  secure: buildConnector.connector,
  target: buildConnector.Options,
  httpSocket: Socket,
): Promise<Socket> {
  const { hostname, protocol, port } = target
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const servername = isIP(hostname) === 0 ? { servername: hostname.replace(/\.$/, '') } : {}
  secure({ hostname, protocol, port, host: hostname, ...servername, httpSocket }, (...[error, socket]) => {
    if (error === null) resolve(socket)
    else reject(error)
  })
  return promise
}
