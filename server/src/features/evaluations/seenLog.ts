// The log of a run as its checks need it, kept while the run is written: without its texts, and up to a bound.
import { hash } from 'node:crypto'
import { sortedFields } from '../../base/sortedFields.ts'
import { storable, storableJson, storableText } from '../../base/storable.ts'
import type { LastWrite, LogWatch, WrittenMessage } from '../../kit/endCheck.ts'
import { failedOf, scoreOf, summaryOf } from './evaluation.ts'
import { platformResults } from './platformRubrics.ts'
import type { RunLogEntry } from './runLog.ts'
import { mayHoldSecret } from './secretText.ts'

/** A run with more messages, or longer texts, is read again after its end. */
const messagesMax = 500
const lengthMax = 256 * 1024
/** How long the texts of the last write may be: they are looked at inside a transaction that others share. */
const lastLengthMax = 64 * 1024

interface Part {
  entries: RunLogEntry[]
  /** How long its texts are together. */
  length: number
}

/** `before`: how many messages the run was started with. They are those of a person, which the checks do not look at. */
export function watchRunLog(before: number): LogWatch {
  let log: Part | undefined = { entries: Array.from({ length: before }, () => unseen), length: 0 }
  return {
    see(messages) {
      if (log) log = together(log, partOf(messages))
    },
    conclude({ messages, end }) {
      const last = partOf(messages)
      if (!log || !last || last.length > lastLengthMax) return undefined
      const whole = together(log, last)
      return whole && foundIn(whole.entries, end)
    },
  }
}

/** A message of which nothing is known but that it is there. */
const unseen: RunLogEntry = {
  id: '',
  turn: 0,
  call_id: null,
  tool: null,
  fingerprint: null,
  result_of: null,
  is_error: false,
  suspicious: null,
}

function together(log: Part, more: Part | undefined): Part | undefined {
  if (!more) return undefined
  const length = log.length + more.length
  if (length > lengthMax || log.entries.length + more.entries.length > messagesMax) return undefined
  return { entries: [...log.entries, ...more.entries], length }
}

/** Undefined: a text may hold a secret. PostgreSQL then finds those texts, and only so much of each as is looked at. */
function partOf(messages: WrittenMessage[]): Part | undefined {
  const entries: RunLogEntry[] = []
  let length = 0
  for (const message of messages) {
    const texts = textsOf(message)
    for (const text of texts) length += text.length
    if (length > lengthMax || texts.some(mayHoldSecret)) return undefined
    entries.push(entryOf(message))
  }
  return { entries, length }
}

/** Texts of a call and a result are looked at as JSON, as they stand in the database: an escape may hide or make the beginning of a secret. */
function textsOf({ role, text_content, tool_call, tool_result }: WrittenMessage): string[] {
  if (role !== 'assistant' && role !== 'tool') return []
  return [
    ...(text_content === null ? [] : [text_content]),
    ...(tool_call === null ? [] : [storableJson(tool_call)]),
    ...(tool_result === null ? [] : [storableJson(tool_result)]),
  ]
}

const entryOf = ({ id, turn, tool_call, tool_result }: WrittenMessage): RunLogEntry => ({
  id,
  turn,
  call_id: tool_call?.id ?? null,
  tool: tool_call ? storableText(tool_call.name) : null,
  fingerprint: tool_call ? fingerprintOf(tool_call.arguments) : null,
  result_of: tool_result?.tool_call_id ?? null,
  is_error: tool_result !== null && tool_result.error !== null,
  suspicious: null,
})

/** The same for arguments that are equal as PostgreSQL stores them: the order of fields does not count. */
const fingerprintOf = (given: unknown): string =>
  hash('md5', JSON.stringify(sortedFields(JSON.parse(storableJson(given)))))

function foundIn(entries: RunLogEntry[], end: LastWrite['end']): ReturnType<LogWatch['conclude']> {
  const isCompleted = end.status === 'completed'
  if (isCompleted && mayHoldSecret(storableJson(end.output))) return undefined
  // the last message shows why it failed, and that one is not known
  if (!isCompleted && entries.at(-1) === unseen) return undefined
  const results = platformResults({
    status: end.status,
    error: isCompleted ? null : storable(end.error),
    messages: entries.length,
    case_id: null,
    case_moves: [],
    suspicious_output: null,
    entries,
  })
  const summary = summaryOf(results)
  return { summary, results, failed: failedOf(results), score: scoreOf(summary) }
}
