// How an exchange with an authorization server fails: for good, or in a way that may pass.
import { OutboundFailure } from '../../base/outbound/fetch.ts'

/** The server says no, and will say no again: a person must act. Its message is a sentence without secrets. */
export class GrantRefused extends Error {
  override name = 'GrantRefused'
  /** The server's code of the reason (RFC 6749 §5.2); null: it gave none, or we refused. */
  readonly code: string | null

  constructor(message: string, code: string | null = null) {
    super(message)
    this.code = code
  }
}

/** Network, an overloaded server, an answer that makes no sense: it may be tried again. */
export class OAuthTrouble extends Error {
  override name = 'OAuthTrouble'
}

/** Whether the outbound guard refused: then the URL is wrong, not the server behind it. */
export const isGuarded = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof OutboundFailure && error.cause.stage === 'guard'

/** What was thrown while a server was asked, as an OAuthTrouble. An abort of our own caller keeps its own reason. */
export function troubleOf(error: unknown, host: string, callers: AbortSignal): unknown {
  if (callers.aborted) return callers.reason
  if (error instanceof GrantRefused || error instanceof OAuthTrouble) return error
  if (error instanceof OutboundFailure) return new OAuthTrouble(error.message, { cause: error })
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return new OAuthTrouble(`${host} did not answer in time.`)
  }
  return error
}
