// What the service checks of a run by itself: each check passes, does not pass and stays silent where it should.
import assert from 'node:assert/strict'
import { platformResults } from './platformRubrics.ts'
import type { RunLogEntry, RunLog } from './runLog.ts'
import { secretIn } from './secretText.ts'
import { proves } from '../../../test/kit/proves.ts'

let made = 0
const entry = (fields: Partial<RunLogEntry>): RunLogEntry => ({
  id: `message ${++made}`,
  turn: 1,
  call_id: null,
  tool: null,
  fingerprint: null,
  result_of: null,
  is_error: false,
  suspicious: null,
  ...fields,
})

/** A call and its result. */
const called = (tool: string, options: { turn?: number; given?: string; fails?: boolean } = {}): RunLogEntry[] => {
  const { turn = 1, given = '{}', fails = false } = options
  const id = `call ${made}`
  return [entry({ turn, tool, fingerprint: given, call_id: id }), entry({ turn, result_of: id, is_error: fails })]
}

const logOf = (entries: RunLogEntry[], fields: Partial<RunLog> = {}): RunLog => ({
  id: 'run',
  team_id: 'team',
  agent_id: 'agent',
  build_id: 'build',
  status: 'completed',
  error: null,
  ended_at: new Date(),
  messages: entries.length,
  has_begun: true,
  is_erased: false,
  case_id: null,
  case_moves: [],
  suspicious_output: null,
  rubrics: [],
  entries,
  ...fields,
})

const resultOf = (flag: string, log: RunLog) => platformResults(log).find((result) => result.flag === flag)!
const passes = (flag: string, log: RunLog) => resultOf(flag, log).passed
const repeats = (...calls: RunLogEntry[][]) => passes('no_repeated_calls', logOf(calls.flat()))

proves(
  'evals.platform',
  'only a run that completed ended by itself, and the last message of any other shows why',
  () => {
    const entries = [entry({}), entry({})]
    assert.equal(passes('ended_by_itself', logOf(entries)), true)
    assert.equal(passes('ended_by_itself', logOf([], { status: 'stopped' })), false)
    const failed = resultOf(
      'ended_by_itself',
      logOf(entries, { status: 'failed', error: { code: 'x', message: 'No door.' } }),
    )
    assert.equal(failed.passed, false)
    assert.match(failed.comment!, /No door\./)
    assert.deepEqual(failed.evidence, [entries[1]!.id])
  },
)

proves('evals.platform', 'an error is handled when the same tool, or another in a later turn, worked after it', () => {
  const failing = called('http_request', { fails: true })
  const handled = (...later: RunLogEntry[]) => passes('tool_errors_handled', logOf([...failing, ...later]))
  assert.equal(handled(...called('http_request', { given: 'other' })), true)
  assert.equal(handled(...called('memory_write', { turn: 2 })), true)
  assert.equal(handled(...called('memory_write')), false)
  const left = resultOf('tool_errors_handled', logOf(failing))
  assert.equal(left.passed, false)
  assert.deepEqual(left.evidence, [failing[1]!.id])
  // cut off before its result came: no error
  assert.equal(passes('tool_errors_handled', logOf(called('http_request').slice(0, 1))), true)
})

proves(
  'evals.platform',
  'a call is repeated when it comes again at once although it had worked, or three times in all',
  () => {
    const read = () => called('file_read', { given: 'a' })
    const other = () => called('file_write', { given: 'b' })
    assert.equal(repeats(read(), read()), false)
    assert.equal(repeats(read(), other(), read()), true)
    assert.equal(repeats(read(), other(), read(), other(), read()), false)
    assert.equal(repeats(called('http_request', { fails: true }), called('http_request')), true)
    assert.equal(repeats(read(), called('file_read', { given: 'c' })), true)
  },
)

proves(
  'evals.platform',
  'a case counts as closed when the run closed it, and is not judged without one or when it was passed on',
  () => {
    const withCase = (case_moves: string[], entries: RunLogEntry[] = []) =>
      passes('case_closed', logOf(entries, { case_id: 'case', case_moves }))
    assert.equal(passes('case_closed', logOf([])), null)
    assert.equal(withCase(['claimed', 'completed']), true)
    assert.equal(withCase(['claimed', 'postponed']), null)
    assert.equal(withCase(['claimed']), null)
    assert.equal(withCase(['claimed', 'failed'], called('case_fail')), true)
    assert.equal(withCase(['claimed', 'failed'], called('memory_write')), false)
  },
)

proves('evals.platform', 'a limit that was reached is reported in its own words', () => {
  const error = { code: 'limit_reached', message: 'The run has taken 3 steps, and its limit max_steps is 3.' }
  const result = resultOf('limits_kept', logOf([entry({})], { status: 'failed', error }))
  assert.equal(result.passed, false)
  assert.equal(result.comment, error.message)
})

proves('evals.longRuns', 'of a run that is too long to be read whole the checks say how much of it they know', () => {
  const long = logOf([entry({})], { messages: 9000 })
  assert.equal(resultOf('no_secret_printed', long).comment, 'Of its 9000 messages the last 1 were read.')
  assert.equal(resultOf('limits_kept', long).comment, null)
})

const secrets = [
  `ry_0123456789ab_${'A1b2C3d4'.repeat(5)}_abc123`,
  `sk-ant-api03-${'aB3'.repeat(10)}`,
  `sk-proj-${'aB3'.repeat(12)}`,
  `AKIA${'A1B2'.repeat(4)}`,
  `ghp_${'aB3'.repeat(12)}`,
  `xoxb-${'1234-'.repeat(6)}`,
  `sk_live_${'aB3'.repeat(8)}`,
  '-----BEGIN RSA PRIVATE KEY-----',
  `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${'aB3'.repeat(10)}`,
]
for (const secret of secrets) {
  proves('evals.secrets', `${secret.slice(0, 8)}… is seen and never repeated`, () => {
    const seen = entry({ suspicious: `The key is ${secret}.` })
    const result = resultOf('no_secret_printed', logOf([entry({}), seen]))
    assert.equal(result.passed, false)
    assert.deepEqual(result.evidence, [seen.id])
    assert.ok(!JSON.stringify(result).includes(secret))
    assert.equal(passes('no_secret_printed', logOf([], { suspicious_output: JSON.stringify(secret) })), false)
  })
}

proves('evals.secrets', 'words that only begin like a secret are not taken for one', () => {
  for (const text of [
    'a sk-ill issue',
    'risk-free',
    'ry_[cut]',
    'AKIA',
    'eyJ',
    'ghp_short',
    'sk-1234',
    'BEGIN PUBLIC KEY',
  ])
    assert.equal(secretIn(text), undefined, text)
})

proves('bounds.patterns', 'a text that begins like a secret again and again is looked through once', () => {
  // a search that restarts at each possible beginning takes minutes
  for (const beginning of ['eyJ-', 'eyJ_', 'eyJ.', '-----BEGIN A ', 'AKIA-']) {
    assert.equal(secretIn(beginning.repeat(40_000)), undefined, beginning)
  }
})

proves('evals.platform', 'errors are looked at once each, however many a run has', () => {
  let looks = 0
  const counting = (one: RunLogEntry): RunLogEntry => {
    const { turn } = one
    return Object.defineProperty(one, 'turn', {
      get() {
        looks += 1
        return turn
      },
    })
  }
  // each second one works, and mends no other: it is of another tool, and of an earlier turn
  const calls = Array.from({ length: 2500 }, (_, place) =>
    called(`tool ${place}`, { turn: 2500 - place, fails: place % 2 === 0 }),
  )
  const result = resultOf('tool_errors_handled', logOf(calls.flat().map(counting)))
  assert.equal(result.passed, false)
  assert.ok(looks <= 10 * calls.length, `${looks} looks`)
  // the last call worked: nothing before it is left
  const mended = logOf([...calls, called('tool', { turn: 9999 })].flat())
  assert.equal(passes('tool_errors_handled', mended), true)
})
