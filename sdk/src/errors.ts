// What a call can fail with: one class for each status, and others for what happened before there was an answer.
import type { ErrorCode, ErrorCodes } from './generated/types.ts'

/** Everything that this SDK throws itself. */
export class RunyardError extends Error {
  override get name(): string {
    return this.constructor.name
  }
}

/** The server refused the call, or failed. `message` is its own sentence, which says what to do. */
export class ApiError<Code extends string = ErrorCode> extends RunyardError {
  readonly status: number
  /** The code to act upon. Another server in between may answer without one; then it is `unknown`. */
  readonly code: Code | 'unknown'
  /** Names the request in the server's log. */
  readonly requestId: string | undefined
  /** Seconds after which the server wants to be asked again. */
  readonly retryAfter: number | undefined
  readonly headers: Headers

  constructor(response: Response, body: string) {
    const refusal = refusalIn(body)
    super(refusal?.message ?? `The server answered with the status ${response.status}: ${body.slice(0, 200)}`)
    this.status = response.status
    this.code = (refusal?.error as Code | undefined) ?? 'unknown'
    this.headers = response.headers
    this.requestId = response.headers.get('x-request-id') ?? undefined
    this.retryAfter = retryAfterOf(response.headers)
  }
}

export class InvalidRequestError extends ApiError<ErrorCodes[400]> {}
export class NotSignedInError extends ApiError<ErrorCodes[401]> {}
export class ForbiddenError extends ApiError<ErrorCodes[403]> {}
export class NotFoundError extends ApiError<ErrorCodes[404]> {}
export class ConflictError extends ApiError<ErrorCodes[409]> {}
export class RateLimitError extends ApiError<ErrorCodes[429]> {}
export class ServerError extends ApiError<ErrorCodes[500]> {}

/** The server could not be reached, or the connection broke before the whole answer was there. */
export class ConnectionError extends RunyardError {}

/** No answer came in time. */
export class TimeoutError extends ConnectionError {}

/** A stream reported that it cannot continue. */
export class StreamError extends RunyardError {}

/** A webhook's body is not what this server signed, or was signed too long ago. */
export class SignatureError extends RunyardError {}

const classes: Record<number, new (response: Response, body: string) => ApiError<string>> = {
  400: InvalidRequestError,
  401: NotSignedInError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
}

export function errorOf(response: Response, body: string): ApiError<string> {
  const kind = classes[response.status] ?? (response.status >= 500 ? ServerError : ApiError)
  return new kind(response, body)
}

function refusalIn(body: string): { error: string; message: string } | undefined {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return undefined // a proxy answered with a page
  }
  const { error, message } = (value ?? {}) as { error?: unknown; message?: unknown }
  return typeof error === 'string' && typeof message === 'string' ? { error, message } : undefined
}

/** Seconds, or a date. */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
