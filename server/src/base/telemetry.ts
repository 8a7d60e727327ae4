// Traces for OpenTelemetry: spans of work that is done, sent by OTLP when an endpoint is set; otherwise nothing is loaded or held.
import { randomBytes } from 'node:crypto'
import type { SpanExporter, TracerProviderOptions } from '@opentelemetry/sdk-trace'
import type { Log } from './log.ts'
import { runyardVersion as version } from './version.ts'

export type Attributes = Record<string, string | number | boolean>

/** Identifies a span: 16 and 8 bytes in hex. */
interface SpanRef {
  traceId: string
  spanId: string
}

export interface Span {
  place: SpanRef
  /** `error` is a word for `error.type`: a code, never a text that a user or a model wrote. */
  end(attributes?: Attributes, error?: string): void
}

interface SpanOptions {
  /** The span's own ids, if others must be able to compute them. */
  as?: SpanRef
  /** Another moment than now, in milliseconds since 1970. */
  startedAt?: number
  /** True for a span that is a call to the outside. */
  isClient?: boolean
}

export interface Telemetry {
  span(name: string, attributes: Attributes, parent?: SpanRef, options?: SpanOptions): Span
  /** Sends what is left, for a few seconds at most. */
  shutdown(): Promise<void>
}

interface Finished {
  name: string
  place: SpanRef
  parent: SpanRef | undefined
  attributes: Attributes
  error: string | undefined
  startedAt: number
  endedAt: number
  isClient: boolean
}

interface Sender {
  send(span: Finished): void
  shutdown(): Promise<void>
}

interface TelemetryOptions {
  /** Undefined: off. */
  endpoint: string | undefined
  headers: Record<string, string>
  log: Log
}

/** A process that stops does not wait longer than this for a collector. */
const sendMs = 3000
/** How many spans may wait, about what a busy second makes; what comes beyond is dropped, for memory must not grow with a collector's trouble. */
const waitingMax = 16_384

const nowhere: SpanRef = { traceId: '0'.repeat(32), spanId: '0'.repeat(16) }
const off: Telemetry = {
  span: () => ({ place: nowhere, end: () => undefined }),
  shutdown: () => Promise.resolve(),
}

/**
 * The trace of something that has a UUID, and its root span: the same for every process, so that work which moves between processes
 * needs no stored state to stay one trace. The last eight bytes are never all zero: two of their bits say the UUID's variant.
 */
export function rootSpanOf(uuid: string): SpanRef {
  const traceId = uuid.replaceAll('-', '').toLowerCase()
  return { traceId, spanId: traceId.slice(16) }
}

export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { endpoint, log } = options
  if (endpoint === undefined) return off
  const opening = openSender({ ...options, endpoint }).catch((error: unknown): Sender => {
    log.error({ err: error }, 'traces cannot be sent; the service continues without them')
    return { send: () => undefined, shutdown: () => Promise.resolve() }
  })
  return {
    span(name, attributes, parent, { as, startedAt = Date.now(), isClient = false } = {}) {
      const place = as ?? { traceId: parent?.traceId ?? newId(16), spanId: newId(8) }
      // the wall clock may be set during the span, so the length is measured with performance.now()
      const elapsedBefore = Date.now() - startedAt
      const from = performance.now()
      return {
        place,
        end(more = {}, error) {
          const endedAt = startedAt + elapsedBefore + (performance.now() - from)
          const whole = { ...attributes, ...more }
          const finished = { name, place, parent, attributes: whole, error, startedAt, endedAt, isClient }
          void opening.then((sender) => sender.send(finished))
        },
      }
    },
    shutdown: async () => (await opening).shutdown(),
  }
}

const newId = (bytes: number): string => randomBytes(bytes).toString('hex')

/** Spans are handed over when they have ended, so the packages may load while the first ones run. */
async function openSender({ endpoint, headers, log }: TelemetryOptions & { endpoint: string }): Promise<Sender> {
  const [api, sdk, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ])
  let place = nowhere
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers, timeoutMillis: sendMs })
  const provider = new sdk.TracerProvider({
    resource: resourceOf({ 'service.name': 'runyard', 'service.version': version }),
    // startSpan asks for the ids at once, so they are those of the span at hand
    idGenerator: { generateTraceId: () => place.traceId, generateSpanId: () => place.spanId },
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: heard(exporter, log), maxQueueSize: waitingMax })],
  })
  const tracer = provider.getTracer('runyard', version)
  return {
    send(span) {
      place = span.place
      const parent = span.parent
        ? api.trace.setSpanContext(api.ROOT_CONTEXT, { ...span.parent, traceFlags: api.TraceFlags.SAMPLED })
        : api.ROOT_CONTEXT
      const kind = span.isClient ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL
      const made = tracer.startSpan(span.name, { kind, attributes: span.attributes, startTime: span.startedAt }, parent)
      if (span.error !== undefined) {
        made.setAttribute('error.type', span.error).setStatus({ code: api.SpanStatusCode.ERROR })
      }
      made.end(span.endedAt)
    },
    shutdown: () =>
      provider.shutdown().catch((error: unknown) => log.warn({ err: error }, 'last traces were not sent')),
  }
}

/** Trouble is logged when it begins and when it is over, not with every batch. */
function heard(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined
        if (failed && !isFailing)
          log.warn({ err: result.error }, 'traces could not be sent; they are dropped until they can')
        if (!failed && isFailing) log.info('traces are sent again')
        isFailing = failed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}

type Resource = NonNullable<TracerProviderOptions['resource']>

/** The resource that names the sender. It is made here because its package is not a dependency of ours. */
const resourceOf = (attributes: Resource['attributes']): Resource => ({
  attributes,
  merge: (other) => resourceOf({ ...attributes, ...other?.attributes }),
  getRawAttributes: () => Object.entries(attributes),
})
