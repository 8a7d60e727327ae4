// One call of an operation: a promise of its answer that can also give the response around it.

export interface CallOptions {
  /**
   * Your own key. A repeat with the same key, also from another process, gets the first answer again. For a call that changes something, one is
   * made unless given; null sends none.
   */
  idempotencyKey?: string | null
  signal?: AbortSignal
  /** How long one attempt may take. */
  timeoutMs?: number
  maxRetries?: number
  headers?: Record<string, string>
}

/** For a POST that changes nothing: a repeat does no harm, and a key would be kept for a day. */
export const withoutKey = (options: CallOptions | undefined): CallOptions => ({ idempotencyKey: null, ...options })

/** The answer with what the response said around it. */
export interface Answered<T> {
  data: T
  response: Response
  requestId: string | undefined
  /** The server had carried out this call before, and gave the stored answer. */
  isReplay: boolean
}

/** It is sent at once, whether somebody waits for it or not. */
export class Call<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Call'
  readonly #answered: Promise<Answered<T>>

  constructor(answered: Promise<Answered<T>>) {
    this.#answered = answered
  }

  withResponse(): Promise<Answered<T>> {
    return this.#answered
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise
  then<Good = T, Bad = never>(
    onGood?: ((data: T) => Good | PromiseLike<Good>) | null,
    onBad?: ((reason: unknown) => Bad | PromiseLike<Bad>) | null,
  ): Promise<Good | Bad> {
    return this.#answered.then(({ data }) => data).then(onGood, onBad)
  }

  catch<Bad = never>(onBad?: ((reason: unknown) => Bad | PromiseLike<Bad>) | null): Promise<T | Bad> {
    return this.then(null, onBad)
  }

  finally(onEnd?: (() => void) | null): Promise<T> {
    return this.#answered.then(({ data }) => data).finally(onEnd)
  }
}
