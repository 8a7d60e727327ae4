// How long each stage of a call took.

/** How long each step of dialling a connection took; null: not reached, or not needed. */
export interface Dial {
  readonly startedAt: number
  dns: number | null
  connect: number | null
  tls: number | null
}

export const newDial = (): Dial => ({ startedAt: performance.now(), dns: null, connect: null, tls: null })

/**
 * Milliseconds of each stage. Null: the call did not reach it, or it was not needed: a connection that is used again has no dns, connect
 * and tls. The stage in which a call failed has the time until then.
 */
export interface Timing {
  dns_ms: number | null
  connect_ms: number | null
  tls_ms: number | null
  /** From the request to the status of the answer. */
  wait_ms: number | null
  /** From the status to the last byte that was read. */
  answer_ms: number | null
}

const whole = (ms: number | null): number | null => (ms === null ? null : Math.round(ms))

interface Moments {
  startedAt: number
  /** When the request went on the connection; undefined: it did not. */
  sentAt: number | undefined
  /** When the status came. */
  answeredAt: number | undefined
}

export function timingOf({ startedAt, sentAt, answeredAt }: Moments, dial: Dial | null, now: number): Timing {
  // one that was dialled for an earlier call cost this one nothing
  const own = dial !== null && dial.startedAt >= startedAt ? dial : null
  const known = (own?.dns ?? 0) + (own?.connect ?? 0) + (own?.tls ?? 0)
  const rest = sentAt === undefined ? now - startedAt - known : 0
  const unfinished = own === null || sentAt !== undefined ? undefined : openStage(own)
  const stage = (name: 'dns' | 'connect' | 'tls') => whole(unfinished === name ? rest : (own?.[name] ?? null))
  return {
    dns_ms: stage('dns'),
    connect_ms: stage('connect'),
    tls_ms: stage('tls'),
    wait_ms: sentAt === undefined ? null : whole((answeredAt ?? now) - sentAt),
    answer_ms: answeredAt === undefined ? null : whole(now - answeredAt),
  }
}

/** The step at which dialling is, or at which it failed. */
function openStage({ dns, connect }: Dial): 'dns' | 'connect' | 'tls' {
  if (dns === null) return 'dns'
  return connect === null ? 'connect' : 'tls'
}
