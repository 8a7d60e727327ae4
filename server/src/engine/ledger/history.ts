// Reads a run's log back: the entries that its model gets after a takeover, exactly as it got them while the run was held.
import { part, type Sql } from '../../base/db.ts'
import type { Entry, SeenFile, WantedCall } from '../../drivers/model/model.ts'
import type { CallStep, MessageRole, MessageType, ModelStep, Step, ToolResult } from './change.ts'
import { openStepList } from './lifecycle.ts'
import { wholeText } from './largeTexts.ts'

interface LoggedMessage {
  seq: number
  turn: number
  type: MessageType
  role: MessageRole
  text_content: string | null
  tool_call: { id: string; name: string; arguments: unknown } | null
  tool_result: ToolResult | null
  opaque: unknown
  restarts: boolean
}

/** One entry of the log, with the turn that it belongs to. `seq` is the number of a person's message, and 0 for everything else. */
export interface Logged {
  entry: Entry
  turn: number
  seq: number
}

/** How many messages come as one value: read row by row, the log of ten thousand steps took three times as long. */
const messagesAtOnce = 2000

interface After {
  /** Everything of later turns. */
  turn: number
  /** Messages of people with higher numbers. */
  said: number
}

/** The messages with higher numbers, or those that come after what is folded. */
export async function readMessages(sql: Sql, runId: string, after: number | After): Promise<LoggedMessage[]> {
  const later =
    typeof after === 'number'
      ? part`seq > ${after}`
      : part`case when role = 'user' then seq > ${after.said} else turn > ${after.turn} end`
  const parts = await sql<{ messages: LoggedMessage[] }>`
    select json_agg(json_build_object('seq', seq, 'turn', turn, 'type', type, 'role', role, 'text_content', ${wholeText(part`m`)},
      'tool_call', tool_call, 'tool_result', tool_result, 'opaque', opaque, 'restarts', restarts) order by seq) as messages
    from run_messages m where run_id = ${runId} and ${later} group by seq / ${messagesAtOnce}::int order by min(seq)`
  return parts.flatMap(({ messages }) => messages)
}

/** What a run's model was last said to be shown of its log; undefined: all of it. Only `driving/` knows what it holds. */
export async function readView(sql: Sql, runId: string): Promise<unknown> {
  const [found] = await sql<{ view: unknown }>`
    select opaque -> 'view' as view from run_messages
    where run_id = ${runId} and role = 'system' and opaque ? 'view' order by seq desc limit 1`
  return found?.view
}

/** A record of what the model is shown is not shown to it. */
const isOfView = ({ role, opaque }: LoggedMessage): boolean =>
  role === 'system' && typeof opaque === 'object' && opaque !== null && 'view' in opaque

type AsRow<S extends Step> = Omit<S, 'started_at' | 'completed_at'> & { started_at: Date; completed_at: Date | null }

const stepOf = (row: AsRow<ModelStep> | AsRow<CallStep>): Step => ({
  ...row,
  started_at: row.started_at.toISOString(),
  completed_at: row.completed_at?.toISOString() ?? null,
})

interface OpenSteps {
  open: Step[]
  lastSeq: number
}

/** The steps without an outcome, and the number of the last one. */
export async function readSteps(sql: Sql, runId: string): Promise<OpenSteps> {
  const [last] = await sql<{ seq: number }>`
    select seq from run_steps where run_id = ${runId} order by seq desc limit 1`
  const open = await sql<AsRow<ModelStep> | AsRow<CallStep>>`
    select seq, turn, kind, tool, arguments, state, attempt, result, error, input_tokens, output_tokens, cost_usd, reserved_usd, unsettled,
      started_at, completed_at, moments
    from run_steps where run_id = ${runId} and state in ${openStepList} order by seq`
  return { open: open.map(stepOf), lastSeq: last?.seq ?? 0 }
}

const cutOff = 'This call was cut off before its outcome was known.'

interface OpenTurn {
  turn: number
  text: string | null
  opaque: unknown
  calls: WantedCall[]
  results: Entry[]
  /** What people said during the turn: a model gets it after the results. */
  after: Logged[]
}

/**
 * Messages of one turn belong together: what the model said, what it called, the results, and only then what people said during the turn.
 * The last turn's calls may still get their results; calls of earlier turns without a result are given as cut off.
 */
export function entriesOf(messages: LoggedMessage[]): { entries: Logged[]; turn: number } {
  const entries: Logged[] = []
  let current: OpenTurn | undefined
  const close = (isLast: boolean) => {
    if (!current) return
    const { turn, text, calls, opaque, results, after } = current
    const answered = new Set(results.map((entry) => (entry.kind === 'result' ? entry.call_id : '')))
    const unanswered = isLast ? [] : calls.filter(({ id }) => !answered.has(id))
    const ofTurn: Entry[] = [
      { kind: 'assistant', text, calls, opaque },
      ...results,
      ...unanswered.map(({ id, name }): Entry => {
        return { kind: 'result', call_id: id, name, result: null, error: cutOff }
      }),
    ]
    entries.push(...ofTurn.map((entry) => ({ entry, turn, seq: 0 })), ...after)
    current = undefined
  }
  for (const message of messages) {
    if (isOfView(message)) continue
    if (message.role === 'user' || message.role === 'system') {
      const { turn, seq } = message
      const logged = { entry: entryOf(message), turn, seq: message.role === 'user' ? seq : 0 }
      if (message.restarts) close(false)
      if (current && current.calls.length > 0) current.after.push(logged)
      else {
        close(false)
        entries.push(logged)
      }
      continue
    }
    if (message.role === 'assistant' && message.turn !== current?.turn) {
      close(false)
      current = { turn: message.turn, text: null, opaque: null, calls: [], results: [], after: [] }
    }
    if (current) addTo(current, message)
  }
  const turn = messages.at(-1)?.turn ?? 0
  close(true)
  return { entries, turn }
}

export function entryOf({ role, text_content, restarts }: LoggedMessage): Entry {
  const text = text_content ?? ''
  return role === 'system' ? { kind: 'system', text } : { kind: 'user', text, restarts }
}

function addTo(turn: OpenTurn, { type, text_content, tool_call, tool_result, opaque }: LoggedMessage): void {
  if (opaque !== null && !tool_result) turn.opaque = opaque
  if (type === 'text') turn.text = text_content
  if (tool_call) turn.calls.push(tool_call)
  if (tool_result) {
    const { tool_call_id, result, error } = tool_result
    const name = turn.calls.find(({ id }) => id === tool_call_id)?.name ?? ''
    const files = filesOfResult(opaque)
    turn.results.push({ kind: 'result', call_id: tool_call_id, name, result, error, ...(files && { files }) })
  }
}

/** The message of a result has the files that came with it, by reference. */
const filesOfResult = (opaque: unknown): SeenFile[] | undefined =>
  (opaque as { files?: SeenFile[] } | null)?.files ?? undefined
