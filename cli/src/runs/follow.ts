// Follows a run to its end, or to where a person is needed, and turns how it ended into an exit code.
import {
  ApiError,
  NotSignedInError,
  type PendingRequest,
  type Run,
  type RunStreamEvent,
  type Runyard,
  RunyardError,
  type WaitedRun,
} from '../../../sdk/src/index.ts'
import { exit, type Call } from '../command.ts'
import { askPerson } from '../inbox/askPerson.ts'
import { howToAnswer } from '../inbox/requestLines.ts'
import { Keyboard, keyboardOf } from '../keyboard.ts'
import { harmlessLines, jsonText, type Output } from '../output.ts'
import { lengthOf } from '../times.ts'
import { eventLine } from './eventLine.ts'
import { LiveRun } from './liveRun.ts'
import { StepLines } from './stepLines.ts'

/** What shows a run under way. */
export interface RunView {
  take: (event: RunStreamEvent) => void
  /** Gives the screen to a question. */
  pause: () => void
  resume: () => void
  end: (run: Run) => Promise<void> | void
  close: () => void
}

interface Following {
  /** `events`: each as it comes, on stdout. `output`: a live view, and at the end what the run gave, on stdout. */
  prints: 'events' | 'output'
  timeoutMs?: number | undefined
  /** The command has started the run: whatever fails after that, a script must be able to find it. */
  isStarted?: true
}

/** How often it is looked whether somebody else has answered while a person is asked here. */
const lookMs = 2000

export async function followRun(call: Call, runyard: Runyard, runId: string, following: Following): Promise<number> {
  const { out, stdin, signal: byHand } = call
  const { prints, timeoutMs, isStarted } = following
  const late = timeoutMs === undefined ? undefined : call.endAfter(timeoutMs)
  const broken = new AbortController()
  const signal = AbortSignal.any([byHand, broken.signal, ...(late ? [late] : [])])
  const keyboard = out.canAsk ? keyboardOf(stdin(), out) : undefined
  const people = { call, runyard, keyboard, signal, asking: Promise.resolve() }
  const view = viewFor(people, runId, prints, (error) => broken.abort(error))
  const onEvent = async (event: RunStreamEvent): Promise<void> => {
    view?.take(event)
    if (prints !== 'events') return
    printEvent(call, event)
    await out.taken({ signal })
  }
  // whoever asked for the events has a failure if the last of them are missing
  const onStreamFailure = (error: Error): void => {
    if (prints === 'events') throw error
  }
  const onRequest = keyboard && ((pending: PendingRequest) => ask(pending, people, view))
  try {
    const options = { onEvent, onStreamFailure, signal, ...(onRequest && { onRequest }) }
    const run = await runyard.runs.wait(runId, options)
    return await ended(call, run, view, prints)
  } catch (error) {
    view?.close()
    if (byHand.aborted) return left(call, `The run ${runId} continues.`, runId, exit.interrupted)
    if (late?.aborted && !broken.signal.aborted) {
      const length = lengthOf((timeoutMs ?? 0) / 1000)
      return left(call, `The run ${runId} has not ended within ${length}. It continues.`, runId, exit.timeout)
    }
    if (!isStarted && !endsOnlyFollowing(error)) throw error
    const { partsOf, exitCodeFor } = await import('../failures.ts')
    const [sentence, hint] = partsOf(error)
    const isLost = error instanceof RunyardError && !(error instanceof NotSignedInError)
    const code = isLost ? exit.notFollowed : exitCodeFor(error)
    return left(call, `${sentence} This did not end the run ${runId}.`, runId, code, hint)
  } finally {
    view?.close()
    keyboard?.close()
  }
}

/** The service was away, failed, or had no room. What else it refuses is an answer: that there is no such run, or that it is not for us. */
const endsOnlyFollowing = (error: unknown): boolean =>
  error instanceof RunyardError && !(error instanceof ApiError && error.status < 500 && error.status !== 429)

/** A tree in a terminal, lines elsewhere; nothing where the events themselves are printed. */
function viewFor(
  people: People,
  runId: string,
  prints: Following['prints'],
  failed: (error: unknown) => void,
): RunView | undefined {
  const { call, runyard, signal } = people
  const { out } = call
  if (prints === 'events' || out.isJson) return undefined
  if (!out.isLive) return new StepLines(out)
  const view: RunView = new LiveRun({
    out,
    runyard,
    runId,
    signal,
    failed,
    async onRequest({ id, run_id }) {
      const { pending_human_request: request } = await runyard.runs.get(run_id, { signal })
      if (request?.id === id) await ask(runyard.humanRequests.of(request), people, view)
    },
  })
  return view
}

function left({ out }: Call, sentence: string, runId: string, code: number, hint?: string): number {
  const follow = `runyard runs tail ${runId}`
  noteWith(out, sentence, hint === undefined ? [`Follow it with: ${follow}`] : [hint, `Then follow it with: ${follow}`])
  return code
}

/** One line in a pipe. In a terminal each command has a line of its own, which can be copied whole. */
function noteWith(out: Output, sentence: string, hints: string[], inPipe = hints.join('. ')): void {
  if (!out.canAsk) return out.note(`${sentence} ${inPipe}`)
  for (const line of [sentence, ...hints.map((hint) => `  ${hint}`)]) out.note(line)
}

function printEvent({ out }: Call, event: RunStreamEvent): void {
  if (out.isJson) return out.line(jsonText(event))
  const line = eventLine(event, out.isForPeople ? out.width : Infinity)
  if (line !== undefined) out.line(line)
}

interface People {
  call: Call
  runyard: Runyard
  keyboard: Keyboard | undefined
  signal: AbortSignal
  /** One question at a time: sub-runs ask too. */
  asking: Promise<void>
}

function ask(pending: PendingRequest, people: People, view: RunView | undefined): Promise<void> {
  const { keyboard } = people
  if (!keyboard) return people.asking
  const asked = people.asking.then(() => askAlone(pending, people, keyboard, view))
  people.asking = asked.catch(() => undefined) // the one that asked gets its error
  return asked
}

/** Somebody else may answer first: then this one need not. */
async function askAlone(
  pending: PendingRequest,
  { call, runyard, signal }: People,
  keyboard: Keyboard,
  view: RunView | undefined,
): Promise<void> {
  const { id, run_id } = pending.request
  const elsewhere = new AbortController()
  const look = setInterval(() => {
    runyard.runs.get(run_id, { signal, maxRetries: 0 }).then(
      ({ pending_human_request: now }) => now?.id !== id && elsewhere.abort(),
      () => undefined, // the next look, or the wait itself, says more
    )
  }, lookMs)
  view?.pause()
  try {
    await askPerson(pending, { keyboard, out: call.out, signal: AbortSignal.any([signal, elsewhere.signal]) })
  } catch (error) {
    if (signal.aborted || !elsewhere.signal.aborted) throw error
    if (!pending.isAnswered) call.out.note('\nIt was answered elsewhere.')
  } finally {
    clearInterval(look)
    view?.resume()
  }
}

async function ended(
  call: Call,
  waited: WaitedRun,
  view: RunView | undefined,
  prints: Following['prints'],
): Promise<number> {
  const { pendingRequest, ...run } = waited
  const { out } = call
  if (pendingRequest) {
    view?.close()
    const { answer, follow } = howToAnswer(pendingRequest.request)
    noteWith(
      out,
      `The run needs a person: ${asSentence(pendingRequest.request.title)}`,
      ['Answer it with: runyard inbox', `Then follow it with: ${follow}`],
      `Answer with: ${answer}. Then follow the run with: ${follow}`,
    )
    if (out.isJson && prints === 'output') out.line(jsonText(run, 2))
    return exit.personNeeded
  }
  await view?.end(run)
  if (prints === 'output') printOutput(call, run)
  if (run.status === 'failed') {
    const [see, again] = [`runyard runs show ${run.id}`, `runyard runs retry ${run.id}`]
    noteWith(
      out,
      `The run failed: ${asSentence(run.error?.message ?? 'no reason was given')}`,
      [`See: ${see}`, `Try it again: ${again}`],
      `See: ${see}, or try it again: ${again}`,
    )
  }
  if (run.status === 'stopped') out.note(`The run was stopped. See: runyard runs why ${run.id}`)
  return run.status === 'completed' ? exit.done : run.status === 'stopped' ? exit.stopped : exit.failed
}

const asSentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`)

/** Text as it is, all else as JSON; with `--json` the whole run. */
function printOutput({ out }: Call, run: Run): void {
  if (out.isJson) return out.line(jsonText(run, 2))
  const { output } = run
  if (output === null) return
  if (typeof output !== 'string') return out.line(jsonText(output, 2))
  out.line(out.isForPeople ? harmlessLines(output) : output)
}
