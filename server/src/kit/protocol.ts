// A protocol of its own (MCP) as a kind of operation: admitted by the same stages as any other, then answered in that protocol.
import type { IncomingHttpHeaders } from 'node:http'
import { Fault } from '../base/errors.ts'
import type { ClientName } from './clientGroups.ts'
import { operation, type Operation, type CallView, type Via, type ProtocolReply } from './operation.ts'
import type { Reply } from './reply.ts'
import type { Scope } from './scopes.ts'
import type { TObject, TSchema } from './schema.ts'

/** An operation as a message asks for it. */
export interface OperationCall {
  params: Record<string, string>
  /** The query, without its `?`. */
  search: string
  body: object | undefined
  idempotencyKey: string | undefined
}

/** What a handler of a protocol sees besides what other handlers see. */
export interface Conversation {
  headers: IncomingHttpHeaders
  /** The key of the whole message. */
  idempotencyKey: string | undefined
  /** The message: any JSON value. */
  sent: unknown
  /** Aborted when the other side is gone. */
  signal: AbortSignal
  /**
   * Carries out an operation for the same caller, through the same stages, with its own scope, key, transaction, events and audit row.
   * Never throws. It is not counted against the rate limit, for the message that asks for it was.
   */
  perform: (asked: Operation, how: OperationCall) => Promise<Reply>
}

type ProtocolRoute = `POST /v2/${string}`
type NoBody = TObject<Record<never, never>>

interface ProtocolDeclaration<R extends ProtocolRoute, Query extends TObject> {
  id: string
  client?: ClientName
  route: R
  summary: string
  description: string
  scope: Scope
  query: Query
  /** What is sent; for the reference, since the protocol itself refuses what does not fit. */
  message: TObject
  bodyBytesMax: number
  answer: TSchema
  /** How the protocol itself refuses: with a 400 or a 404, beside our own errors. */
  refusal: TSchema
  /** What runs and audit rows name as the way on which they came. */
  via: Via
  speak: (call: CallView<R, Query, NoBody, never> & Conversation) => Promise<ProtocolReply>
}

/**
 * A message has no transaction and no audit row: what it asks for has. With an Idempotency-Key it holds a committed claim, since its
 * effects are committed before its answer is. No MCP tool.
 */
export function protocol<const R extends ProtocolRoute, Query extends TObject>(
  declaration: ProtocolDeclaration<R, Query>,
): Operation {
  const { message, refusal, via, speak, ...rest } = declaration
  const declared = operation<R, Query>({ ...rest, status: 200, tool: false, actsOutside: true })
  return { ...declared, body: message, protocol: { refusal, via, speak } }
}

/** Makes the request that would have come over HTTP, so that a key is bound to the same thing there and here. */
export function requestOf({ path }: Operation, { params, search, body, idempotencyKey }: OperationCall) {
  const filled = path.replace(/:(\w+)\*?/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const bytes = body && Buffer.from(JSON.stringify(body))
  return {
    params,
    search,
    url: search ? `${filled}?${search}` : filled,
    idempotencyKey,
    // it is already in memory, as part of a message that waited for its turn
    bodyBytes: 0,
    async readBody(bytesMax: number) {
      if (bytes && bytes.length > bytesMax) throw new Fault('payload_too_large')
      return bytes
    },
  }
}

/** Headers that we set ourselves on every answer. */
const ownHeaders = new Set(['content-type', 'content-length', 'cache-control', 'connection', 'x-accel-buffering'])

export async function replyOfProtocol({ response }: ProtocolReply): Promise<Reply> {
  const { status, body } = response
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !ownHeaders.has(name)))
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  if (body && isStream) return { status, body: null, headers, flow: body }
  return { status, body: body && (await response.text()), headers }
}
