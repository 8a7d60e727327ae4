// Puts a process's context together from its settings, its database and its features.
import { systemClock, type Clock } from '../base/clock.ts'
import type { Config } from '../base/config.ts'
import type { Database } from '../base/db.ts'
import type { Log } from '../base/log.ts'
import { createOutbound } from '../base/outbound/fetch.ts'
import { createGuard } from '../base/outbound/guard.ts'
import type { Keyring } from '../base/secrets.ts'
import { createTelemetry } from '../base/telemetry.ts'
import { announceEvents, onEventsWritten } from './announceEvents.ts'
import { baseUrlOf, type Context, type Lifecycle } from './context.ts'
import type { Feature } from './feature.ts'
import { exposeGrowth } from './growth.ts'
import { createListener, kindOfChannel } from './listener.ts'
import { createMetrics } from './metrics.ts'
import { createRateLimit } from './rateLimit.ts'
import { collect, giveRegistry } from './registry.ts'

interface Parts {
  config: Config
  log: Log
  db: Database
  keyring: Keyring
  features: Feature[]
  clock?: Clock
}

export function createContext({ config, log, db, keyring, features, clock = systemClock }: Parts): Context {
  const guard = createGuard({ allowPrivateHosts: config.allowPrivateHosts })
  const lifecycle: Lifecycle = { draining: false }
  const metrics = createMetrics()
  exposeGrowth(metrics.registry, db, log)
  const context: Context = {
    config,
    log,
    clock,
    db,
    keyring,
    guard,
    outbound: createOutbound(guard),
    metrics,
    telemetry: createTelemetry({ endpoint: config.otlpEndpoint, headers: config.otlpHeaders, log }),
    listener: createListener({
      address: db.address,
      log,
      onHeard: (channel) => metrics.notificationsHeard.inc({ channel: kindOfChannel(channel) }),
    }),
    rateLimit: createRateLimit(db.sql),
    lifecycle,
    parts: new Map(),
    baseUrl: () => baseUrlOf(config, lifecycle),
  }
  giveRegistry(context, collect(features, config))
  for (const { onEvents } of features) if (onEvents) onEventsWritten(context, () => onEvents(context))
  db.onAnnounced(() => announceEvents(context))
  return context
}
