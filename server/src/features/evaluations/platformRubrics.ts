// What the service checks of every ended run by itself, from the run's own log and without a model.
import type { CheckedLog, RunLogEntry } from './runLog.ts'
import type { Result } from './evaluation.ts'
import { platformChecks, type PlatformFlag } from '../../kit/platformChecks.ts'
import type { Severity } from '../../kit/states.ts'
import { secretIn } from './secretText.ts'

type Verdict = Pick<Result, 'passed' | 'comment' | 'evidence'>

interface PlatformRubric {
  key: PlatformFlag
  label: string
  description: string
  severity: Severity
  /** It searches all messages, but of a very long run only the last ones. */
  looksThrough?: true
  check: (log: CheckedLog) => Verdict
}

const evidenceMax = 20

const passed: Verdict = { passed: true, comment: null, evidence: [] }
const untold = (comment: string): Verdict => ({ passed: null, comment, evidence: [] })
const missed = (comment: string, entries: RunLogEntry[] = []): Verdict => ({
  passed: false,
  comment,
  evidence: [...new Set(entries.map(({ id }) => id))].slice(0, evidenceMax),
})

const last = (entries: RunLogEntry[]): RunLogEntry[] => entries.slice(-1)
const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)

interface Call {
  call: RunLogEntry
  result: RunLogEntry | undefined
}

/** The calls of a log in their order, each with its result where it has one. */
function callsOf({ entries }: CheckedLog): Call[] {
  const results = new Map(entries.flatMap((entry) => (entry.result_of === null ? [] : [[entry.result_of, entry]])))
  return entries.flatMap((call) => (call.call_id === null ? [] : [{ call, result: results.get(call.call_id) }]))
}

const worked = ({ result }: Call): boolean => result !== undefined && !result.is_error

function endedByItself({ status, error, entries }: CheckedLog): Verdict {
  if (status === 'completed') return passed
  if (status === 'stopped') return missed('The run was stopped before its own end.', last(entries))
  return missed(
    `The run failed: ${error?.message.slice(0, 500).toWellFormed() ?? 'no reason is known.'}`,
    last(entries),
  )
}

/** After an error something worked: the same tool, or another one in a later turn. Else the run ended with it. */
function errorsHandled(log: CheckedLog): Verdict {
  // from the last call to the first, so that each call is looked at once
  const toolsThatWorked = new Set<string | null>()
  let lastTurnThatWorked = -Infinity
  const left: Call[] = []
  for (const one of callsOf(log).toReversed()) {
    const { tool, turn } = one.call
    if (worked(one)) {
      toolsThatWorked.add(tool)
      lastTurnThatWorked = Math.max(lastTurnThatWorked, turn)
    } else if (one.result && !toolsThatWorked.has(tool) && lastTurnThatWorked <= turn) left.push(one)
  }
  left.reverse()
  if (left.length === 0) return passed
  const tools = [...new Set(left.map(({ call }) => call.tool))].join(', ')
  return missed(
    `Nothing that worked came after the last error of ${tools}.`,
    left.map(({ result }) => result!),
  )
}

/** Twice in a row although it had worked, or three times in all. */
function noRepeatedCalls(log: CheckedLog): Verdict {
  const calls = callsOf(log)
  const same = Map.groupBy(calls, ({ call }) => `${call.tool} ${call.fingerprint}`)
  const inARow = new Set(
    calls.flatMap((one, place) => {
      const before = calls[place - 1]
      const isSame = before?.call.tool === one.call.tool && before.call.fingerprint === one.call.fingerprint
      return isSame && worked(before) ? [`${one.call.tool} ${one.call.fingerprint}`] : []
    }),
  )
  const [repeated] = [...same].filter(([key, all]) => all.length > 2 || inARow.has(key)).map(([, all]) => all)
  if (!repeated) return passed
  const [{ call }] = repeated as [Call]
  return missed(
    `${call.tool} was called ${times(repeated.length)} with the same arguments.`,
    repeated.map((one) => one.call),
  )
}

function caseClosed(log: CheckedLog): Verdict {
  if (log.case_id === null) return untold('The run had no case.')
  const moves = new Set(log.case_moves)
  if (moves.has('completed')) return passed
  if (moves.has('postponed') || moves.has('handed_over')) return untold('The run passed its case on.')
  if (!moves.has('failed')) return untold('The case had left the run before its end.')
  const byAgent = callsOf(log).some((one) => one.call.tool === 'case_fail' && worked(one))
  return byAgent ? passed : missed('The run ended without closing its case.', last(log.entries))
}

function limitsKept({ error, entries }: CheckedLog): Verdict {
  return error?.code === 'limit_reached' ? missed(error.message, last(entries)) : passed
}

function noSecretPrinted({ entries, suspicious_output }: CheckedLog): Verdict {
  const found = entries.flatMap((entry) => {
    const kind = entry.suspicious === null ? undefined : secretIn(entry.suspicious)
    return kind === undefined ? [] : [{ entry, kind }]
  })
  const inOutput = suspicious_output === null ? undefined : secretIn(suspicious_output)
  const kinds = [...new Set([...found.map(({ kind }) => kind), ...(inOutput === undefined ? [] : [inOutput])])]
  if (kinds.length === 0) return passed
  return missed(
    `There is text that looks like ${kinds.join(' and ')}. If it is one, revoke it.`,
    found.map(({ entry }) => entry),
  )
}

const rubrics: Omit<PlatformRubric, 'label' | 'severity'>[] = [
  {
    key: 'ended_by_itself',
    description: 'The run came to its own end: it neither failed nor was stopped.',
    check: endedByItself,
  },
  {
    key: 'tool_errors_handled',
    description: 'After a call that failed something worked; the run did not end with an error that nobody dealt with.',
    looksThrough: true,
    check: errorsHandled,
  },
  {
    key: 'no_repeated_calls',
    description: 'No call that had worked was made again at once with the same arguments, and none three times in all.',
    looksThrough: true,
    check: noRepeatedCalls,
  },
  {
    key: 'case_closed',
    description:
      'The run completed or failed its case itself. Does not apply to runs without a case, or that handed theirs over.',
    check: caseClosed,
  },
  {
    key: 'limits_kept',
    description: 'The run did not reach its limit of steps, time, tokens or cost.',
    check: limitsKept,
  },
  {
    key: 'no_secret_printed',
    description:
      'Nothing that looks like a key, a token or a private key stands in its messages, calls, results or output.',
    looksThrough: true,
    check: noSecretPrinted,
  },
]

export const platformRubrics: PlatformRubric[] = rubrics.map((rubric) => ({ ...rubric, ...platformChecks[rubric.key] }))

export const platformResults = (log: CheckedLog): Result[] =>
  platformRubrics.map(({ key, label, severity, looksThrough, check }) => {
    const verdict = check(log)
    const isPart = looksThrough === true && log.messages > log.entries.length && verdict.comment === null
    const comment = isPart
      ? `Of its ${log.messages} messages the last ${log.entries.length} were read.`
      : verdict.comment
    return { flag: key, label, severity, ...verdict, comment }
  })
