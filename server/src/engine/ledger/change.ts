// One atomic change of a run that this process holds: messages, steps, events and a move, gathered here and written by apply.ts.
import { newId } from '../../base/ids.ts'
import { storableJson } from '../../base/storable.ts'
import type { EventName } from '../../kit/event.ts'
import type { stepKinds, stepStates } from '../../kit/states.ts'
import type { RunError } from './lifecycle.ts'
import type { StepMoment } from './moments.ts'

export type MessageType = 'text' | 'thinking' | 'tool_call' | 'tool_result' | 'system'
export type MessageRole = 'user' | 'assistant' | 'tool' | 'system'

export interface ToolResult {
  tool_call_id: string
  result: unknown
  error: string | null
  duration_ms: number
}

interface NewMessage {
  type: MessageType
  role: MessageRole
  text_content?: string | null
  tool_call?: { id: string; name: string; arguments: unknown }
  tool_result?: ToolResult
  opaque?: unknown
  restarts?: boolean
}

export type CallKind = Exclude<(typeof stepKinds)[number], 'model'>
export type StepState = (typeof stepStates)[number]

interface AnyStep {
  seq: number
  turn: number
  arguments: unknown
  state: StepState
  attempt: number
  result: unknown
  error: string | null
  input_tokens: number | null
  output_tokens: number | null
  cost_usd: string | null
  reserved_usd: string
  /** For a model step: how many attempts may have been answered and paid for although nobody has the answer. */
  unsettled: number
  started_at: string
  completed_at: string | null
  /** Absent from a step to which nothing happened but its beginning and its end. */
  moments?: StepMoment[] | null
}

/** One turn of a model; `tool` is the name of the model. */
export interface ModelStep extends AnyStep {
  kind: 'model'
  tool: string | null
  /** The beginning of what the model said. */
  said?: string | null
}

/** One call of a tool. */
export interface CallStep extends AnyStep {
  kind: CallKind
  tool: string
}

/** The attempt of a call that is written down and waits for calls before it. */
export const notBegun = 0

/** A row of the ledger, whole: a step is written again with every change of its state. */
export type Step = ModelStep | CallStep

export const isCall = (step: Step): step is CallStep => step.kind !== 'model'

export type Move =
  | { status: 'waiting'; waiting_on: { kind: string; detail: unknown }; due_at: Date | null }
  | { status: 'completed'; output: unknown }
  | { status: 'failed'; error: RunError }

interface MessageRow extends Required<Omit<NewMessage, 'tool_call' | 'tool_result' | 'text_content'>> {
  id: string
  turn: number
  text_content: string | null
  tool_call: NonNullable<NewMessage['tool_call']> | null
  tool_result: ToolResult | null
  /** Both as storable JSON, made once: the log, the event and the size of it need the same text. Empty: there is none. */
  json: { tool_call: string; tool_result: string }
  timestamp: string
}

interface EventRow {
  event: EventName
  /** Its data as JSON. */
  text: string
  /** Its data is the next message of the change, which gets its seq when it is written. */
  isMessage: boolean
}

export interface Change {
  /** Identifies the change, so that we can ask whether it was committed. */
  id: string
  runId: string
  teamId: string
  epoch: number
  /** How many messages the log has before this change, as far as the holder knows. */
  messagesBefore: number
  turn: number
  messages: MessageRow[]
  steps: Step[]
  events: EventRow[]
  usage: { steps: number; input_tokens: number; output_tokens: number; cost_usd: string }
  /** What is set aside for a model call under way, after this change; null: as it was. */
  reserved_usd: string | null
  move: (Move & { wakeSeen: number }) | null
}

/** What a model and outside servers know a call by. */
export const callIdOf = (runId: string, step: number): string => `${runId}:${step}`

export function newChange(
  run: { id: string; team_id: string; epoch: number; message_seq: number },
  turn: number,
): Change {
  return {
    id: newId(),
    runId: run.id,
    teamId: run.team_id,
    epoch: run.epoch,
    messagesBefore: run.message_seq,
    turn,
    messages: [],
    steps: [],
    events: [],
    usage: { steps: 0, input_tokens: 0, output_tokens: 0, cost_usd: '0' },
    reserved_usd: null,
    move: null,
  }
}

/** How long texts in events may be; the message itself has the whole text. */
const eventTextBytesMax = 16 * 1024

export function messageRow(turn: number, message: NewMessage): MessageRow {
  return {
    id: newId(),
    turn,
    type: message.type,
    role: message.role,
    text_content: message.text_content ?? null,
    tool_call: message.tool_call ?? null,
    tool_result: message.tool_result ?? null,
    json: {
      tool_call: message.tool_call ? storableJson(message.tool_call) : '',
      tool_result: message.tool_result ? storableJson(message.tool_result) : '',
    },
    opaque: message.opaque ?? null,
    restarts: message.restarts ?? false,
    timestamp: new Date().toISOString(),
  }
}

/** What everybody sees of a message. */
export const shownMessage = ({ id, type, role, text_content, tool_call, tool_result, timestamp }: MessageRow) => ({
  id,
  type,
  role,
  text_content,
  tool_call,
  tool_result,
  timestamp,
})

/** The message as an event carries it; its seq is added when it is written. */
export function messageInEvent(runId: string, row: MessageRow): object {
  const shown = shownMessage(row)
  const whole = { run_id: runId, ...shown }
  if (isShownWhole(row)) return whole
  return {
    ...whole,
    text_content: shown.text_content === null ? null : cut(shown.text_content),
    tool_call: shown.tool_call && { ...shown.tool_call, arguments: cutValue(shown.tool_call.arguments) },
    tool_result: shown.tool_result && { ...shown.tool_result, result: cutValue(shown.tool_result.result) },
    truncated: true,
  }
}

/** The same as JSON. Most messages are shown whole, and then the JSON of their parts is there already. */
function messageEventText(runId: string, row: MessageRow): string {
  if (!isShownWhole(row)) return storableJson(messageInEvent(runId, row))
  const { id, type, role, text_content, timestamp, json } = row
  const text = text_content === null ? 'null' : storableJson(text_content)
  return (
    `{"run_id":"${runId}","id":"${id}","type":"${type}","role":"${role}","text_content":${text},` +
    `"tool_call":${json.tool_call || 'null'},"tool_result":${json.tool_result || 'null'},"timestamp":"${timestamp}"}`
  )
}

function isShownWhole({ text_content, json }: MessageRow): boolean {
  // as JSON a text is not shorter, so a long one is not written for this
  if (text_content !== null && text_content.length > eventTextBytesMax) return false
  const text = text_content === null ? 0 : Buffer.byteLength(JSON.stringify(text_content))
  return text + Buffer.byteLength(json.tool_call) + Buffer.byteLength(json.tool_result) <= eventTextBytesMax
}

function cut(text: string): string {
  // a character has at least one byte
  const beginning = text.slice(0, eventTextBytesMax)
  if (beginning.length === text.length && Buffer.byteLength(text) <= eventTextBytesMax) return text
  // a character cut in half becomes U+FFFD, which is dropped
  return Buffer.from(beginning).subarray(0, eventTextBytesMax).toString().replace(/�$/, '')
}

function cutValue(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const shown = cut(text)
  return shown === text ? value : shown
}

export function addMessage(change: Change, message: NewMessage): void {
  const row = messageRow(change.turn, message)
  change.messages.push(row)
  change.events.push({ event: 'run.message.created', text: messageEventText(change.runId, row), isMessage: true })
}

export function addEvent(change: Change, event: EventName, data: object): void {
  change.events.push({ event, text: storableJson(data), isMessage: false })
}

/** Writes the step as it is now; if a change has a step twice, the last one counts. */
export function putStep(change: Change, step: Step): void {
  const index = change.steps.findIndex(({ seq }) => seq === step.seq)
  if (index < 0) change.steps.push({ ...step })
  else change.steps[index] = { ...step }
}

export type { MessageRow, EventRow }

/** What a model reads of the trigger's payload. */
export function messageText(message: unknown): string | undefined {
  if (message === null || message === undefined) return undefined
  return typeof message === 'string' ? message : JSON.stringify(message, null, 2)
}
