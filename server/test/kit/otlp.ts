// Reads what an OpenTelemetry exporter sent: OTLP in its JSON form.
import type { Received } from './receiver.ts'

export interface SentSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  isClient: boolean
  isError: boolean
  durationMs: number
  attributes: Record<string, string | number>
}

interface Pair {
  key: string
  value: { stringValue?: string; intValue?: number; doubleValue?: number }
}

interface WireSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Pair[]
  status: { code: number }
}

interface Payload {
  resourceSpans: { resource: { attributes: Pair[] }; scopeSpans: { spans: WireSpan[] }[] }[]
}

const clientKind = 3
const errorCode = 2

const valuesOf = (pairs: Pair[]) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, (value.stringValue ?? value.intValue ?? value.doubleValue)!]))

export function spansIn(received: Received[]): { spans: SentSpan[]; resource: Record<string, string | number> } {
  const groups = received.flatMap(({ body }) => (JSON.parse(body.toString()) as Payload).resourceSpans)
  const spans = groups.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
  return {
    resource: valuesOf(groups[0]?.resource.attributes ?? []),
    spans: spans.map((span) => ({
      name: span.name,
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId,
      isClient: span.kind === clientKind,
      isError: span.status.code === errorCode,
      durationMs: Number((BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1_000_000n),
      attributes: valuesOf(span.attributes),
    })),
  }
}
