// docs/guides/error-codes.md: every error code with its status, its message and the operations that declare it.
import { errorKinds, type ErrorCode } from '../src/base/errors.ts'
import { features } from '../src/features.ts'

/** How many operations a row lists; a code that more of them declare is common. */
const listedMax = 8

export function errorCodesPage(): string {
  const operations = features.flatMap((feature) => feature.operations)
  const declaring = (code: ErrorCode): string => {
    const ids = operations.filter(({ errors }) => errors.includes(code)).map(({ id }) => `\`${id}\``)
    if (ids.length === 0) return 'any'
    return ids.length > listedMax ? `${ids.length} operations` : ids.toSorted().join(', ')
  }
  return [
    '# Error codes',
    '',
    'An error is JSON: `{"error": "<code>", "message": "<sentence>"}`. The code never changes; the message says what is wrong and what to do,',
    'and is often more exact than the one below. Give the `X-Request-Id` header of the answer to the operator when you ask about it.',
    '',
    'How a *run* fails is in `run.error.code`: see [runbooks](runbooks.md#when-a-step-fails).',
    '',
    'This page is generated from `server/src/base/errors.ts` by `npm run openapi`.',
    '',
    '| Code | Status | Message unless there is a more exact one | Operations |',
    '|---|---|---|---|',
    ...Object.entries(errorKinds).map(
      ([code, { status, says }]) => `| \`${code}\` | ${status} | ${says} | ${declaring(code as ErrorCode)} |`,
    ),
    '',
  ].join('\n')
}
