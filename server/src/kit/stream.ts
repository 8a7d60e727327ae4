// A stream of server-sent events as a kind of operation: refused by the same stages as any other, then held open.
import { Fault, type ErrorCode } from '../base/errors.ts'
import type { ClientName } from './clientGroups.ts'
import { operation, type Operation, type CallView } from './operation.ts'
import type { Scope } from './scopes.ts'
import type { TObject, TSchema } from './schema.ts'

/** One event on the wire (HTML standard, §9.2.6). */
interface StreamEvent {
  /** What the reader sends back as Last-Event-ID. A reader cannot resume after an event without one. */
  id?: string
  event: string
  /** JSON, and so one line. */
  data: string
}

/** The open end of a stream, as its source sees it. */
export interface EventStream {
  /** False from the moment it ended, whoever ended it. */
  readonly isOpen: boolean
  /** The reader is behind: what can wait is held back until `onDrain`. */
  readonly isFull: boolean
  send(event: StreamEvent): void
  /** What is sent by this function leaves as one write. */
  together(send: () => void): void
  /** Notes that the reader has everything up to here, although not all of it was for them; the next heartbeat sends the id. */
  passed(id: string): void
  end(): void
  onDrain: () => void
}

/** Begins to feed an open stream. Returns the function that stops it, which is called once, when the stream is over. */
export type Source = (stream: EventStream) => () => void

type StreamRoute = `GET /v2/${string}`
type NoBody = TObject<Record<never, never>>

interface StreamDeclaration<R extends StreamRoute, Query extends TObject, Errors extends ErrorCode> {
  id: string
  client?: ClientName
  route: R
  summary: string
  description: string
  scope: Scope
  query?: Query
  errors?: readonly Errors[]
  /** How the stream looks, for the reference. */
  example: StreamEvent[]
  /** Whatever can still be refused is refused here: after it the answer is a 200. */
  open: (call: CallView<R, Query, NoBody, Errors> & { lastEventId: string | undefined }) => Promise<Source>
}

/** No stream is an MCP tool: a tool call has an end. */
export function stream<
  const R extends StreamRoute,
  Query extends TObject = NoBody,
  const Errors extends ErrorCode = never,
>(declaration: StreamDeclaration<R, Query, Errors>): Operation {
  const { example, open, ...rest } = declaration
  const declared = operation<R, Query, NoBody, TSchema, Errors>({
    ...rest,
    status: 200,
    tool: false,
    // an empty one is what a reader has that got no id yet
    handler: (call) => open({ ...call, lastEventId: call.lastEventId || undefined }),
  })
  return { ...declared, stream: { example: retryLine + example.map(blockOf).join('') } }
}

/** How many milliseconds a reader waits before it comes back; sent at the beginning of every stream. */
export const retryLine = 'retry: 1000\n\n'

export function blockOf({ id, event, data }: StreamEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`
}

/** An id that this stream never gave is refused. */
export const strangeLastEventId = (): Fault =>
  new Fault(
    'invalid_request',
    'Last-Event-ID must be the id of an event of this stream. Leave it out to begin as a new reader does.',
  )
