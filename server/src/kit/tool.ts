// A tool: what an agent can do, and what becomes of a call when the process that made it dies.
import type { Sql } from '../base/db.ts'
import type { SeenFile } from '../drivers/model/model.ts'
import type { Context } from './context.ts'
import type { EventName } from './event.ts'
import type { Static, TObject } from './schema.ts'

/** What every tool sees of the run that calls it. */
export interface CallingRun {
  id: string
  team_id: string
  agent_id: string
  build_id: string
  /** For a run of a draft, the hash of the config that it keeps. */
  config_hash: string | null
  user_id: string | null
  case_id: string | null
  depth: number
}

export interface ToolCall<Input> {
  /** `run_id:seq`, ours: the same on every attempt, so an outside system can recognise a repetition. */
  id: string
  /** The ledger's number of this call in its run. */
  step: number
  run: CallingRun
  input: Input
}

/** The outcome of a call: data for the model, or a sentence that says what went wrong. */
export type Outcome = ({ result: unknown; files?: WrittenFile[] } | { error: string }) & Alongside

/** What an outside call leaves in our own database, in the very transaction that records its result: all of it or nothing. */
interface Alongside {
  /** May be called twice, when the first transaction was undone. */
  record?: (sql: Sql) => Promise<void>
  /** Files for the run's workspace, by their path in it. */
  writes?: { path: string; bytes: Buffer }[]
  /** Pictures and PDF files for a model that takes them, beside the result; their bytes are stored by `record`, by `writes` or already. */
  shows?: SeenFile[]
}

/** Thrown by `record`, or by the call itself: the result cannot be stored, and the message tells the model why. The call then counts as failed. */
export class CannotSave extends Error {}

/**
 * Thrown by an outside tool whose call did not happen and cannot until something comes: its run waits for that and makes the call then.
 * `begin` writes what is waited for, in the transaction that records the wait.
 */
export class NotYet extends Error {
  readonly begin: (sql: Sql) => Promise<Begun>

  constructor(begin: (sql: Sql) => Promise<Begun>) {
    super('the call cannot be made yet')
    this.begin = begin
  }
}

/**
 * Thrown by an outside tool whose call did not happen, because it is no longer what a person approved. The message says what
 * is different; the person is asked again.
 */
export class Outdated extends Error {}

/** What a call touches besides its arguments: plain JSON, equal for equal things. */
export type Bound = Record<string, string | number | null>

/** A file that a call made or changed in the run's workspace: each one is reported as `run.file.created`. */
export interface WrittenFile {
  path: string
  size_bytes: number
  sha256: string
  content_type: string
}

export interface WaitingOn {
  kind: 'human' | 'time' | 'connection' | 'sub_run'
  detail: Record<string, unknown>
  /** When the clock ends the wait by itself. */
  due_at?: Date
}

/** What a waiting call leaves behind when it begins. */
export interface Begun {
  waiting_on: WaitingOn
  /** Events of the run that are written with it. */
  events?: { event: EventName; data: object }[]
}

interface Described<Input extends TObject> {
  name: string
  /** One sentence, for the model and the catalogue. */
  description: string
  input: Input
}

/** Changes only our own database: its effect commits with its result, so it is never in doubt. Takes many calls at once. */
export interface InsideTool<Input extends TObject = TObject> extends Described<Input> {
  kind: 'inside'
  apply: (calls: ToolCall<Static<Input>>[], sql: Sql, context: Context) => Promise<Outcome[]>
}

/** A tool that acts outside of our database. Between its intent and its result it is in doubt, and says itself what to do about that. */
export interface OutsideTool<Input extends TObject = TObject> extends Described<Input> {
  kind: 'outside'
  /** `retry`: harmless to repeat. `probe`: look whether it happened. `ask`: only a person can know. */
  onDoubt: 'retry' | 'probe' | 'ask' | ((input: Static<Input>, context: Context) => 'retry' | 'ask')
  timeoutMs: number
  execute: (call: ToolCall<Static<Input>>, outside: Outside) => Promise<Outcome>
  /** The outcome of a call that was begun and cut off; undefined: it did not happen, make it. */
  probe?: (call: ToolCall<Static<Input>>, outside: Outside) => Promise<Outcome | undefined>
  /** For a tool that throws NotYet: whether what its call waits for has come; asked until it has, and then the call is made. */
  hasCome?: (
    call: ToolCall<Static<Input>>,
    asked: { waitingOn: WaitingOn; sql: Sql; context: Context },
  ) => Promise<boolean>
  /** `input` is another server's schema. It is checked in bounded steps; if it cannot be used, only that server checks the arguments. */
  isForeign?: true
  /** What an approval of this call is bound to besides its tool and arguments: the connection, and the tool as its server lists it. */
  boundTo?: (call: ToolCall<Static<Input>>, asked: { sql: Sql; context: Context }) => Promise<Bound>
  /**
   * `together`, unless said otherwise: calls of one turn run at once. `alone`: it begins when the calls before it have ended, and those after
   * it wait, because it shares something with them (a page, files).
   */
  beside?: 'together' | 'alone'
  /** Its call leaves the service and may carry secrets: in all of its arguments, or in these. */
  takesSecrets?: true | readonly string[]
  /** Why a person must allow this call whatever the build says; undefined: no reason. */
  needsApproval?: string
  /** The other tools whose work this call does: a rule about one of them counts for it too. */
  actsAs?: (input: Static<Input>) => readonly string[]
  /** What of the world outside a call touches, by its arguments alone; undefined, or `never`: nothing beyond this service. */
  leaves: 'never' | ((input: Static<Input>, context: Context) => Leaving | undefined)
}

/** How a call leaves the service, as the guardrails of a team judge it. */
export interface Leaving {
  /** False: it only reads there. */
  isEffect: boolean
  /** The hosts that it may reach, as far as its arguments say. `*.example.com` stands for every name below. */
  hosts: readonly string[]
  /** The connection that it uses: its id, or how the call names it. */
  connection?: string
}

/** The host of a URL as it is dialled: lower case, without brackets, without a dot at its end. Null: there is none. */
export const hostOf = (url: string): string | null => {
  const host = URL.parse(url)
    ?.hostname.replace(/^\[(.*)\]$/, '$1')
    .replace(/\.+$/, '')
  return host ? host : null
}

export interface Outside {
  context: Context
  /** Aborted when the run was stopped, taken over or ran out of its time, or the call out of its own. */
  signal: AbortSignal
  openResources: OpenResources
  /** For a call that a person approved: what it was bound to, and what must still hold when it is made (else `Outdated`). */
  bound?: Bound
}

/** What tools keep open for a run from one call to the next, a shell or a browser, while this process holds the run. */
export interface OpenResources {
  /** Opened at the first call that asks for it; closed when the run waits, ends, is stopped or taken over. */
  get<T extends { close(): Promise<void> }>(key: string, open: () => Promise<T>): Promise<T>
  /** Closed now: the next call opens it again. */
  drop(key: string): Promise<void>
}

/** Its result comes later, from a person, a clock or another run; until then the run costs rows only. */
interface WaitingTool<Input extends TObject = TObject> extends Described<Input> {
  kind: 'waiting'
  waitsFor: WaitingOn['kind']
  /** Writes what is waited for, in the transaction that records the call; an outcome where there is nothing to wait for. */
  begin: (call: ToolCall<Static<Input>>, sql: Sql, context: Context) => Promise<Begun | Outcome>
  /** Reads whether it has come; undefined: not yet. `now` is by the database's clock, which also wakes whoever waits for a time. */
  resolve: (call: ToolCall<Static<Input>>, sql: Sql, waitingOn: WaitingOn, now: number) => Promise<Outcome | undefined>
}

export type Tool = InsideTool<never> | OutsideTool<never> | WaitingTool<never>

export const insideTool = <Input extends TObject>(tool: Omit<InsideTool<Input>, 'kind'>): Tool =>
  ({ kind: 'inside', ...tool }) as unknown as Tool
export const outsideTool = <Input extends TObject>(tool: Omit<OutsideTool<Input>, 'kind'>): Tool =>
  ({ kind: 'outside', ...tool }) as unknown as Tool
export const waitingTool = <Input extends TObject>(tool: Omit<WaitingTool<Input>, 'kind'>): Tool =>
  ({ kind: 'waiting', ...tool }) as unknown as Tool
