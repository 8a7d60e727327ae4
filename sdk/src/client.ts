// Sends requests: the credential, the team, idempotency keys, time-outs and retries of every call.
import { Call, type Answered, type CallOptions } from './call.ts'
import { pageOrigin, userAgent, variable, webCrypto } from './environment.ts'
import { ApiError, ConnectionError, errorOf, RunyardError, TimeoutError } from './errors.ts'
import { fileAnswerOf, type FileAnswer } from './files.ts'
import { List } from './list.ts'
import { pause, waitBeforeRetry } from './retry.ts'
import { linked } from './stopping.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface RunyardOptions {
  /** An API key or an access token. From `RUNYARD_API_KEY` unless given. */
  apiKey?: string
  /** From `RUNYARD_URL` unless given, otherwise a service on this machine. In a page, `''` is the service that the page came from. */
  baseUrl?: string
  /** From `RUNYARD_TEAM` unless given, otherwise the team of the key. */
  teamId?: string
  /** How many times a call is tried again when its failure can pass: 2 unless given. */
  maxRetries?: number
  /** How long one attempt may take: 60 seconds unless given. */
  timeoutMs?: number
  headers?: Record<string, string>
  fetch?: typeof fetch
  /** Is called after each attempt, for logs. */
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
  /** Is sent as JSON, unless it is bytes, a Blob, a form or a stream. A stream can be sent only once, so it is never tried again. */
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
    const given = options.baseUrl ?? variable('RUNYARD_URL') ?? usualUrl
    this.baseUrl = (given === '' ? pageOrigin() : given).replace(/\/+$/, '')
    this.#apiKey = options.apiKey ?? variable('RUNYARD_API_KEY')
    this.#teamId = options.teamId ?? variable('RUNYARD_TEAM')
    this.#options = options
  }

  /** The caller's own, where there is one. */
  get fetch(): typeof fetch {
    return this.#options.fetch ?? fetch
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
    const isRead = method === 'GET' || method === 'HEAD'
    const key = isRead || options.idempotencyKey === null ? undefined : (options.idempotencyKey ?? (await newKey()))
    const body = bodyOf(options.body)
    const retries = body.isOnce ? 0 : (options.maxRetries ?? this.#options.maxRetries ?? usualRetries)
    // without the slash, the path could name another host, which would get the credential
    if (!path.startsWith('/')) throw new RunyardError(`The path ${path} does not begin with a slash.`)
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
    // a redirected POST would become a GET, whose answer is that of another operation
    const redirect = isRead ? 'follow' : 'error'
    const init: RequestInit = { method, headers, redirect, ...body.init }
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
      const segments = rest ? value.split('/') : [value]
      // a URL resolves these, so they would name another record
      if (segments.some((one) => one === '.' || one === '..')) throw new RunyardError(`${name} cannot be ${value}.`)
      return segments.map(encodeURIComponent).join('/')
    })
  }

  async #attempt(url: URL, init: RequestInit, attempt: number, options: RequestOptions): Promise<Response> {
    const startedAt = Date.now()
    const report = (outcome: { status?: number; error?: unknown }) =>
      this.#options.onAttempt?.({
        method: init.method ?? 'GET',
        url: url.href,
        attempt,
        durationMs: Date.now() - startedAt,
        ...outcome,
      })
    let response: Response
    try {
      response = await this.#fetch(url, init, options)
    } catch (error) {
      report({ error, ...(error instanceof ApiError && { status: error.status }) })
      throw error
    }
    report({ status: response.status })
    return response
  }

  /** The time counts until the whole answer is there, except for a stream, which has no end. */
  async #fetch(url: URL, init: RequestInit, options: RequestOptions): Promise<Response> {
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs ?? usualTimeoutMs
    const late = () => new TimeoutError(`${url.origin} did not answer within ${timeoutMs} ms.`)
    const stopping = linked(options.signal, timeoutMs, late)
    let isOpen = false
    try {
      const send = this.fetch
      const response = await send(url, { ...init, signal: stopping.signal })
      if (!response.ok) throw errorOf(response, await response.text())
      isOpen = isOpenEnded(response)
      if (isOpen) return response
      const bytes = await response.arrayBuffer()
      return new Response(bytes.byteLength > 0 ? bytes : null, response)
    } catch (error) {
      if (stopping.signal.aborted) throw stopping.signal.reason
      if (error instanceof RunyardError) throw error
      throw new ConnectionError(`${url.origin} cannot be reached: ${reasonOf(error)}.`, { cause: error })
    } finally {
      stopping.clearTimer()
      // the signal must still end a stream that continues
      if (!isOpen) stopping.unlink()
    }
  }

  async #learnTeam(): Promise<string> {
    try {
      const { teams } = await this.json<{ teams: { id: string }[] }>('GET', '/v2/teams', {}, undefined)
      const [team] = teams
      if (!team) throw new RunyardError('This key does not belong to a team.')
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
  try {
    return (text === '' ? undefined : JSON.parse(text)) as T
  } catch (error) {
    throw new RunyardError(`The answer is not JSON. Is this a Runyard server? ${text.slice(0, 200)}`, { cause: error })
  }
}

/** Not `randomUUID`: a browser has it only on pages that came over HTTPS. */
async function newKey(): Promise<string> {
  const bytes = (await webCrypto()).getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

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
  const isBytes = body instanceof ArrayBuffer || ArrayBuffer.isView(body)
  if (isBytes || body instanceof Blob || body instanceof FormData || body instanceof URLSearchParams) {
    return { init: { body: body as NonNullable<RequestInit['body']> }, headers: {}, isOnce: false }
  }
  return { init: { body: JSON.stringify(body) }, headers: { 'content-type': 'application/json' }, isOnce: false }
}
