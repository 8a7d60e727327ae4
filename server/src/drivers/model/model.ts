// What the engine asks of a model: the next thing to do, given everything that has happened in the run so far.
import type { FileKind } from '../../base/fileKind.ts'

/** A tool as a model sees it. */
export interface ModelTool {
  name: string
  description: string
  /** JSON Schema of an object. */
  input_schema: Record<string, unknown>
}

/** A tool call that a turn asks for. Its id is the model's own; the ledger gives the one that counts. */
export interface WantedCall {
  id: string
  name: string
  arguments: unknown
}

/** One thing that happened, in the order of the log. Calls and results carry the ledger's call id. */
export type Entry =
  /** `restarts`: it came to an ended run and started it again. */
  | { kind: 'user'; text: string; restarts: boolean }
  /** A message of the engine to the model: a limit that is near, an output that did not fit its schema. */
  | { kind: 'system'; text: string }
  /** `opaque` is what the driver itself gave with that turn, which gets it back unread. */
  | { kind: 'assistant'; text: string | null; calls: WantedCall[]; opaque: unknown }
  /** `files` are sent beside the result: the model takes their types. */
  | { kind: 'result'; call_id: string; name: string; result: unknown; error: string | null; files?: SeenFile[] }

/** A picture or a PDF that came with a result, by reference: logs hold no bytes. */
export interface SeenFile extends FileKind {
  /** What it is, for the model: a path, or words. */
  name: string
  sha256: string
  size_bytes: number
  /** It came with the result without being asked for; whoever cannot see it misses nothing. */
  is_aside?: true
}

/** Facts of the run that a procedure may read; frozen when the run began. */
export interface RunFacts {
  /** The trigger's payload: parsed when it was JSON. */
  message: unknown
  case: unknown
  run: {
    id: string
    number: number
    title: string | null
    agent_id: string
    agent_name: string
    source: string
    created_at: string
  }
}

/** The case of a run that a case started, as `facts.case` has it. */
export interface CaseFacts {
  id: string
  queue_id: string
  title: string
  /** Parsed where it is JSON. */
  data: unknown
  priority: string
  labels: { key: string; value: string }[]
  attempts: number
}

export interface Setup {
  /** `provider:model`, or `builtin:runbook`. */
  model: string
  procedure: string
  tools: ModelTool[]
  facts: RunFacts
  /** JSON Schema that the output must fit, where the build asks for one. */
  output_schema: Record<string, unknown> | null
  output_tokens_max: number | null
}

export interface TokenUsage {
  input_tokens: number
  output_tokens: number
  /** The parts of the input that were read from the provider's cache, or written to it; both have prices of their own. */
  cache_read_tokens?: number
  cache_write_tokens?: number
}

export interface Turn {
  text: string | null
  thinking: string | null
  /** Empty unless `ending` is `calls`. */
  calls: WantedCall[]
  ending:
    | { kind: 'calls' }
    /** The model is done; `output` is what it leaves. */
    | { kind: 'done'; output: unknown }
    /** It cannot continue and says why; `code` is a value of `run.error.code`. */
    | { kind: 'failed'; code: string; message: string }
  usage: TokenUsage
  /** Stored with the turn and given back in the assistant entry (signatures, item ids of a provider). */
  opaque: unknown
}

export type ReadFiles = (sha256s: string[]) => Promise<Map<string, Buffer>>

/**
 * One run's conversation with its model: it gets what happened and returns what comes next. It lives in one worker and is rebuilt from the
 * log after a takeover.
 */
export interface Conversation {
  add(entry: Entry): void
  next(options: {
    signal: AbortSignal
    onText: (delta: string) => void
    /** The bytes of files of the entries by SHA-256, of those that are still stored. Absent: no entry has files. */
    readFiles?: ReadFiles
  }): Promise<Turn>
}

export interface Model {
  /** Deterministic, and nothing outside is touched or paid: a turn may be made again without harm. */
  isPure: boolean
  open(setup: Setup): Conversation
}

/**
 * Why a provider gave no answer: it could not be reached or failed inside (`down`), it has too much to do or wants to be asked less often
 * (`overloaded`), or its answer broke off or was empty (`broken`).
 */
export type TroubleKind = 'down' | 'overloaded' | 'broken'

interface TroubleOptions {
  kind?: TroubleKind
  retryAfterMs?: number
  usage?: TokenUsage | undefined
  mayBeServed?: boolean
  cause?: unknown
}

/** The provider could not answer now: worth another attempt of the same turn. */
export class ModelTrouble extends Error {
  readonly kind: TroubleKind
  /** The pause that the provider asks for (Retry-After), if it does. */
  readonly retryAfterMs: number | undefined
  /** What it used for an answer that is of no use. */
  readonly usage: TokenUsage | undefined
  /**
   * True if the provider may have made an answer, and charges for it, although we did not get it; false if it surely made none, or we know
   * what it used.
   */
  readonly mayBeServed: boolean
  constructor(message: string, options: TroubleOptions = {}) {
    super(message, { cause: options.cause })
    this.kind = options.kind ?? 'broken'
    this.retryAfterMs = options.retryAfterMs
    this.usage = options.usage
    this.mayBeServed = options.mayBeServed ?? options.usage === undefined
  }
}

/** The provider will never answer this: the run fails with its words, unless another model may be asked. */
export class ModelRefused extends Error {
  /**
   * A value of `run.error.code`: `model_auth` (the key, or what it may use), `model_refused` (by the provider's policy) or
   * `model_refused_request` (the request itself).
   */
  readonly code: string
  constructor(code: string, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.code = code
  }
}

/** The request is longer than the model's window. A shorter one may be answered. */
export class ContextExceeded extends ModelRefused {
  /** What the provider used, if it began an answer. */
  readonly usage: TokenUsage | undefined
  constructor(code: string, message: string, options: { cause?: unknown; usage?: TokenUsage | undefined } = {}) {
    super(code, message, options)
    this.usage = options.usage
  }
}

/** What the provider used for an answer that nobody gets, and reported. */
export const usageOf = (error: unknown): TokenUsage | undefined =>
  error instanceof ModelTrouble || error instanceof ContextExceeded ? error.usage : undefined
