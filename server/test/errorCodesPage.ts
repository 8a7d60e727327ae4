// docs/guides/error-codes.md: every error code with its status, its message and the operations that declare it.
import { errorKinds, type ErrorCode } from '../src/base/errors.ts'
import { features } from '../src/features.ts'

/** How many operations a row lists; for a code that more of them declare it only counts them. */
const listedMax = 8

/** Codes that the kit itself answers for every operation. */
const ofTheKit = new Set<ErrorCode>([
  'invalid_request',
  'invalid_idempotency_key',
  'payload_too_large',
  'unauthorized',
  'forbidden',
  'insufficient_scope',
  'not_found',
  'method_not_allowed',
  'idempotency_key_in_use',
  'idempotency_key_reused',
  'rate_limited',
  'internal_error',
])

export function errorCodesPage(): string {
  const operations = features.flatMap((feature) => feature.operations)
  const declaring = (code: ErrorCode): string => {
    const ids = operations.filter(({ errors }) => errors.includes(code)).map(({ id }) => `\`${id}\``)
    if (ofTheKit.has(code)) return 'any'
    if (ids.length === 0) return 'none at present'
    return ids.length > listedMax ? `${ids.length} operations` : ids.toSorted().join(', ')
  }
  return [
    '# Error codes',
    '',
    'An error is JSON: `{"error": "<code>", "message": "<sentence>"}`. Programs can rely on the code. The message says what is wrong and what to',
    'do; it is often more exact than the one below. If you ask the operator about an error, give the `X-Request-Id` header of the answer.',
    '',
    'The reason why a *run* failed is in `run.error.code`: see [runbooks](runbooks.md#why-a-run-failed).',
    '',
    'This page is generated from `server/src/base/errors.ts` by `npm run openapi`.',
    '',
    '| Code | Status | Usual message | Operations |',
    '|---|---|---|---|',
    ...Object.entries(errorKinds).map(
      ([code, { status, says }]) => `| \`${code}\` | ${status} | ${says} | ${declaring(code as ErrorCode)} |`,
    ),
    '',
  ].join('\n')
}
