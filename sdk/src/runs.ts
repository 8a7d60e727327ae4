// Runs as a program wants them: started and waited for, over restarts of the server, until they end or a person is needed.
import type { CallOptions } from './call.ts'
import { ApiError, RunyardError, TimeoutError } from './errors.ts'
import { EventStream, type StreamOptions } from './events.ts'
import { RunsGroup } from './generated/groups.ts'
import type { GetRunAnswer, HumanRequest, RunyardEvent, StartRunInput } from './generated/types.ts'
import { PendingRequest } from './humanRequests.ts'
import { pause } from './retry.ts'

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
  signal?: AbortSignal
  /** How long to wait in all. The run continues when the time is over. */
  timeoutMs?: number
}

/** The run as it is when the wait ends: at its end, or where it needs a person. */
export type WaitedRun = GetRunAnswer['run'] & { pendingRequest: PendingRequest | undefined }

const pollMs = 2000
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

  /** Starts a run and waits for it, see `wait`. A repeat with the same `idempotencyKey` waits for the run that is there. */
  async startAndWait(input: StartRunInput, options: WaitOptions & CallOptions = {}): Promise<WaitedRun> {
    const { onEvent: _, onRequest: _request, timeoutMs: _wait, ...call } = options
    const { run_id } = await this.start(input, call)
    return this.wait(run_id, options)
  }

  /** Follows a run until it has ended or needs a person. Throws a TimeoutError when the time is over; the run continues. */
  async wait(runId: string, options: WaitOptions = {}): Promise<WaitedRun> {
    const { timeoutMs } = options
    if (timeoutMs === undefined) return this.#follow(runId, options)
    const late = new TimeoutError(`The run ${runId} has not ended within ${timeoutMs} ms. It continues.`)
    const stopping = new AbortController()
    const timer = setTimeout(() => stopping.abort(late), timeoutMs)
    const stop = () => stopping.abort(options.signal?.reason)
    if (options.signal?.aborted) stop()
    options.signal?.addEventListener('abort', stop, { once: true })
    try {
      return await this.#follow(runId, { ...options, signal: stopping.signal })
    } finally {
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', stop)
    }
  }

  async #follow(runId: string, { onEvent, onRequest, signal }: WaitOptions): Promise<WaitedRun> {
    const asked = new Set<string>()
    try {
      for await (const event of this.events(runId, signal ? { signal } : {})) {
        await onEvent?.(event)
        if (event.event === 'end') break
        if (!mayNeedPerson(event)) continue
        const waited = await this.#look(runId, asked, onRequest, signal)
        if (waited) return waited
      }
    } catch (error) {
      signal?.throwIfAborted()
      // a refusal is final, unless it is only the stream that this credential or a proxy does not allow
      if (error instanceof RunyardError && !(error instanceof ApiError && error.status < 500)) throw error
      if (!(error instanceof ApiError)) throw error
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
    const { run, pending_human_request: request } = await this.get(runId, signal ? { signal } : {})
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
    const { pending_human_request: now } = await this.get(request.run_id, signal ? { signal } : {})
    return now?.id !== request.id
  }
}

/** The events of a run that was waited for before are given again: what they say may be past, so the run itself is asked. */
const mayNeedPerson = ({ event, data }: RunStreamEvent): boolean =>
  event === 'human_request.created' ||
  (event === 'run.paused' && (data as { waiting_on: { kind: string } }).waiting_on.kind === 'human')

export type { HumanRequest }
