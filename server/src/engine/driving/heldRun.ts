// What a worker knows of a run while it holds it, and how it writes: all of it can be rebuilt from the log, so losing it loses nothing.
import { scrubbed, type Scrub } from '../../base/knownSecrets.ts'
import { inStoredOrder } from '../../base/storedOrder.ts'
import { bytesHeld } from '../../base/valueSize.ts'
import type { Conversation, Entry, Model, Setup } from '../../drivers/model/model.ts'
import type { Sight } from '../../drivers/model/sight.ts'
import type { Context } from '../../kit/context.ts'
import type { Begun, CallingRun, OpenResources, Outcome, ToolCall } from '../../kit/tool.ts'
import { callIdOf, type CallStep, type Change, type Step } from '../ledger/change.ts'
import { seeWritten, type WatchedLog } from '../ledger/watchedLog.ts'
import type { ClaimedRun } from '../admission/claim.ts'
import type { LoadedBuild, LoadBuild } from '../builds/loadBuild.ts'
import type { Logged } from '../ledger/history.ts'
import { sum } from '../ledger/money.ts'
import type { StepResolver, ResolverFor } from '../builds/runStepTool.ts'
import type { ToolRegistry } from '../builds/toolRegistry.ts'
import { isFolded } from './folded.ts'
import { bytesOf, entryBytes, shownEntries, type View } from './modelView.ts'
import { endCall, noteMove, type RunTelemetry } from './runTelemetry.ts'
import { writeSurely, type SureWriting } from './writeSurely.ts'
import type { ApplyLane, Effect, Follow, Write } from '../ledger/applyLane.ts'
import { Fenced } from './leaving.ts'
import type { EngineModels } from '../builds/models.ts'
import type { Breakers } from './breakers.ts'
import type { CostHolds } from '../guardrails/dayBounds.ts'
import type { Guardrails } from '../guardrails/liveRules.ts'
import type { Rules } from '../guardrails/rules.ts'
import type { Windows } from '../../kit/rateLimit.ts'
import type { Routes } from './routeState.ts'

export interface HeldRun extends SureWriting {
  /** When this process opened it, of performance.now(). */
  openedAtMs: number
  build: LoadedBuild
  toolRegistry: ToolRegistry
  telemetry: RunTelemetry
  /** What belongs to the end of this run, in its transaction. */
  atEnd: Write['atEnd']
  /** Undefined for a run that this process did not drive from its beginning: it is checked later. */
  watched: WatchedLog | undefined
  model: Model
  modelName: string
  /** The models that it may ask; `modelName` is the one that it asks now. */
  routes: Routes
  conversation: Conversation
  /** What its conversations are opened with. */
  setup: Setup
  /** How many tokens a request to the model may hold. */
  window: number
  /** Which files the model takes besides text. */
  sight: Sight
  /** What the model is shown of the log. */
  view: View
  /** Everything that the model was told and that is not folded; empty for a pure model, which keeps what it needs. */
  log: Logged[]
  /** The provider refused the last request as too long. */
  refusal: { code: string; message: string } | undefined
  resolver: StepResolver
  /** The process that holds it (processes.id). */
  workerId: string
  /** The sets of tools that it may use. */
  sets: readonly string[]
  /** The model's last turn. */
  turn: number
  /** The number of the last step. */
  step: number
  /** Steps without an outcome. */
  open: Step[]
  /** The wake number as last read: a release needs that it has not changed. */
  wakeSeen: number
  /** The wake number that the database last reported. */
  wakeSeq: number
  /** The number of the last message of a person that was read. */
  messageSeen: number
  usage: { steps: number; input_tokens: number; output_tokens: number; cost_usd: string }
  /** How often the output did not fit its schema. */
  misfits: number
  /** About how much the model reads: the input of its next turn, for the worst case of its cost. */
  promptBytes: number
  /** The part of it that is in every request. */
  fixedBytes: number
  /** About how much memory the entries of its log take in this process. */
  heldBytes: number
  /** Cuts out what the run may use and nobody may see; read again with every call that acts outside. */
  scrub: Scrub | undefined
  /** What the model called the calls that have no result yet, by their id. */
  callNames: Map<string, string>
  /** Aborted when the run was stopped or ran out of its time, and when the process stops: every call ends. */
  signal: AbortSignal
  /** False when the process stops. */
  mayContinue: () => boolean
  openResources: OpenResources & { close(): Promise<void> }
  /** Calls that this process has under way, by id and attempt, including those of runs that were taken from it since then. */
  underWay: Map<string, Promise<unknown>>
  guardrails: RunGuardrails
  /** The guardrails of its team as they were when it was last asked; undefined: it has none. */
  rules: Rules | undefined
}

/** What a process knows of the guardrails of teams. */
interface RunGuardrails {
  live: Guardrails
  /** Calls of a day that leave the service. */
  calls: Windows
  /** What model calls under way may cost. */
  cost: CostHolds
}

export interface DriveParts {
  context: Context
  applyLane: ApplyLane
  toolRegistry: ToolRegistry
  models: EngineModels
  breakers: Breakers
  loadBuild: LoadBuild
  resolverFor: ResolverFor
  onText: (runId: string, delta: string) => void
  /** What belongs to the end of a run, in its transaction. */
  atEnd: (run: ClaimedRun) => Write['atEnd']
  telemetry: RunTelemetry
  underWay: HeldRun['underWay']
  guardrails: RunGuardrails
}

export interface Hold {
  /** Aborted when the run was stopped or ran out of its time, and when the process stops. */
  signal: AbortSignal
  /** The same without the end of the run's time: writes outlast it. */
  writeSignal: AbortSignal
  /** False when the process stops. */
  mayContinue: () => boolean
  /** This process (processes.id). */
  workerId: string
}

/** What writing a change and counting its use needs. */
export type Writing = SureWriting & Pick<HeldRun, 'usage' | 'atEnd' | 'watched' | 'telemetry' | 'wakeSeen' | 'wakeSeq'>

/** Writes a change; false: something came, so the run was not released and nothing was written. */
export async function commit(held: Writing, change: Change, effects: Effect[] = [], follow?: Follow): Promise<boolean> {
  const { usage, atEnd, watched, telemetry, wakeSeen } = held
  const { parent_run_id: parentRunId } = held.run
  const applied = await writeSurely(held, {
    change,
    effects,
    wakeSeen,
    ...(atEnd && { atEnd }),
    ...(parentRunId !== null && { parentRunId }),
    ...(follow && { follow }),
    ...(watched && { watched }),
  })
  if (applied.outcome === 'fenced') throw new Fenced()
  held.wakeSeq = applied.wakeSeq
  held.run.message_seq = applied.messageSeq ?? held.run.message_seq
  if (applied.outcome === 'woken') return false
  if (watched && applied.messages) seeWritten(held.context, watched, held.run.team_id, applied.messages)
  usage.steps += change.usage.steps
  usage.input_tokens += change.usage.input_tokens
  usage.output_tokens += change.usage.output_tokens
  usage.cost_usd = sum(usage.cost_usd, change.usage.cost_usd)
  if (change.messages.length > 0) Object.assign(held.run, { deaths: 0, failures: 0 })
  if (change.move) noteMove(telemetry, change.move, usage.steps)
  return true
}

/** Feeds the model what happened; `seq` is the number of a person's message. */
export function feed(held: HeldRun, told: Entry, { turn = held.turn, seq = 0 } = {}): void {
  const entry = held.model.isPure ? told : asRead(held, told)
  note(held, entry)
  held.heldBytes += bytesHeld(entry)
  if (held.model.isPure) {
    held.conversation.add(entry)
    return
  }
  const logged = { entry, turn, seq }
  held.log.push(logged)
  // what was folded is not shown again, and what was shortened comes shortened
  for (const shown of shownEntries([logged], { ...held.view, folded: null }, held.sight)) {
    held.conversation.add(shown)
    held.promptBytes += entryBytes(shown)
  }
}

/** The entry that the next holder would read from the log: the request is the same then, byte for byte. */
function asRead({ scrub }: HeldRun, told: Entry): Entry {
  // a person may have written a secret into a message: a model outside must not read it
  const entry = scrub ? scrubbed(told, scrub) : told
  return entry.kind === 'user' || entry.kind === 'system' ? entry : inStoredOrder(entry)
}

/** What the run itself must know of everything that happened, whether the model is shown it or not. */
export function note(held: HeldRun, entry: Entry): void {
  held.resolver.add(entry)
  if (entry.kind === 'assistant') for (const { id, name } of entry.calls) held.callNames.set(id, name)
  if (entry.kind === 'result') held.callNames.delete(entry.call_id)
}

/** Shows the model its log in another way: how long a request is then, and `open` begins it. What is folded leaves this process. */
export function showView(held: HeldRun, view: View): { bytes: number; open: () => void } {
  const entries = shownEntries(held.log, view, held.sight)
  const bytes = held.fixedBytes + bytesOf(entries)
  return {
    bytes,
    open() {
      held.view = view
      held.log = held.log.filter((one) => !isFolded(one, view.folded))
      held.heldBytes = held.log.reduce((total, { entry }) => total + bytesHeld(entry), bytesHeld(held.run.message))
      held.promptBytes = bytes
      held.conversation = held.model.open(held.setup)
      for (const entry of entries) held.conversation.add(entry)
    },
  }
}

/** Feeds the model the outcome of a call. */
export function feedOutcome(held: HeldRun, step: CallStep, outcome: Outcome): void {
  endCall(held.telemetry, step, outcome)
  const error = 'error' in outcome ? outcome.error : null
  const result = 'error' in outcome ? null : outcome.result
  const callId = callIdOf(held.run.id, step.seq)
  // under the name that the model used: a block that it ran by run_step is in the ledger under the block's own tool
  const name = held.callNames.get(callId) ?? step.tool
  const { shows: files = [] } = outcome
  feed(held, { kind: 'result', call_id: callId, name, result, error, ...(files.length > 0 && { files }) })
}

/** What tools see of a run. */
export const callingRunOf = (run: ClaimedRun): CallingRun => {
  const { id, team_id, agent_id, build_id, config_hash, user_id, case_id, depth } = run
  return { id, team_id, agent_id, build_id, config_hash, user_id, case_id, depth }
}

export function toolCallOf<Input>({ run }: Pick<HeldRun, 'run'>, step: CallStep): ToolCall<Input> {
  return {
    id: callIdOf(run.id, step.seq),
    step: step.seq,
    run: callingRunOf(run),
    input: step.arguments as Input,
  }
}

/**
 * The time by the database's clock, and never later than it is: waits end by that clock, and a process's own may be behind or ahead. It costs no
 * statement, because the claim brought the time along.
 */
export const databaseNow = ({ run, openedAtMs }: Pick<HeldRun, 'run' | 'openedAtMs'>): number =>
  run.claimed_at.getTime() + performance.now() - openedAtMs

/** While a step waits, its row has what it waits for in the column of its result. */
export const waitingOnOf = (step: Step): Begun['waiting_on'] =>
  (step.result as { waiting_on: Begun['waiting_on'] }).waiting_on
