// One declaration per operation; the pipeline, the OpenAPI document, the MCP tool and the client are derived from it.
import type { Sql } from '../base/db.ts'
import type { ErrorCode } from '../base/errors.ts'
import type { AnswerFile, FileAnswer } from './answerFile.ts'
import type { AuditColumns } from './audit.ts'
import type { ClientName } from './clientGroups.ts'
import type { Context } from './context.ts'
import type { Caller } from './credential.ts'
import type { EventData, EventName } from './event.ts'
import type { KeyColumns } from './idempotency.ts'
import type { Enqueue } from './job.ts'
import { parametersOf, type PlainParametersOf, type ResourcesOf } from './resources.ts'
import type { Scope } from './scopes.ts'
import type { Static, TObject, TSchema } from './schema.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Route = `${Method} /v2/${string}`
/** How a call came: over HTTP as itself, in a message of another protocol, or from our page. */
export type Via = 'api' | 'mcp' | 'console'
type PathOf<R extends Route> = R extends `${Method} ${infer Path}` ? Path : never

/** What `prepare` and `handler` both see of a call. */
export type CallView<
  R extends Route,
  Query extends TObject,
  Body extends TObject,
  Errors extends ErrorCode,
> = ResourcesOf<PathOf<R>> & {
  /** The credential's team, which is also the team of everything in the path. */
  team: { id: string }
  caller: Caller
  params: PlainParametersOf<PathOf<R>>
  query: Static<Query>
  body: Static<Body>
  /** For an operation that takes bytes: the body as it was sent, and what its sender calls it. */
  bytes: Uint8Array
  contentType: string | undefined
  context: Context
  requestId: string
  via: Via
  /** The Last-Event-ID that the reader of a stream sent. */
  lastEventId: string | undefined
  /** In a mutating handler this is the request's transaction; otherwise the pool. */
  sql: Sql
  fail: (code: Errors, message?: string) => never
}

/**
 * A commit of its own before the handler's. In it the caller is asked about again; what it did stands, and the call has an audit row whatever
 * becomes of it.
 */
type Act = <T>(change: (sql: Sql) => Promise<T>) => Promise<T>

interface Declaration<
  R extends Route,
  Query extends TObject,
  Body extends TObject,
  Answer extends TSchema,
  Errors extends ErrorCode,
  Emits extends EventName,
  Prepared,
  File extends AnswerFile,
> {
  id: string
  /** How clients call it: `runs.start` of the SDK (clientCall.ts). */
  client?: ClientName
  route: R
  /** A few words, in the imperative. */
  summary: string
  description?: string
  scope: Scope
  query?: Query
  body?: Body
  /** Instead of `body`: a file as it stands, of any type, or in a form (multipart/form-data) with these fields. No MCP tool. */
  takesBytes?: { form: TObject }
  bodyBytesMax?: number
  status: 200 | 201 | 202 | 204
  /** Absent: no body (204). */
  answer?: Answer
  /** Instead of `answer`, for a GET: a file of one of these types. No MCP tool. */
  answerFile?: File
  /** What `fail` may say; the kit's own refusals need no mention. */
  errors?: readonly Errors[]
  emits?: readonly Emits[]
  /** `false`: not offered as an MCP tool (key management, mass deletion). */
  tool?: false
  /**
   * For a POST whose body asks a question, such as a search: it changes nothing, so it leaves no audit row, and no key unless the caller
   * sends one. Clients send none.
   */
  onlyReads?: true
  /** The answer changes only with the version of the server: a caller may keep it, and asks with its ETag whether it still holds. */
  isOfVersion?: true
  /** `prepare` changes something, outside or in commits of its own: the idempotency claim is committed first and renewed while it runs. */
  actsOutside?: true
  /** The member for whom the caller acted, as the answer shows: the audit row names them beside the caller. */
  holder?: (answer: Static<Answer>) => string
  /** Slow or outside things (DNS, providers), after validation and before the transaction. */
  prepare?: (call: CallView<R, Query, Body, Errors> & { act: Act }) => Promise<Prepared>
  /**
   * Instead of `handler`, for an operation whose rows join those of others in one commit: it writes what `stored` gives for its answer
   * (audit row, key and reply) in that same commit, and answers with 'key_taken' when another request had the key.
   */
  lane?: (
    call: CallView<R, Query, Body, Errors> & {
      prepared: Prepared
      stored: (answer: Static<Answer>) => StoredRows
      /** Refuses whoever was revoked or narrowed since the call began; asked last, after whatever waited. */
      stillAllowed: () => Promise<void>
    },
  ) => Promise<Static<Answer> | typeof keyTaken>
  /** The change itself and its SQL; nothing of the outside world. */
  handler?: (
    call: CallView<R, Query, Body, Errors> & {
      prepared: Prepared
      emit: <E extends Emits>(event: E, data: EventData<E>) => Promise<string>
      enqueue: Enqueue
    },
  ) => Promise<[File] extends [never] ? Static<Answer> : FileAnswer>
}

/** What only a GET may answer, and only alone. */
type FileRules<File> = [File] extends [never] ? unknown : { route: `GET /v2/${string}`; status: 200; answer?: never }

/** The reply to a message of another protocol. */
export interface ProtocolReply {
  /** The response itself: JSON, nothing, or a stream of events that has an end. With an Idempotency-Key never a stream. */
  response: Response
  /** False: we failed, or something was busy; a repeat with the same Idempotency-Key runs again. */
  isOutcome: boolean
}

/** An operation as the kit uses it: the declaration without its types, and with its route parsed. */
export interface Operation {
  id: string
  client?: ClientName
  method: Method
  path: string
  /** The names of the path's parameters, in its order. */
  parameters: readonly string[]
  summary: string
  description?: string
  scope: Scope
  query?: TObject
  body?: TObject
  takesBytes?: { form: TObject }
  bodyBytesMax: number
  status: 200 | 201 | 202 | 204
  answer?: TSchema
  answerFile?: AnswerFile
  errors: readonly ErrorCode[]
  emits: readonly EventName[]
  tool: boolean
  onlyReads: boolean
  isOfVersion?: true
  actsOutside: boolean
  /** The member for whom the caller acted, as the answer shows: the audit row names them beside the caller. */
  holder?: (answer: never) => string
  /** Set when the answer is a stream of events; then `handler` returns its source (stream.ts). */
  stream?: { example: string }
  /** Set instead of `handler` when the operation speaks another protocol (protocol.ts). */
  protocol?: { refusal: TSchema; via: Via; speak: (call: never) => Promise<ProtocolReply> }
  prepare?: (call: never) => Promise<unknown>
  lane?: (call: never) => Promise<unknown>
  handler?: (call: never) => Promise<unknown>
}

/** An operation that still has the types of its declaration, for callers. */
export type TypedOperation<
  Path extends string,
  Query extends TObject,
  Body extends TObject,
  Answer extends TSchema,
> = Operation & { path: Path; query?: Query; body?: Body; answer?: Answer }

/** What the kit wants written with an operation on a lane: see audit.ts and idempotency.ts for the statements that take them. */
export interface StoredRows {
  audit: AuditColumns
  key: KeyColumns
}

export const keyTaken = Symbol('another request has this idempotency key')

const defaultBodyBytesMax = 2 * 1024 * 1024

export function operation<
  const R extends Route,
  Query extends TObject = TObject<Record<never, never>>,
  Body extends TObject = TObject<Record<never, never>>,
  Answer extends TSchema = TSchema,
  const Errors extends ErrorCode = never,
  const Emits extends EventName = never,
  Prepared = undefined,
  File extends AnswerFile = never,
>(
  declaration: Declaration<R, Query, Body, Answer, Errors, Emits, Prepared, File> & FileRules<File>,
): TypedOperation<PathOf<R>, Query, Body, Answer> {
  const plain: Declaration<R, Query, Body, Answer, Errors, Emits, Prepared, File> = declaration
  const { route, errors, emits, tool, onlyReads, actsOutside, bodyBytesMax, ...rest } = plain
  const [method, path] = route.split(' ') as [Method, PathOf<R>]
  return {
    ...rest,
    method,
    path,
    parameters: parametersOf(path),
    bodyBytesMax: bodyBytesMax ?? defaultBodyBytesMax,
    errors: errors ?? [],
    emits: emits ?? [],
    tool: tool !== false && !plain.takesBytes && !plain.answerFile,
    onlyReads: onlyReads === true || method === 'GET',
    actsOutside: actsOutside === true,
  }
}

/** A second path to the same operation, without a second handler. */
export function alias(
  of: Operation,
  other: { id: string; client?: ClientName; route: Route; summary?: string },
): Operation {
  const [method, path] = other.route.split(' ') as [Method, string]
  const { client: _, ...rest } = of
  return {
    ...rest,
    ...(other.client && { client: other.client }),
    id: other.id,
    method,
    path,
    parameters: parametersOf(path),
    summary: other.summary ?? of.summary,
  }
}

export const isMutating = ({ method }: Pick<Operation, 'method'>): boolean => method !== 'GET'
