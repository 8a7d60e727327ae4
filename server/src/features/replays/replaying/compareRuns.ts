// Sets a replayed run beside the recorded one: calls, outputs, scores, cost and time.
import { endCheckOf } from '../../../kit/registry.ts'
import type { LastWrite, WrittenMessage } from '../../../kit/endCheck.ts'
import type { Context } from '../../../kit/context.ts'
import type { RecordedMessage } from '../recording.ts'
import type { Ending } from './heldReplayRun.ts'
import type { ReplayEnd, Replaying } from './replayState.ts'
import { findingsMax, isSame, matchOf, outputMatch, pairCalls, shownOutput, type Finding, type Side } from './report.ts'

export function compareRuns(of: Replaying, end: ReplayEnd): Ending {
  const { content, calls, context, answers } = of
  const recorded = recordedSide(of)
  const replayed: Side = {
    status: end.status,
    output: end.status === 'completed' ? shownOutput(end.output) : null,
    error: end.status === 'failed' ? end.error : null,
    calls: calls.length,
    turns: turnsIn(of.messages),
    input_tokens: of.usage.input_tokens,
    output_tokens: of.usage.output_tokens,
    cost_usd: of.usage.cost_usd,
    model_ms: of.modelMs,
    duration_ms: null,
    ...scoreOf(context, content.run.source, of.messages, end),
  }
  const { pairs, match: calls_match } = pairCalls(content.calls, calls, of.alike)
  const output = end.status === 'completed' ? end.output : null
  const output_match = outputMatch(content.end.output, output)
  const found: Finding[] = [...of.findings]
  const add = (kind: Finding['kind'], tool: string | null, message: string) =>
    found.push({ kind, turn: null, tool, message })
  for (const { tool, step } of answers.left()) {
    add('call_not_made', tool, `Step ${step} of the recorded run was not called.`)
  }
  if (of.words.length > 0) {
    add('message_unread', null, `${of.words.length} messages of people came after the replay had ended.`)
  }
  if (recorded.status !== replayed.status) {
    const why = replayed.error ? ` ${replayed.error.message}` : ''
    add('status_differs', null, `The recorded run ${recorded.status}, and the replay ${replayed.status}.${why}`)
  } else if (recorded.error && replayed.error && recorded.error.code !== replayed.error.code) {
    add(
      'status_differs',
      null,
      `Both failed, but not in the same way. The recorded run: ${recorded.error.message} The replay: ${replayed.error.message}`,
    )
  }
  if (recorded.status === replayed.status && output_match < 1) add('output_differs', null, 'The outputs differ.')
  const findings = found.slice(0, findingsMax)
  return {
    verdict: isSame(found, calls_match) ? 'same' : 'changed',
    match: matchOf(recorded, replayed, calls_match, output_match),
    report: { recorded, replayed, calls: pairs, calls_match, output_match, findings },
  }
}

function recordedSide({ content, context }: Replaying): Side {
  const { end, usage, calls, run, duration_ms, model_ms } = content
  const messages = content.messages.map(written)
  const { status, output, error } = end
  const asEnd: ReplayEnd =
    status === 'completed'
      ? { status, output }
      : { status, error: error ?? { code: 'unknown', message: 'No reason is known.' } }
  return {
    status,
    output: status === 'completed' ? shownOutput(output) : null,
    error: error && { code: error.code, message: error.message },
    calls: calls.length,
    turns: turnsIn(messages),
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cost_usd: usage.cost_usd,
    model_ms,
    duration_ms,
    ...scoreOf(context, run.source, messages, asEnd),
  }
}

const written = ({ id, turn, role, text, call, result }: RecordedMessage): WrittenMessage => ({
  id,
  turn,
  role,
  text_content: text,
  tool_call: call,
  tool_result: result && { ...result, result: null },
})

const turnsIn = (messages: WrittenMessage[]): number =>
  new Set(messages.flatMap(({ turn, role }) => (role === 'assistant' ? [turn] : []))).size

/** The checks that every ended run gets, over both sides in the same way. */
function scoreOf(
  context: Context,
  source: string,
  messages: WrittenMessage[],
  end: LastWrite['end'],
): Pick<Side, 'score' | 'failed_checks'> {
  const watch = endCheckOf(context)?.watch({ source, message_seq: 0 })
  watch?.see(messages)
  const found = watch?.conclude({ messages: [], end })
  return { score: found?.score ?? null, failed_checks: found?.failed ?? [] }
}
