// One call on its way through the pipeline: what came, what each stage adds for the next ones, and what all stages stand on.
import type { IncomingHttpHeaders } from 'node:http'
import { Fault } from '../../base/errors.ts'
import type { BodyTurn, BodyTurns } from '../bodyTurns.ts'
import type { Context } from '../context.ts'
import type { Caller, Credentials } from '../credential.ts'
import type { Keyed, KeyLine } from '../idempotency.ts'
import { isMutating, type Operation, type Via } from '../operation.ts'
import type { Refusals } from '../refusals.ts'
import type { Reply } from '../reply.ts'
import type { TeamDatabase } from '../teamDatabase.ts'
import type { TeamTime } from '../teamTime.ts'

/** A request as any transport delivers it: HTTP, or a message of another protocol. */
export interface PlainRequest {
  requestId: string
  authorization: string | undefined
  /** The headers of a request that may act with the cookie of a session: it has cookies and no Authorization. */
  page?: IncomingHttpHeaders
  idempotencyKey: string | undefined
  /** The address of the peer: it counts when there is no valid credential. */
  address: () => string
  /** Path with query, as sent. */
  url: string
  search: string
  params: Record<string, string>
  contentType?: string | undefined
  /** The last event that the reader of a stream has. */
  lastEventId?: string | undefined
  via?: Via
  /** For what speaks a protocol of its own. */
  http?: { headers: IncomingHttpHeaders; signal: AbortSignal }
  /** The size of the body; undefined when it is not announced. */
  bodyBytes: number | undefined
  /** Reads the body, refusing what is larger than the operation takes. */
  readBody(bytesMax: number): Promise<Uint8Array | undefined>
}

/** What the stages of every call share. */
export interface Deps {
  context: Context
  credentials: Credentials
  refusals: Refusals
  time: TeamTime
  bodyTurns: BodyTurns
  /** Requests of this process with the same idempotency key, one after the other. */
  keyLine: KeyLine
  /** Performs a call inside a message whose sender is known and counted. */
  performFor(caller: Caller, operation: Operation, request: PlainRequest): Promise<Reply>
}

export interface Exchange {
  deps: Deps
  operation: Operation
  request: PlainRequest
  /** Whom the last look-up found: a call that waited asks again (admit.ts). */
  caller: Caller
  bytes: Uint8Array | undefined
  /** Held until the body is parsed; for an operation that takes the raw body, until the end. */
  turn: BodyTurn | undefined
  keyed: Keyed | undefined
  /** The records of the path, in its order, without the team. */
  found: { noun: string; id: string; row: object }[]
  plain: Record<string, string>
  /** `prepare` has made commits of its own: they stand, and the call is answered. */
  hasActed: boolean
  /** Something has been done, here or outside: the call has an audit row whatever becomes of it. */
  mustBeAudited: boolean
  /** The caller's team takes turns with others for connections. */
  db: TeamDatabase
}

/** Another request holds the key: its stored reply is the answer. */
export class KeyTaken extends Error {}

export const fail = (code: Fault['code'], message?: string): never => {
  throw new Fault(code, message)
}

export const takesJson = (operation: Operation): boolean =>
  isMutating(operation) && !operation.takesBytes && !operation.protocol
