// How an outbound call failed: one error, named by the stage it failed at.

import { OutboundRefused } from './guard.ts'
import type { Timing } from './timing.ts'

/**
 * guard: refused by the outbound guard. dns: the name has no answer. connect: no TCP connection, or not in time. tls: no secure connection.
 * timeout: the total time is used up. protocol: what came back is not a complete HTTP answer, or the request cannot be written as HTTP.
 * aborted: the caller, or the end of the process, stopped it.
 */
export type OutboundStage = 'guard' | 'dns' | 'connect' | 'tls' | 'timeout' | 'protocol' | 'aborted'

export class OutboundFailure extends Error {
  override name = 'OutboundFailure'
  readonly stage: OutboundStage
  /** How long each stage took until then; undefined: nothing was sent or dialled. */
  timing?: Timing

  /** `message` is one sentence for the owner of the URL; `cause` is for the log. */
  constructor(stage: OutboundStage, message: string, options?: ErrorOptions) {
    super(message, options)
    this.stage = stage
  }
}

export function connectTimeout(host: string): OutboundFailure {
  return new OutboundFailure('connect', `${host} did not accept a connection in time.`)
}

/** The failure of the steps before HTTP, by what was thrown and where. */
export function dialFailure(stage: 'dns' | 'connect' | 'tls', host: string, cause: unknown): OutboundFailure {
  if (cause instanceof OutboundFailure) return cause
  if (cause instanceof OutboundRefused) return new OutboundFailure('guard', cause.reason, { cause })
  const code = codeOf(cause)
  const sentence = {
    dns: code === 'ENOTFOUND' ? `${host} does not resolve.` : `${host} could not be resolved (${code}).`,
    connect: code === 'ECONNREFUSED' ? `${host} refused the connection.` : `${host} cannot be reached (${code}).`,
    tls: `The secure connection to ${host} failed (${code}).`,
  }[stage]
  return new OutboundFailure(stage, sentence, { cause })
}

/** The failure of an exchange on an open connection. */
export function exchangeFailure(host: string, cause: unknown): OutboundFailure {
  if (cause instanceof OutboundFailure) return cause
  const [stage, sentence] = exchangeSentence(host, codeOf(cause), cause)
  return new OutboundFailure(stage, sentence, { cause })
}

function exchangeSentence(host: string, code: string, cause: unknown): [OutboundStage, string] {
  switch (code) {
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_CLOSED':
      return ['aborted', `The call to ${host} was stopped because the service is shutting down.`]
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return ['timeout', `${host} stopped answering.`]
    case 'UND_ERR_HEADERS_OVERFLOW':
      return ['protocol', `${host} answered with too many or too large headers.`]
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
      return ['protocol', `${host} closed the connection before its answer was complete.`]
    case 'UND_ERR_INVALID_ARG':
      return ['protocol', `The request to ${host} cannot be sent: ${messageOf(cause)}.`]
    default:
      return ['protocol', `${host} did not answer in valid HTTP (${code}).`]
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
