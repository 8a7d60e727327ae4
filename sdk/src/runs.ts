// Runs as a program wants them: started and waited for, over restarts of the server, until they end or a person is needed.
import type { CallOptions } from './call.ts'
import { RunyardError, TimeoutError } from './errors.ts'
import { EventStream, type StreamOptions } from './events.ts'
import { RunsGroup } from './generated/groups.ts'
import type { GetRunAnswer, HumanRequest, RunyardEvent, StartRunInput } from './generated/types.ts'
import { PendingRequest } from './humanRequests.ts'
import { pause } from './retry.ts'
import { linked } from './stopping.ts'

/** A piece of text while a model writes it. It is not sent again. */
interface TextDelta {
  event: 'delta'
  data: { run_id: string; text: string }
}

/** The run has ended, and with it the stream. */
interface RunEnd {
  event: 'end'
  data: { run_id: string; status: GetRunAnswer['status'] }
}

export type RunStreamEvent = RunyardEvent | TextDelta | RunEnd

export interface WaitOptions {
  onEvent?: (event: RunStreamEvent) => void | Promise<void>
  /**
   * Is called once for each request that waits for a person. Answer it here, and the wait continues; otherwise the wait ends, and its
   * result has the request.
   */
  onRequest?: (request: PendingRequest) => void | Promise<void>
  /**
   * Is called when the events can no longer be read. The wait continues and asks for the run itself, since a proxy or a scope may forbid
   * only the stream, but `onEvent` gets no more. Throw here to end the wait instead.
   */
  onStreamFailure?: (error: RunyardError) => void
  signal?: AbortSignal
  /** How long to wait in all. The run continues when the time is over. */
  timeoutMs?: number
}

/** The run as it is when the wait ends: at its end, or where it needs a person. */
export type WaitedRun = GetRunAnswer['run'] & { pendingRequest: PendingRequest | undefined }

const pollMs = 2000
/** How many times a failed read of the run is tried again: for more than a minute, since a restart of the server must not end the wait. */
const lookRetries = 20
const ended = new Set<string>(['completed', 'failed', 'stopped'])

export class Runs extends RunsGroup {
  /** Every event of a run from the first to the last, live, over broken connections. Ends with the run. */
  events(runId: string, options: StreamOptions = {}): EventStream<RunStreamEvent> {
    return new EventStream<RunStreamEvent>(
      this.client,
      '/v2/runs/:run_id/events',
      { run_id: runId },
      {},
      options,
      'end',
    )
  }

  /**
   * Starts a run and waits for it, as `wait` does; `timeoutMs` is for both together. A repeat with the same `idempotencyKey` waits for
   * the run that is there.
   */
  startAndWait(input: StartRunInput, options: WaitOptions & CallOptions = {}): Promise<WaitedRun> {
    const { onEvent: _, onStreamFailure: _failure, onRequest: _request, timeoutMs: _wait, ...call } = options
    return within(options, async (signal) => {
      const { run_id } = await this.start(input, { ...call, ...(signal && { signal }) })
      return this.#follow(run_id, options, signal)
    })
  }

  /** Follows a run until it has ended or needs a person. Throws a TimeoutError when the time is over; the run continues. */
  wait(runId: string, options: WaitOptions = {}): Promise<WaitedRun> {
    return within(options, (signal) => this.#follow(runId, options, signal))
  }

  async #follow(
    runId: string,
    { onEvent, onStreamFailure, onRequest }: WaitOptions,
    signal: AbortSignal | undefined,
  ): Promise<WaitedRun> {
    const asked = new Set<string>()
    for await (const event of untilBroken(this.events(runId, signal ? { signal } : {}), signal, onStreamFailure)) {
      await onEvent?.(event)
      if (!mayNeedPerson(event)) continue
      const waited = await this.#look(runId, asked, onRequest, signal)
      // a run that has ended by now still has events to give
      if (waited?.pendingRequest) return waited
    }
    for (;;) {
      const waited = await this.#look(runId, asked, onRequest, signal)
      if (waited) return waited
      await pause(pollMs, signal)
    }
  }

  /** The result of the wait, if it ends here. */
  async #look(
    runId: string,
    asked: Set<string>,
    onRequest: WaitOptions['onRequest'],
    signal: AbortSignal | undefined,
  ): Promise<WaitedRun | undefined> {
    const { run, pending_human_request: request } = await this.get(runId, patientWith(signal))
    if (ended.has(run.status)) return { ...run, pendingRequest: undefined }
    if (run.status !== 'waiting' || !request) return undefined
    const pending = new PendingRequest(this.client, request)
    if (!onRequest) return { ...run, pendingRequest: pending }
    if (!asked.has(request.id)) {
      asked.add(request.id)
      await onRequest(pending)
    }
    return pending.isAnswered || (await this.#isAnswered(pending, signal))
      ? undefined
      : { ...run, pendingRequest: pending }
  }

  /** Somebody else may have answered while `onRequest` looked at it. */
  async #isAnswered({ request }: PendingRequest, signal: AbortSignal | undefined): Promise<boolean> {
    const { pending_human_request: now } = await this.get(request.run_id, patientWith(signal))
    return now?.id !== request.id
  }
}

/** Gives the work a signal that also ends when the time is over. */
async function within<T>(
  { signal, timeoutMs }: WaitOptions,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (timeoutMs === undefined) return work(signal)
  const late = () => new TimeoutError(`The run has not ended within ${timeoutMs} ms. It continues.`)
  const stopping = linked(signal, timeoutMs, late)
  try {
    return await work(stopping.signal)
  } finally {
    stopping.clearTimer()
    stopping.unlink()
  }
}

/** Ends where the stream fails, unless `failed` throws. */
async function* untilBroken<Event>(
  events: AsyncIterable<Event>,
  signal: AbortSignal | undefined,
  failed: WaitOptions['onStreamFailure'],
): AsyncGenerator<Event, void, undefined> {
  try {
    yield* events
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof RunyardError)) throw error
    failed?.(error)
  }
}

const patientWith = (signal: AbortSignal | undefined): CallOptions => ({
  maxRetries: lookRetries,
  ...(signal && { signal }),
})

/** The events of a run that was waited for before are given again: what they say may be past, so the run itself is asked. */
const mayNeedPerson = ({ event, data }: RunStreamEvent): boolean =>
  event === 'human_request.created' ||
  (event === 'run.paused' && (data as { waiting_on: { kind: string } }).waiting_on.kind === 'human')

export type { HumanRequest }
