// Finds a host that takes a sandbox, and keeps its lease: the fewest of this worker first, those that did not answer last.
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../../base/log.ts'
import { HostAway, HostRefused, type HostClient } from './hostClient.ts'
import { leaseMsMax, silentMs, type OpenWanted } from './protocol.ts'

/** A sandbox on a host, from the side of its worker. */
export interface HeldSandbox {
  client: HostClient
  path: string
  /** Told to the host with each renewal. */
  isToYield: () => boolean
  /** When its lease has run out for certain, if it is not renewed from now on. */
  leaseOverAt(): number
  stopRenewing(): void
}

export interface Hosts {
  /** Waits while hosts are full, and a while for those that do not answer; rejects if none of them takes it. */
  open(hasLaid: boolean, signal: AbortSignal): Promise<HeldSandbox>
  /** Its host did not answer: others are tried first for a while. */
  failed(client: HostClient): void
}

interface HostState {
  client: HostClient
  sandboxes: number
  awayUntil: number
}

const awayMs = 10_000
/** How long one host may take before the next is asked. */
const openMs = 10_000
const askAgainMs = 500
/** How long a command waits for hosts that do not answer: one that is started again is back by then. */
const restartMs = 15_000
/** The lease must be renewed more often than this, or a request that is lost would end it. */
const leaseMsMin = 500
const settle = `Set RUNYARD_SANDBOX_LEASE_S there to ${leaseMsMax / 1000} or less.`

/** Nobody took it. The reasons have URLs of the operator in them, so they are for the log. */
export class NoHost extends Error {
  constructor() {
    super('No machine for sandboxes takes commands now. The operator finds the reason in the log.')
  }
}

const isAway = ({ awayUntil }: HostState): boolean => awayUntil > performance.now()

export function createHosts(clients: HostClient[], reachable: string[], log: Log): Hosts {
  const states = clients.map((client): HostState => ({ client, sandboxes: 0, awayUntil: 0 }))

  async function openAt(state: HostState, hasLaid: boolean, signal: AbortSignal): Promise<HeldSandbox> {
    const { client } = state
    const question = { method: 'POST', path: '/v1/sandboxes', withinMs: openMs } as const
    const json: OpenWanted = { hosts: reachable, has_laid: hasLaid }
    const { id, lease_ms } = await client.askJson({
      ...question,
      json,
      signal,
    })
    const isId = typeof id === 'string' && /^[0-9a-f-]{36}$/.test(id)
    const isLease = typeof lease_ms === 'number' && lease_ms >= leaseMsMin
    if (!isId || !isLease) throw new HostRefused(200, `${client.url} answered with something else than a sandbox.`)
    if (lease_ms > leaseMsMax)
      throw new HostRefused(200, `${client.url} wants a lease of ${lease_ms / 1000} s. ${settle}`)
    state.sandboxes += 1
    return keepLease(client, `/v1/sandboxes/${id}`, lease_ms, log, () => (state.sandboxes -= 1))
  }

  return {
    async open(hasLaid, signal) {
      const givenUpAt = performance.now() + restartMs
      for (;;) {
        const reasons: string[] = []
        let isWorthWaiting = false
        const order = states.toSorted((a, b) => Number(isAway(a)) - Number(isAway(b)) || a.sandboxes - b.sandboxes)
        for (const state of order) {
          try {
            return await openAt(state, hasLaid, signal)
          } catch (error) {
            signal.throwIfAborted()
            if (!(error instanceof HostAway || error instanceof HostRefused)) throw error
            const isFull = error instanceof HostRefused && error.status === 503
            if (!isFull) state.awayUntil = performance.now() + awayMs
            isWorthWaiting ||= isFull || (error instanceof HostAway && performance.now() < givenUpAt)
            reasons.push(error.message)
          }
        }
        if (!isWorthWaiting) {
          log.error({ reasons }, 'no sandbox host takes commands')
          throw new NoHost()
        }
        await pause(askAgainMs, undefined, { signal })
      }
    },
    failed(client) {
      const state = states.find((one) => one.client === client)
      if (state) state.awayUntil = performance.now() + awayMs
    },
  }
}

function keepLease(client: HostClient, path: string, leaseMs: number, log: Log, whenOver: () => void): HeldSandbox {
  const withinMs = Math.min(leaseMs / 3, silentMs)
  let overAt = performance.now() + leaseMs
  const held: HeldSandbox = {
    client,
    path,
    isToYield: () => false,
    leaseOverAt: () => overAt,
    stopRenewing() {
      if (stopped.signal.aborted) return
      stopped.abort()
      clearInterval(timer)
      whenOver()
    },
  }
  const stopped = new AbortController()
  const renew = (): void => {
    // a request that gets no answer may still have renewed it, until it is given up
    overAt = performance.now() + withinMs + leaseMs
    const json = { is_to_yield: held.isToYield() }
    client
      .askJson({ method: 'POST', path: `${path}/lease`, json, withinMs, signal: stopped.signal })
      .catch((error: unknown) => {
        // the next command finds out that the sandbox is gone
        if (!stopped.signal.aborted)
          log.debug({ err: error, host: client.url }, 'the lease of a sandbox was not renewed')
      })
  }
  const timer = setInterval(renew, leaseMs / 3).unref()
  return held
}
