// Reads a run's log back: the entries that its model gets after a takeover, exactly as it got them while the run was held.
import { part, type Sql } from '../../base/db.ts'
import type { Entry, WantedCall } from '../../drivers/model/model.ts'
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

/** How many messages come as one value: read row by row, the log of ten thousand steps took three times as long. */
const messagesAtOnce = 2000

export async function readMessages(sql: Sql, runId: string, after: number): Promise<LoggedMessage[]> {
  const parts = await sql<{ messages: LoggedMessage[] }>`
    select json_agg(json_build_object('seq', seq, 'turn', turn, 'type', type, 'role', role, 'text_content', ${wholeText(part`m`)},
      'tool_call', tool_call, 'tool_result', tool_result, 'opaque', opaque, 'restarts', restarts) order by seq) as messages
    from run_messages m where run_id = ${runId} and seq > ${after} group by seq / ${messagesAtOnce}::int order by min(seq)`
  return parts.flatMap(({ messages }) => messages)
}

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
  after: Entry[]
}

/**
 * Messages of one turn belong together: what the model said, what it called, the results, and only then what people said during the turn.
 * The last turn's calls may still get their results; calls of earlier turns without a result are given as cut off.
 */
export function entriesOf(messages: LoggedMessage[]): { entries: Entry[]; turn: number } {
  const entries: Entry[] = []
  let current: OpenTurn | undefined
  const close = (isLast: boolean) => {
    if (!current) return
    entries.push({ kind: 'assistant', text: current.text, calls: current.calls, opaque: current.opaque })
    entries.push(...current.results)
    if (!isLast) {
      const answered = new Set(current.results.map((entry) => (entry.kind === 'result' ? entry.call_id : '')))
      for (const { id, name } of current.calls) {
        if (!answered.has(id)) entries.push({ kind: 'result', call_id: id, name, result: null, error: cutOff })
      }
    }
    entries.push(...current.after)
    current = undefined
  }
  for (const message of messages) {
    if (message.role === 'user' || message.role === 'system') {
      const entry = entryOf(message)
      if (message.restarts) close(false)
      if (current && current.calls.length > 0) current.after.push(entry)
      else {
        close(false)
        entries.push(entry)
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
  if (opaque !== null) turn.opaque = opaque
  if (type === 'text') turn.text = text_content
  if (tool_call) turn.calls.push(tool_call)
  if (tool_result) {
    const { tool_call_id, result, error } = tool_result
    const name = turn.calls.find(({ id }) => id === tool_call_id)?.name ?? ''
    turn.results.push({ kind: 'result', call_id: tool_call_id, name, result, error })
  }
}
