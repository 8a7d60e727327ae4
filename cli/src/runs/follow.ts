// Follows a run to its end, or to where a person is needed, and turns how it ended into an exit code.
import {
  type PendingRequest,
  type Run,
  type RunStreamEvent,
  type Runyard,
  type WaitedRun,
} from '../../../sdk/src/index.ts'
import { exit, type Call } from '../command.ts'
import { askPerson } from '../inbox/askPerson.ts'
import { howToAnswer } from '../inbox/requestLines.ts'
import { Keyboard, keyboardOf } from '../keyboard.ts'
import { harmlessLines, jsonText } from '../output.ts'
import { lengthOf } from '../times.ts'
import { eventLine } from './eventLine.ts'
import { LiveView } from './liveView.ts'

interface Following {
  /** `events`: each as it comes, on stdout. `output`: a live view, and at the end what the run gave, on stdout. */
  prints: 'events' | 'output'
  timeoutMs?: number | undefined
}

/** How often it is looked whether somebody else has answered while a person is asked here. */
const lookMs = 2000
/** How often the figures of the run are read for the view. */
const figuresMs = 1000

export async function followRun(call: Call, runyard: Runyard, runId: string, following: Following): Promise<number> {
  const { out, stdin, signal: byHand } = call
  const { prints, timeoutMs } = following
  const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const signal = late ? AbortSignal.any([byHand, late]) : byHand
  const view = prints === 'output' && !out.isJson ? new LiveView(out) : undefined
  const keyboard = out.canAsk ? keyboardOf(stdin(), out) : undefined
  const figures = figuresFor(runyard, runId, view, signal)
  const onEvent = (event: RunStreamEvent): void => {
    if (prints === 'events') printEvent(call, event)
    view?.take(event)
    figures()
  }
  const onRequest = keyboard && ((pending: PendingRequest) => ask(pending, { call, runyard, keyboard, view, signal }))
  try {
    const run = await runyard.runs.wait(runId, { onEvent, signal, ...(onRequest && { onRequest }) })
    return ended(call, run, view, prints)
  } catch (error) {
    view?.pause()
    if (byHand.aborted) return left(call, `The run ${runId} continues.`, runId, exit.interrupted)
    if (!late?.aborted) throw error
    const length = lengthOf((timeoutMs ?? 0) / 1000)
    return left(call, `The run ${runId} has not ended within ${length}. It continues.`, runId, exit.timeout)
  } finally {
    view?.pause()
    keyboard?.close()
  }
}

function left({ out }: Call, sentence: string, runId: string, code: number): number {
  out.note(`${sentence} Follow it with: runyard runs tail ${runId}`)
  return code
}

function printEvent({ out }: Call, event: RunStreamEvent): void {
  if (out.isJson) return out.line(jsonText(event))
  const line = eventLine(event, out.isForPeople ? out.width : Infinity)
  if (line !== undefined) out.line(line)
}

/** What a run has used is not in its events: it is read after them, not too often, and never in the way of them. */
function figuresFor(runyard: Runyard, runId: string, view: LiveView | undefined, signal: AbortSignal): () => void {
  let readAt = 0
  return () => {
    if (!view || Date.now() - readAt < figuresMs) return
    readAt = Date.now()
    runyard.runs.get(runId, { signal, maxRetries: 0 }).then(
      ({ run }) => view.used(run.usage),
      () => undefined, // the wait itself reports what is wrong
    )
  }
}

interface AskedHere {
  call: Call
  runyard: Runyard
  keyboard: Keyboard
  view: LiveView | undefined
  signal: AbortSignal
}

/** Somebody else may answer first: then this one need not. */
async function ask(pending: PendingRequest, { call, runyard, keyboard, view, signal }: AskedHere): Promise<void> {
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

function ended(call: Call, waited: WaitedRun, view: LiveView | undefined, prints: Following['prints']): number {
  const { pendingRequest, ...run } = waited
  const { out } = call
  view?.used(run.usage)
  if (pendingRequest) {
    view?.pause()
    out.note(
      `The run needs a person: ${asSentence(pendingRequest.request.title)} ${howToAnswer(pendingRequest.request)}`,
    )
    if (out.isJson && prints === 'output') out.line(jsonText(run, 2))
    return exit.personNeeded
  }
  view?.end(run.status)
  if (prints === 'output') printOutput(call, run)
  if (run.status === 'failed') {
    out.note(
      `The run failed: ${asSentence(run.error?.message ?? 'no reason was given')} See: runyard runs show ${run.id}, or try it again: runyard runs retry ${run.id}`,
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
