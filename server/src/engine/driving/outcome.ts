// Writes down the result of a call: the end of its step, its message, its events. Results are cleaned of what cannot be stored, and capped.
import { scrubbed, scrubbedBytes, type Scrub } from '../../base/knownSecrets.ts'
import { storable, storableText } from '../../base/storable.ts'
import type { Outcome } from '../../kit/tool.ts'
import { addEvent, addMessage, putStep, type Change, type CallStep, callIdOf } from '../ledger/change.ts'

/** How many bytes of a result a message may carry; the rest goes to a file of the workspace. */
const inlineBytesMax = 64 * 1024
const previewBytes = 16 * 1024

interface Capped {
  outcome: Outcome
  /** The whole text, when only its beginning stays inline. */
  overflow: { path: string; content: string } | undefined
}

export function capped(step: CallStep, outcome: Outcome): Capped {
  if ('error' in outcome) {
    const { shows } = outcome
    const error = storableText(outcome.error.slice(0, previewBytes))
    return { outcome: { error, ...(shows && { shows }) }, overflow: undefined }
  }
  const result: unknown = storable(outcome.result ?? null)
  const sizeBytes = Buffer.byteLength(JSON.stringify(result))
  if (sizeBytes <= inlineBytesMax) return { outcome: { ...outcome, result }, overflow: undefined }
  const content = typeof result === 'string' ? result : JSON.stringify(result, null, 2)
  const path = `.results/step-${step.seq}.${typeof result === 'string' ? 'txt' : 'json'}`
  const beginning = Buffer.from(content).subarray(0, previewBytes).toString().replace(/�$/, '')
  return {
    outcome: { ...outcome, result: { truncated: true, size_bytes: sizeBytes, file: `/workspace/${path}`, beginning } },
    overflow: { path, content },
  }
}

export interface FileToSave {
  path: string
  content: string
  encoding?: 'base64'
}

/** The files that an outcome leaves in the run's workspace: its own, and the rest of a result that is too long for a message. */
export function filesOf({ writes = [] }: Outcome, overflow: Capped['overflow']): FileToSave[] {
  const own = writes.map(({ path, bytes }) => ({
    path,
    content: bytes.toString('base64'),
    encoding: 'base64' as const,
  }))
  return [...own, ...(overflow ? [overflow] : [])]
}

/** The outcome without the secrets that the scrubber knows, in its texts and in its files. */
export function withoutSecrets(outcome: Outcome, scrub: Scrub | undefined): Outcome {
  if (!scrub) return outcome
  const writes = outcome.writes?.map(({ path, bytes }) => ({ path, bytes: scrubbedBytes(bytes, scrub) }))
  const shows = outcome.shows?.map((file) => ({ ...file, name: scrub(file.name) }))
  const alongside = { ...outcome, ...(writes && { writes }), ...(shows && { shows }) }
  if ('error' in alongside) return { ...alongside, error: scrub(alongside.error) }
  return { ...alongside, result: scrubbed(storable(alongside.result), scrub) }
}

/** Ends a step with its outcome. */
export function recordOutcome(change: Change, step: CallStep, outcome: Outcome): CallStep {
  const error = 'error' in outcome ? outcome.error : null
  const completedAt = new Date()
  const ended: CallStep = {
    ...step,
    state: error === null ? 'done' : 'failed',
    result: 'error' in outcome ? null : (outcome.result ?? null),
    error,
    completed_at: completedAt.toISOString(),
  }
  const callId = callIdOf(change.runId, step.seq)
  const durationMs = Math.max(0, completedAt.getTime() - Date.parse(step.started_at))
  putStep(change, ended)
  addMessage(change, {
    type: 'tool_result',
    role: 'tool',
    tool_result: { tool_call_id: callId, result: ended.result, error, duration_ms: durationMs },
    opaque: outcome.shows?.length ? { files: outcome.shows } : null,
  })
  addEvent(change, 'run.tool_call.completed', {
    tool_call_id: callId,
    name: step.tool,
    ok: error === null,
    error,
    duration_ms: durationMs,
    step: step.seq,
  })
  if ('files' in outcome) for (const file of outcome.files ?? []) addEvent(change, 'run.file.created', file)
  return ended
}
