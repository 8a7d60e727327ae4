// What every part of a running process gets as an argument: made once in main.ts (or by a test), never a global.
import type { Clock } from '../base/clock.ts'
import type { Config } from '../base/config.ts'
import type { Database } from '../base/db.ts'
import type { Log } from '../base/log.ts'
import type { Outbound } from '../base/outbound/fetch.ts'
import type { Guard } from '../base/outbound/guard.ts'
import type { Keyring } from '../base/secrets.ts'
import type { Telemetry } from '../base/telemetry.ts'
import type { Listener } from './listener.ts'
import type { Metrics } from './metrics.ts'
import type { RateLimit } from './rateLimit.ts'

export interface Context {
  config: Config
  log: Log
  clock: Clock
  db: Database
  keyring: Keyring
  guard: Guard
  outbound: Outbound
  metrics: Metrics
  telemetry: Telemetry
  listener: Listener
  rateLimit: RateLimit
  lifecycle: Lifecycle
  /** The running parts of this process (runningPart.ts). */
  parts: Map<symbol, unknown>
  /** The URL under which users reach the service: PUBLIC_URL, or where we listen. Never taken from a Host header. */
  baseUrl(): string
}

export interface Lifecycle {
  draining: boolean
  /** The id of this process in `processes`, once it is announced. */
  processId?: string
  /** The URL of the listener, once it listens. */
  listeningOn?: string
}

export function baseUrlOf(config: Config, lifecycle: Lifecycle): string {
  return config.publicUrl ?? lifecycle.listeningOn ?? `http://${hostForUrl(config.host)}:${config.port}`
}

/** The host of a URL that a browser on this machine can open, for whatever host we listen on. */
export function hostForUrl(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
