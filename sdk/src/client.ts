// Sends requests: the credential, the team, idempotency keys, time-outs and retries of every call.
import { Call, type Answered, type CallOptions } from './call.ts'
import { userAgent, variable, webCrypto } from './environment.ts'
import { ConnectionError, errorOf, RunyardError, TimeoutError } from './errors.ts'
import { fileAnswerOf, type FileAnswer } from './files.ts'
import { List } from './list.ts'
import { pause, waitBeforeRetry } from './retry.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface RunyardOptions {
  /** An API key or an access token. From `RUNYARD_API_KEY` unless given. */
  apiKey?: string
  /** From `RUNYARD_URL` unless given, otherwise a service on this machine. */
  baseUrl?: string
  /** From `RUNYARD_TEAM` unless given, otherwise the team of the key. */
  teamId?: string
  /** How often a call that failed in passing is tried again: 2 times unless given. */
  maxRetries?: number
  /** How long one attempt may take: 60 seconds unless given. */
  timeoutMs?: number
  headers?: Record<string, string>
  fetch?: typeof fetch
  /** Is told about each attempt, for logs. */
  onAttempt?: (attempt: Attempt) => void
}

/** One attempt of a call, when it is over. */
export interface Attempt {
  method: string
  url: string
  /** 0 for the first. */
  attempt: number
  durationMs: number
  status?: number
  error?: unknown
}

/** A list becomes one text with commas; what is undefined or null is left out. */
export type Query = Record<string, string | number | boolean | readonly string[] | null | undefined>

export interface RequestOptions extends CallOptions {
  query?: Query
  /** JSON unless it is a Blob or a stream. */
  body?: unknown
}

const usualUrl = 'http://127.0.0.1:4700'
const usualTimeoutMs = 60_000
const usualRetries = 2

type Params = Record<string, string>

export class Client {
  readonly baseUrl: string
  readonly #apiKey: string | undefined
  readonly #options: RunyardOptions
  #teamId: string | Promise<string> | undefined

  constructor(options: RunyardOptions) {
    this.baseUrl = (options.baseUrl ?? variable('RUNYARD_URL') ?? usualUrl).replace(/\/+$/, '')
    this.#apiKey = options.apiKey ?? variable('RUNYARD_API_KEY')
    this.#teamId = options.teamId ?? variable('RUNYARD_TEAM')
    this.#options = options
  }

  json<T>(method: Method, path: string, params: Params, input: object | undefined, options?: CallOptions): Call<T> {
    return new Call(this.#answer(method, path, params, input, options, jsonOf<T>))
  }

  file(
    method: Method,
    path: string,
    params: Params,
    input: object | undefined,
    options?: CallOptions,
  ): Call<FileAnswer> {
    return new Call(this.#answer(method, path, params, input, options, fileAnswerOf))
  }

  list<Row, Page extends object>(
    method: Method,
    path: string,
    params: Params,
    input: object | undefined,
    options: CallOptions | undefined,
    rows: string,
  ): List<Row, Page> {
    return new List(rows, input ?? {}, (page) => this.json<Page>(method, path, params, page, options))
  }

  /** The team of every path that has one. Asked once. */
  teamId(): Promise<string> {
    this.#teamId ??= this.#learnTeam()
    return Promise.resolve(this.#teamId)
  }

  /** One request with its retries; resolves to a response with a good status. */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const key = method === 'GET' || method === 'HEAD' ? undefined : (options.idempotencyKey ?? (await newKey()))
    const body = bodyOf(options.body)
    const retries = body.isOnce ? 0 : (options.maxRetries ?? this.#options.maxRetries ?? usualRetries)
    const url = new URL(this.baseUrl + path)
    for (const [name, value] of Object.entries(options.query ?? {})) addTo(url.searchParams, name, value)
    const headers = new Headers({
      accept: 'application/json',
      ...userAgent(),
      ...(this.#apiKey !== undefined && { authorization: `Bearer ${this.#apiKey}` }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...body.headers,
      ...this.#options.headers,
      ...options.headers,
    })
    const init = { method, headers, ...body.init }
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt(url, init, attempt, options)
      } catch (error) {
        const waitMs = attempt < retries ? waitBeforeRetry(error, attempt) : undefined
        if (waitMs === undefined) throw error
        await pause(waitMs, options.signal)
      }
    }
  }

  async #answer<T>(
    method: Method,
    path: string,
    params: Params,
    input: object | undefined,
    options: CallOptions | undefined,
    read: (response: Response) => Promise<T>,
  ): Promise<Answered<T>> {
    const filled = await this.fill(path, params)
    const isQuery = method === 'GET' || method === 'DELETE'
    const sent = { ...options, ...(input && (isQuery ? { query: input as Query } : { body: input })) }
    const response = await this.send(method, filled, sent)
    return {
      data: await read(response),
      response,
      requestId: response.headers.get('x-request-id') ?? undefined,
      isReplay: response.headers.get('idempotency-replayed') === 'true',
    }
  }

  /** `:teamId` is the client's own; `:path+` takes slashes. */
  async fill(path: string, params: Params): Promise<string> {
    const values: Params = path.includes(':teamId') ? { ...params, teamId: await this.teamId() } : params
    return path.replace(/:(\w+)(\+?)/g, (_, name: string, rest: string) => {
      const value = values[name]
      // an empty one would name the list instead of a record in it
      if (value === undefined || value === '') throw new RunyardError(`${name} is missing or empty.`)
      return rest ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value)
    })
  }

  async #attempt(url: URL, init: RequestInit, attempt: number, options: RequestOptions): Promise<Response> {
    const startedAt = Date.now()
    const told = (of: { status?: number; error?: unknown }) =>
      this.#options.onAttempt?.({
        method: init.method ?? 'GET',
        url: url.href,
        attempt,
        durationMs: Date.now() - startedAt,
        ...of,
      })
    try {
      const response = await this.#fetch(url, init, options)
      told({ status: response.status })
      return response
    } catch (error) {
      told({ error, ...(error instanceof Error && 'status' in error && { status: error.status as number }) })
      throw error
    }
  }

  /** The time counts until the whole answer is there, except for a stream, which has no end. */
  async #fetch(url: URL, init: RequestInit, options: RequestOptions): Promise<Response> {
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs ?? usualTimeoutMs
    const stopping = new AbortController()
    const stop = () => stopping.abort(options.signal?.reason)
    if (options.signal?.aborted) stop()
    options.signal?.addEventListener('abort', stop, { once: true })
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      stopping.abort()
    }, timeoutMs)
    try {
      const send = this.#options.fetch ?? fetch
      const response = await send(url, { ...init, signal: stopping.signal })
      if (!response.ok) throw errorOf(response, await response.text())
      if (isOpenEnded(response)) return response
      const bytes = await response.arrayBuffer()
      return new Response(bytes.byteLength > 0 ? bytes : null, response)
    } catch (error) {
      if (isLate) throw new TimeoutError(`${url.origin} did not answer within ${timeoutMs} ms.`, { cause: error })
      if (options.signal?.aborted) throw options.signal.reason
      if (error instanceof RunyardError) throw error
      throw new ConnectionError(`${url.origin} cannot be reached: ${reasonOf(error)}`, { cause: error })
    } finally {
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', stop)
    }
  }

  async #learnTeam(): Promise<string> {
    try {
      const { teams } = await this.json<{ teams: { id: string }[] }>('GET', '/v2/teams', {}, undefined)
      const [team] = teams
      if (!team) throw new RunyardError('This key belongs to no team.')
      return (this.#teamId = team.id)
    } catch (error) {
      this.#teamId = undefined // the next call asks again
      throw error
    }
  }
}

const isOpenEnded = ({ headers }: Response): boolean => !!headers.get('content-type')?.startsWith('text/event-stream')

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { message?: string; code?: string }; message?: string }
  return cause?.message || cause?.code || message || String(error)
}

async function jsonOf<T>(response: Response): Promise<T> {
  const text = await response.text()
  return (text === '' ? undefined : JSON.parse(text)) as T
}

const newKey = async (): Promise<string> => (await webCrypto()).randomUUID()

function addTo(query: URLSearchParams, name: string, value: Query[string]): void {
  if (value === undefined || value === null) return
  query.set(name, typeof value === 'object' ? value.join(',') : String(value))
}

interface SentBody {
  init: RequestInit
  headers: Record<string, string>
  /** It can be read only once, so the request cannot be sent again. */
  isOnce: boolean
}

function bodyOf(body: unknown): SentBody {
  if (body === undefined) return { init: {}, headers: {}, isOnce: false }
  if (body instanceof ReadableStream) {
    // Node wants to hear that the answer comes after the whole body
    return { init: { body, duplex: 'half' } as RequestInit, headers: {}, isOnce: true }
  }
  if (body instanceof Blob || body instanceof Uint8Array || body instanceof FormData) {
    return { init: { body: body as NonNullable<RequestInit['body']> }, headers: {}, isOnce: false }
  }
  return { init: { body: JSON.stringify(body) }, headers: { 'content-type': 'application/json' }, isOnce: false }
}
