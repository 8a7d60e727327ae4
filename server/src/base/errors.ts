// Every error the API can answer: its code, its HTTP status, and the sentence that a caller reads when there is none more exact.

interface ErrorKind {
  status: 400 | 401 | 403 | 404 | 405 | 409 | 429 | 500
  says: string
}

const kinds = {
  invalid_request: { status: 400, says: 'The request does not fit this operation. Correct it and send it again.' },
  invalid_idempotency_key: {
    status: 400,
    says: 'Idempotency-Key must have 1 to 255 characters, none of them a control character.',
  },
  payload_too_large: { status: 400, says: 'The body is larger than this operation accepts. Send less at once.' },
  url_not_allowed: {
    status: 400,
    says: 'This URL may not be called from the server. Use a public http or https URL.',
  },
  unauthorized: { status: 401, says: 'Send a valid API key or access token as "Authorization: Bearer <token>".' },
  forbidden: {
    status: 403,
    says: 'This credential belongs to another team. Use the team id that GET /v2/teams lists.',
  },
  insufficient_scope: { status: 403, says: 'This credential lacks the scope that the operation needs.' },
  entitlement_exceeded: {
    status: 403,
    says: 'A limit of the team is reached. Ask the operator to raise it, or wait until it resets.',
  },
  not_found: { status: 404, says: 'Nothing with this id is visible to your credential. Check the id.' },
  method_not_allowed: {
    status: 405,
    says: 'This path does not take that method. The Allow header lists those it takes.',
  },
  conflict: { status: 409, says: 'The record has changed, or its state does not allow this. Read it again.' },
  provider_not_configured: {
    status: 409,
    says: 'The server has no OAuth client for this provider. The operator can set one.',
  },
  public_url_missing: { status: 409, says: 'Set PUBLIC_URL on the server, then try again.' },
  sandbox_busy: { status: 409, says: 'The sandbox is in use. Wait for its holder to end, then try again.' },
  agent_paused: { status: 409, says: 'The agent is paused. Resume it, or start a run of a draft.' },
  gate_not_met: { status: 409, says: 'The latest runs of this build score below the promotion gate.' },
  idempotency_key_in_use: {
    status: 409,
    says: 'A request with this Idempotency-Key is still running. Send it again after Retry-After seconds.',
  },
  idempotency_key_reused: {
    status: 409,
    says: 'This Idempotency-Key was used for another request, or by another credential. Use a new key for a new request.',
  },
  already_live: { status: 409, says: 'This build is already live.' },
  builder_run_active: { status: 409, says: 'A builder run of this build is still active. Wait for it or discard it.' },
  builder_run_not_waiting: { status: 409, says: 'This builder run is not waiting for answers.' },
  stale_review: { status: 409, says: 'The builder run changed since you read it. Read it again, then decide.' },
  human_request_closed: {
    status: 409,
    says: 'This human request is closed: it was answered or cancelled, or it expired.',
  },
  guardrail_reached: {
    status: 409,
    says: 'A bound of the team’s guardrails for this day is reached. Wait for the next day, or change the guardrails.',
  },
  rubric_limit: { status: 409, says: 'A build has at most five rubrics. Delete one first.' },
  case_trigger_exists: { status: 409, says: 'This agent has a case trigger already. Change or delete that one.' },
  duplicate_name: { status: 409, says: 'This name is taken. Choose another.' },
  artifact_busy: {
    status: 409,
    says: 'Something works on this artifact. Wait until it is done, answer its `pending_question`, or stop it.',
  },
  already_attached: { status: 409, says: 'This is attached already.' },
  rate_limited: { status: 429, says: 'Too many requests in this minute. Send again after Retry-After seconds.' },
  internal_error: {
    status: 500,
    says: 'The server failed to carry this out. Try again; if it stays, give the operator the X-Request-Id.',
  },
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof kinds
export type ErrorStatus = ErrorKind['status']
export const errorKinds: Record<ErrorCode, ErrorKind> = kinds

/** The caller's mistake or a state they must know of: it is answered as it stands. Anything else thrown is a 500. */
export class Fault extends Error {
  readonly code: ErrorCode
  readonly status: ErrorStatus
  readonly headers: Record<string, string>

  constructor(code: ErrorCode, message?: string, extra: { headers?: Record<string, string>; cause?: unknown } = {}) {
    super(message ?? errorKinds[code].says, { cause: extra.cause })
    this.name = 'Fault'
    this.code = code
    this.status = errorKinds[code].status
    this.headers = extra.headers ?? {}
  }
}

export function errorBody(fault: { code: ErrorCode; message: string }): { error: ErrorCode; message: string } {
  return { error: fault.code, message: fault.message }
}
