// The position of a running procedure: each entry of the log moves it forward, and the position decides what comes next.
import type { Entry, RunFacts, WantedCall } from '../model.ts'
import type { Block } from './block.ts'
import { contentOf, noteResult, outcomeOf } from './outcome.ts'
import { textOf, tooMuchWork } from '../../../base/expression/text.ts'
import { answersOf, newScope, readMessage, renewBudget, type RunbookScope } from './scope.ts'
import { prepare } from './steps.ts'

type Ending = { kind: 'done'; output: unknown; text: string } | { kind: 'failed'; code: string; message: string }

type Action = { kind: 'call'; call: WantedCall } | Ending

export interface RunbookState {
  add: (entry: Entry) => void
  /** The same until an entry comes. */
  next: () => Action
}

/** The purpose of the current call. */
type Purpose = { kind: 'step' } | { kind: 'memory'; path: string } | { kind: 'choice' }

interface State {
  scope: RunbookScope
  position: number
  /** How many calls the current step has made for each purpose: the numbers are part of the call ids. */
  calls: Record<Purpose['kind'], number>
  /** How many of those attempts failed since a person last chose. */
  failures: number
  /** Why the current step failed, while a person is asked about it. */
  trouble: { message: string; output: unknown } | null
  ran: number
  skipped: number
  /** Messages that people posted while it ran. */
  posted: string[]
  pending: { call: WantedCall; purpose: Purpose } | Ending | null
}

const noCalls = (): State['calls'] => ({ step: 0, memory: 0, choice: 0 })

const newState = (facts: RunFacts, message?: unknown): State => ({
  scope: newScope(facts, message),
  position: 0,
  calls: noCalls(),
  failures: 0,
  trouble: null,
  ran: 0,
  skipped: 0,
  posted: [],
  pending: null,
})

export function createRunbookState(blocks: Block[], facts: RunFacts): RunbookState {
  let state = newState(facts)
  return {
    add(entry) {
      if (entry.kind === 'user' && entry.restarts) state = newState(facts, readMessage(entry.text))
      else if (entry.kind === 'user') state.posted.push(entry.text)
      else if (entry.kind === 'result') takeResult(blocks, state, entry)
    },
    next() {
      const pending = (state.pending ??= decide(blocks, state))
      return 'call' in pending ? { kind: 'call', call: pending.call } : pending
    },
  }
}

/** Moves to the next call, or to the end. All its changes follow from the state alone. */
function decide(blocks: Block[], state: State): NonNullable<State['pending']> {
  renewBudget(state.scope)
  for (;;) {
    const block = blocks[state.position]
    if (!block) return { kind: 'done', output: null, text: summaryOf(state) }
    if (state.trouble) return choiceCall(block, state, state.trouble.message)
    const prepared = prepare(block, state.scope)
    if (prepared.kind === 'call') return pendingCall(block, state, prepared.name, prepared.arguments, { kind: 'step' })
    if (prepared.kind === 'memory') {
      const { path } = prepared
      return pendingCall(block, state, 'memory_read', { path }, { kind: 'memory', path })
    }
    if (prepared.kind === 'exhausted') return exhausted(block)
    if (prepared.kind === 'output') return { kind: 'done', output: prepared.value, text: textOf(prepared.value) }
    if (prepared.kind === 'skipped') {
      state.scope.steps.set(block.id, { output: null, error: null, ok: false, skipped: true })
      moveOn(state, 'skipped')
    } else {
      const ending = fail(block, state, prepared.message, null)
      if (ending) return ending
    }
  }
}

function pendingCall(
  block: Block,
  state: State,
  name: string,
  args: unknown,
  purpose: Purpose,
): NonNullable<State['pending']> {
  state.calls[purpose.kind] += 1
  const number = state.calls[purpose.kind]
  const suffix = purpose.kind === 'step' ? (number === 1 ? '' : `.${number}`) : `.${purpose.kind}${number}`
  return { call: { id: `${block.id}${suffix}`, name, arguments: args }, purpose }
}

const choices = { retry: 'Retry', goOn: 'Continue', stop: 'Stop' }
const titleMax = 300
const descriptionMax = 20_000

function choiceCall(block: Block, state: State, message: string): NonNullable<State['pending']> {
  const title = `Step ${block.id} failed: ${message.replaceAll(/\s+/g, ' ')}`
  const options = [
    { label: choices.retry, description: 'The step is made once more.' },
    { label: choices.goOn, description: 'The run continues with the next step.' },
    { label: choices.stop, description: 'The run fails.' },
  ]
  const args = {
    title: title.length > titleMax ? `${title.slice(0, titleMax - 1).toWellFormed()}…` : title,
    description: `Line ${block.line} of the procedure: ${message}`.slice(0, descriptionMax).toWellFormed(),
    questions: [{ question: 'What should happen now?', options }],
  }
  return pendingCall(block, state, 'human_ask', args, { kind: 'choice' })
}

function takeResult(blocks: Block[], state: State, entry: Extract<Entry, { kind: 'result' }>): void {
  const pending = (state.pending ??= decide(blocks, state))
  // an ended run asks for nothing more
  if (!('call' in pending)) return
  const { call, purpose } = pending
  if (entry.name !== call.name) {
    const message = `The log of this run holds a result of ${entry.name} where the procedure calls ${call.name}. Start a new run.`
    state.pending = { kind: 'failed', code: 'log_mismatch', message }
    return
  }
  const block = blocks[state.position]!
  state.pending = null
  if (purpose.kind === 'memory') state.scope.memory.set(purpose.path, contentOf(entry.result, entry.error))
  else if (purpose.kind === 'choice') state.pending = takeChoice(block, state, entry.result) ?? null
  else state.pending = takeOutcome(block, state, call, entry) ?? null
}

function takeOutcome(
  block: Block,
  state: State,
  call: WantedCall,
  entry: Extract<Entry, { kind: 'result' }>,
): Ending | undefined {
  const { failure, isRejected } = outcomeOf(call, entry.result, entry.error)
  noteResult(state.scope, block.id, call, entry.result, failure)
  if (failure === null || (isRejected && block.onError === 'continue')) return moveOn(state, 'ran')
  if (isRejected) {
    return { kind: 'failed', code: 'rejected', message: `Step ${block.id} (line ${block.line}) was ${failure}` }
  }
  state.failures += 1
  // another turn, another call: the ledger shows every attempt
  if (state.failures <= block.retry) return undefined
  return fail(block, state, failure, entry.result)
}

/** What follows a step that stays failed: the run ends, continues, or asks. */
function fail(block: Block, state: State, message: string, output: unknown): Ending | undefined {
  if (block.onError === 'fail') return stepFailed(block, message)
  if (block.onError === 'continue') return leaveFailed(block, state, message, output)
  state.trouble = { message, output }
  return undefined
}

function leaveFailed(block: Block, state: State, message: string, output: unknown): undefined {
  state.scope.steps.set(block.id, { output, error: message, ok: false, skipped: false })
  return moveOn(state, 'ran')
}

const stepFailed = (block: Block, message: string): Ending => ({
  kind: 'failed',
  code: 'step_failed',
  message: `Step ${block.id} (line ${block.line}) failed: ${message}`,
})

/** The run fails whatever on_error= says: its next step would begin where this one had to stop. */
const exhausted = (block: Block): Ending => ({
  kind: 'failed',
  code: 'limit_reached',
  message: `Step ${block.id} (line ${block.line}) takes too long to work out: ${tooMuchWork}`,
})

/** Without an answer that was offered the run does not continue. */
function takeChoice(block: Block, state: State, result: unknown): Ending | undefined {
  const chosen = Object.values(answersOf(result)).flat()[0]
  const { message, output } = state.trouble!
  state.trouble = null
  state.failures = 0
  if (chosen === choices.retry) return undefined
  return chosen === choices.goOn ? leaveFailed(block, state, message, output) : stepFailed(block, message)
}

function moveOn(state: State, counts: 'ran' | 'skipped'): undefined {
  state[counts] += 1
  state.position += 1
  state.calls = noCalls()
  state.failures = 0
  state.trouble = null
}

function summaryOf({ ran, skipped }: State): string {
  const steps = ran === 1 ? '1 step ran' : `${ran} steps ran`
  return skipped === 0 ? `${steps}.` : `${steps}, ${skipped} skipped.`
}
