// A feature is a folder's list of what it offers: operations, jobs, resources, tool sets, plain routes, a tick, and hooks into what others do.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../base/config.ts'
import type { Sql } from '../base/db.ts'
import type { Scrub } from '../base/knownSecrets.ts'
import type { SealedColumn } from '../base/sealedColumns.ts'
import type { SuspectProcesses } from './suspectProcesses.ts'
import type { Context } from './context.ts'
import type { EndCheck } from './endCheck.ts'
import type { EvidencePart } from './evidence.ts'
import type { Job } from './job.ts'
import type { Operation } from './operation.ts'
import type { GivenTo, LaidFile, LoginUse, NamedInBuilds, SecretUse } from './given.ts'
import type { Offer, RunStarts } from './offers.ts'
import type { KeptEvents } from './oldEvents.ts'
import type { DeadProcess } from './presence.ts'
import type { Resource } from './resources.ts'
import type { Role } from './scopes.ts'
import type { Bound, CallingRun, Tool, WaitingOn } from './tool.ts'
import type { Unit } from './suspectChild.ts'

/** A set of tools that an agent's config may switch on by its name. */
export interface ToolSet {
  name: string
  title: string
  description: string
  tools: Tool[]
  /** A sentence on what stands behind the tools on this server, for the catalogue. */
  inForce?: (context: Context) => Promise<string>
  /** Answers for every tool with this prefix that is not in the list: it says why the tool cannot be called, or waits until it can. */
  standIn?: { prefix: string; tool: Tool }
  /** Native sets come with the server; a provider's set needs a connection to it. */
  provider: string | null
}

/**
 * What a feature does when something happens in another folder: called in the transaction in which it happens. What follows from the end
 * of a run is a trigger on its status instead, for runs end in many ways and many at once.
 */
export interface Hooks {
  agentDeleted?: (happened: { sql: Sql; context: Context; teamId: string; agentId: string }) => Promise<void>
  /** A run is started in a sandbox that its starter named, or continues in it after its end. */
  runTakesSandbox?: (happened: {
    sql: Sql
    context: Context
    teamId: string
    runId: string
    sandboxId: string
    isNew: boolean
  }) => Promise<void>
  /** A run begins with the first steps of another run. What the other run had stored before this step belongs to the new run too. */
  runCopied?: (happened: {
    sql: Sql
    context: Context
    teamId: string
    fromRunId: string
    toRunId: string
    beforeStep: number
  }) => Promise<void>
  /**
   * Runs that have ended are being erased: the feature erases what it stores about them. A table that the release before does not know needs a
   * trigger instead (migration 0125).
   */
  runsDeleted?: (happened: { sql: Sql; context: Context; teamId: string; runIds: string[] }) => Promise<void>
  /**
   * The logs of runs that stay were erased: the feature erases what it copied from them. A job calls it, in no transaction, and may call it again
   * for the same runs.
   */
  runLogsErased?: (happened: { sql: Sql; context: Context; runIds: string[] }) => Promise<void>
  /**
   * All events of all teams with smaller ids than `past` are dropped, other than those of the rows `kept`: the feature drops what it stores
   * about them. Others wait for this transaction.
   */
  eventsDropped?: (happened: { sql: Sql; context: Context; past: string; kept: string[] }) => Promise<void>
}

/** What is shown at paths that no route has. */
export interface Fallback {
  /** Whether it can be shown: a console that is not built only says so. */
  isThere: (context: Context) => Promise<boolean>
  /** Gets only GET and HEAD. Undefined: this request gets its 404. */
  answer: (context: Context, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>
}

/** What a run of a build may use for the connections that the build names. */
export interface ConnectionUse {
  /**
   * The tools of connections, one set per connection, for every run that begins or continues; from the database if they were ever listed.
   * `mayAsk`: whether the server of one that never listed them may be asked now; undefined: none may.
   */
  tools: (asked: {
    sql: Sql
    context: Context
    run: CallingRun
    connectionIds: string[]
    mayAsk?: (bound: Bound) => boolean
  }) => Promise<ToolSet[]>
  /**
   * Makes one call with a connection's credential, which is added here and nowhere else, and only for its own hosts. Throws NotYet while
   * the connection must be authorised again.
   */
  call: <T>(asked: {
    context: Context
    run: CallingRun
    /** Its id, or its name. */
    connection: string
    url: string
    send: (headers: Record<string, string>) => Promise<T>
    /** Whether an answer says that the credential is no longer valid. */
    isRefused: (answer: T) => boolean
    /** Whether the service also says that the token itself is invalid. */
    isInvalidToken: (answer: T) => boolean
    /** For a call that a person approved: what `boundTo` returned. */
    bound?: Bound | undefined
  }) => Promise<{ answer: T; scrub: Scrub }>
  /** What an approval of a call with this connection is bound to. */
  boundTo: (asked: { sql: Sql; run: CallingRun; connection: string }) => Promise<Bound>
  /** Cuts every secret that these connections hold now out of a text: what one call sent may come back in another. */
  scrubber: (asked: { context: Context; teamId: string; connectionIds: string[] }) => Promise<Scrub>
  /** Whether a member may let an MCP connection be called on their behalf. */
  mayCall: (asked: { sql: Sql; teamId: string; memberId: string; connectionId: string }) => Promise<boolean>
  /** Calls one tool of an MCP connection on behalf of a member, outside of any run. A problem is a sentence. */
  callTool: (asked: {
    context: Context
    teamId: string
    memberId: string
    connectionId: string
    tool: string
    input: Record<string, unknown>
    signal: AbortSignal
  }) => Promise<{ result: unknown } | { problem: string }>
  /** Whether what a call of this run waits for has come: see NotYet. */
  hasCome: (asked: { sql: Sql; run: CallingRun; waitingOn: WaitingOn }) => Promise<boolean>
}

/**
 * Agents behind other records, such as an artifact. No list shows them, no limit counts them, and no caller finds them or their builds
 * by id; the engine runs them like any other agent, and runs have their names.
 */
export interface HiddenAgents {
  /** The agent has a draft build for each config, in their order, and no memory. */
  create: (wanted: {
    sql: Sql
    teamId: string
    name: string
    createdBy: string
    configs: object[]
  }) => Promise<{ agentId: string; buildIds: string[] }>
  /** Gives one of its builds another config; runs that began before keep theirs. `by`: the member who wrote the config. */
  configure: (wanted: { sql: Sql; teamId: string; buildId: string; config: object; by: string }) => Promise<void>
  rename: (wanted: { sql: Sql; teamId: string; agentId: string; name: string }) => Promise<void>
  /** Stops its active runs and removes what belongs to it, as for any agent that is deleted. */
  remove: (wanted: { sql: Sql; context: Context; teamId: string; agentId: string }) => Promise<void>
}

interface AskedOfGate {
  sql: Sql
  teamId: string
  agentId: string
  buildId: string
}

/** What the latest runs of a build scored, against what they must score before it may become live. */
export interface GateVerdict {
  min_score: number
  last_runs: number
  evaluated_runs: number
  score: number | null
  is_open: boolean
  /** What to do about a gate that is closed. */
  refusal: string
}

/** What stands before the promotion of a build. */
export interface PromotionGate {
  /** Undefined: the agent has no gate. */
  judge: (asked: AskedOfGate) => Promise<GateVerdict | undefined>
  /** Somebody promotes a build although the gate is closed: keeps the reason, in the transaction of the promotion. */
  bypass: (asked: AskedOfGate & { verdict: GateVerdict; memberId: string; reason: string }) => Promise<void>
}

/** How a rule of alerts pauses an agent. Only a person resumes it. */
export interface AgentPauses {
  /** False: it was paused before, or is gone. */
  pause: (wanted: { sql: Sql; teamId: string; agentId: string; reason: string; incidentId: string }) => Promise<boolean>
}

/** What a replay of a build showed, against what the gate asks of it. */
export interface ReplayVerdict {
  replay_set_id: string
  min_match: number
  max_cost_usd: string | null
  /** The latest finished replay of the build as it is now against the set as it is now; null: there is none. */
  replay_id: string | null
  match: number | null
  cost_usd: string | null
  is_open: boolean
  refusal: string
}

/** A second gate before the promotion of a build: it must have been replayed. */
export interface ReplayGate {
  /** Undefined: the agent has no such gate. */
  judge: (asked: AskedOfGate) => Promise<ReplayVerdict | undefined>
  bypass: (asked: AskedOfGate & { verdict: ReplayVerdict; memberId: string; reason: string }) => Promise<void>
}

/** How a draft that the service made itself is replayed. */
export interface DraftReplays {
  /** Records the runs that can be recorded, and begins, all in the caller's transaction. `busy`: the team has as many replays under way as it may. */
  begin: (wanted: {
    sql: Sql
    context: Context
    teamId: string
    agentId: string
    build: { id: string; config: unknown }
    runIds: string[]
    /** Null: no limit. */
    maxCostUsd: string | null
    memberId: string
  }) => Promise<{ replayId: string } | { problem: string } | 'busy'>
  /** Nobody needs it any more: cancels it if it is under way, and erases its recordings. Its report stays. */
  end: (wanted: { sql: Sql; teamId: string; replayId: string }) => Promise<void>
}

/** How others make and change members: a sign-in with OpenID Connect, and a confirmation mail. */
export interface MemberWrites {
  /** Undefined: a member of the team has this email already. */
  create: (wanted: { sql: Sql; teamId: string; name: string; email: string; role: Role }) => Promise<string | undefined>
  /** Does nothing for the only admin of the team, who stays admin. */
  changeRole: (wanted: { sql: Sql; teamId: string; memberId: string; role: Role }) => Promise<void>
  /** Notes that the member has shown this address to be theirs. False: it is not the member's address any more. */
  confirmEmail: (wanted: { sql: Sql; teamId: string; memberId: string; email: string }) => Promise<boolean>
}

/** What a feature does twice a second in every working process, by itself or beside others of its kind; `signal` ends it early. */
export type Tick = (call: { context: Context; signal: AbortSignal }) => Promise<void>

/** A process that works, as others know it. */
export interface WorkingProcess {
  id: string
  /** Aborted when the others may believe that it died: what it held is no longer its own. */
  lost: () => AbortSignal
  /** Does work that two processes died over. Without it such work is done like any other. */
  suspectProcesses?: SuspectProcesses | undefined
}

/** Does one unit in a process that does only suspects (kit/suspectProcesses.ts). False: the unit could not be taken. */
export type DriveSuspect = (call: {
  context: Context
  unit: Unit
  process: WorkingProcess
  /** The work waits for this before it begins; `at` names the part that begins, when a death must be traced to its part. */
  took: (at?: string) => Promise<void>
  /** Aborted when the process must stop. */
  signal: AbortSignal
  /** Aborted when others wait for their turn: work of many parts ends before its next part, and continues later. */
  turn: AbortSignal
}) => Promise<boolean>

/** The continuous work of a feature in a working process. */
export interface Work {
  /** Called twice a second: finds what notifications may have missed. */
  poll(): Promise<void>
  /** Begins nothing more; resolves when what is under way has ended. */
  stop(): Promise<void>
}

export interface Feature {
  name: string
  /** One sentence for the reference, where the feature has operations. */
  about: string
  /** The feature under whose name the reference, `/llms.txt` and MCP list its operations, where that is not its own. */
  listedUnder?: string
  operations: Operation[]
  jobs: Job[]
  resources: Resource[]
  toolSets: ToolSet[]
  /** The tool sets that this server has only where its settings say so. */
  toolSetsBy?: (config: Config) => ToolSet[]
  hooks: Hooks
  /** It begins with `lookFor` (sharedLook.ts), and returns while there is nothing to do: it is paid for twice a second. */
  tick?: Tick
  work?: (context: Context, process: WorkingProcess) => Work
  /** Its work keeps to the team of a drill in a process of that drill (`config.drillTeam`). All other work such a process leaves alone. */
  worksInDrills?: true
  /** Sets free what a dead process held, and counts its death. */
  reap?: (context: Context, dead: DeadProcess) => Promise<void>
  /** How to do work that two processes died over, by the kind of unit. */
  driveSuspect?: Record<string, DriveSuspect>
  /** Called when the process ends and does no work any more: closes what the feature still holds outside. */
  close?: (context: Context) => Promise<void>
  /** Called after each commit of this process that wrote events, whatever its role (announceEvents.ts). It must return at once. */
  onEvents?: (context: Context) => void
  /** Rows of event_batches that stay although they are old enough to be erased. */
  keptEvents?: KeptEvents
  /** Only the feature of connections has it. */
  connectionUse?: ConnectionUse
  /** What it keeps that builds name. */
  namedInBuilds?: NamedInBuilds[]
  /** What it keeps that a builder may put into a draft. */
  offers?: Offer[]
  /** What it keeps that starts runs by itself. */
  runStarts?: RunStarts
  /** The values of what the run's build names that nobody may see: they are cut out of everything that leaves the run. */
  hiddenValues?: (asked: GivenTo) => Promise<string[]>
  /** Files that the run's build names, for its sandbox. */
  laidFiles?: (asked: GivenTo) => Promise<LaidFile[]>
  /** Tools for what the run's build names, for every run that begins or continues. */
  givenTools?: (asked: GivenTo) => Promise<ToolSet[]>
  /** Only the feature of secrets has it. */
  secretUse?: SecretUse
  /** Only the feature of secrets has it. */
  loginUse?: LoginUse
  /** Only the feature of agents has it. */
  hiddenAgents?: HiddenAgents
  /** Only the feature of teams has it. */
  memberWrites?: MemberWrites
  /** Only the feature of agents has it. */
  agentPauses?: AgentPauses
  /** Only the feature of evaluations has it. */
  promotionGate?: PromotionGate
  /** Only the feature of replays has it. */
  replayGate?: ReplayGate
  /** Only the feature of replays has it. */
  draftReplays?: DraftReplays
  /** Only the feature of evaluations has it. */
  endCheck?: EndCheck
  /** What it knows of a run, for its evidence bundle. */
  evidence?: EvidencePart
  /** Every column of its tables that holds sealed values: a new encryption key seals these again. */
  sealed?: SealedColumn[]
  /** Mounts routes that are not operations of /v2: the token endpoint, metadata documents. */
  routes?: (app: FastifyInstance, context: Context) => void
  /** Only the feature of the console has it. */
  fallback?: Fallback
}

type Declared = Pick<Feature, 'name'> & {
  about?: string
  operations?: Operation[]
  // a job's input type is its own affair; the worker checks it by its schema
  jobs?: Job<never>[]
  resources?: Resource[]
  toolSets?: ToolSet[]
  hooks?: Hooks
} & Pick<
    Feature,
    | 'listedUnder'
    | 'toolSetsBy'
    | 'tick'
    | 'work'
    | 'worksInDrills'
    | 'reap'
    | 'driveSuspect'
    | 'close'
    | 'onEvents'
    | 'keptEvents'
    | 'connectionUse'
    | 'namedInBuilds'
    | 'offers'
    | 'runStarts'
    | 'hiddenValues'
    | 'laidFiles'
    | 'givenTools'
    | 'secretUse'
    | 'loginUse'
    | 'hiddenAgents'
    | 'memberWrites'
    | 'agentPauses'
    | 'promotionGate'
    | 'replayGate'
    | 'draftReplays'
    | 'endCheck'
    | 'evidence'
    | 'sealed'
    | 'routes'
    | 'fallback'
  >

export function feature(declared: Declared): Feature {
  return {
    ...declared,
    about: declared.about ?? '',
    operations: declared.operations ?? [],
    jobs: (declared.jobs ?? []) as Job[],
    resources: declared.resources ?? [],
    toolSets: declared.toolSets ?? [],
    hooks: declared.hooks ?? {},
  }
}

/** The text with a capital first letter. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `auditLog` as people read it: `Audit log`. */
export function titleOf({ name }: Pick<Feature, 'name'>): string {
  const words = name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)
  return capitalized(words)
}
