// Requests that wait for a person, each with the answers that it takes.
import type { Client } from './client.ts'
import { RunyardError } from './errors.ts'
import { EventStream, type StreamOptions } from './events.ts'
import { HumanRequestsGroup } from './generated/groups.ts'
import type {
  HumanRequest,
  ListHumanRequestsInput,
  RespondToHumanRequestInput,
  RunyardEvent,
} from './generated/types.ts'

/**
 * One request. An approval is bound to the action that was shown: if the action has changed since, the server refuses the answer.
 * An answer that somebody else gave first is a ConflictError with the code `human_request_closed`.
 */
export class PendingRequest {
  readonly request: HumanRequest
  isAnswered = false
  readonly #client: Client

  constructor(client: Client, request: HumanRequest) {
    this.#client = client
    this.request = request
  }

  /** Lets the action of an approval happen; says of a login that you have logged in. */
  approve(comment?: string): Promise<HumanRequest> {
    return this.respond({
      ...(this.request.type === 'login' ? { done: true } : { approved: true }),
      ...withComment(comment),
    })
  }

  reject(reason?: string): Promise<HumanRequest> {
    return this.respond({ approved: false, ...withComment(reason) })
  }

  /** Answers a question by its text, or a form by its fields. */
  answer(values: Record<string, unknown>, comment?: string): Promise<HumanRequest> {
    const given = this.request.type === 'form' ? { values } : { answers: values as Record<string, string | string[]> }
    return this.respond({ ...given, ...withComment(comment) })
  }

  async respond(response: RespondToHumanRequestInput): Promise<HumanRequest> {
    if (this.isAnswered) throw new RunyardError('This request was answered already.')
    const { id, run_id, action } = this.request
    const input = { ...response, ...(action && { action_hash: action.hash }) }
    const { human_request } = await new HumanRequestsGroup(this.#client).respond(run_id, id, input)
    this.isAnswered = true
    return human_request
  }
}

const withComment = (comment: string | undefined): { comment?: string } => (comment === undefined ? {} : { comment })

export class HumanRequests extends HumanRequestsGroup {
  /** A request that was read from a list or an event, with the answers that it takes. */
  of(request: HumanRequest): PendingRequest {
    return new PendingRequest(this.client, request)
  }

  /** All that wait now, oldest first; with `watch` also those that come, until the signal ends it. */
  async *pending(
    options: Pick<ListHumanRequestsInput, 'assignee_user_id'> & StreamOptions & { watch?: boolean } = {},
  ): AsyncGenerator<PendingRequest, void, undefined> {
    const { assignee_user_id, watch = false, ...stream } = options
    const filter = { status: 'pending' as const, ...(assignee_user_id !== undefined && { assignee_user_id }) }
    // the stream is opened before the list is read, or what comes in between would be lost
    const events = new EventStream<RunyardEvent | { event: 'start' | 'gap'; data: unknown }>(
      this.client,
      '/v2/teams/:teamId/events',
      {},
      { events: 'human_request.created' },
      stream,
    )[Symbol.asyncIterator]()
    const given = new Set<string>()
    try {
      if (watch) await events.next()
      for (;;) {
        let count = 0
        for await (const request of this.list(filter, stream.signal ? { signal: stream.signal } : {})) {
          if (given.has(request.id)) continue
          given.add(request.id)
          count += 1
          yield new PendingRequest(this.client, request)
        }
        // those that were answered in between moved others to a page that was read already
        if (count > 0) continue
        if (!watch) return
        // which request it was is asked of the list: it may be answered already, or not be for this member
        await events.next()
      }
    } finally {
      await events.return(undefined)
    }
  }
}
