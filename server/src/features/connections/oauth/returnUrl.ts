// Where a browser may be sent when an authorisation is over: our own origin, or one that the operator listed.
import { Fault } from '../../../base/errors.ts'
import type { Context } from '../../../kit/context.ts'
import { url } from '../../../kit/schema.ts'

export const ReturnUrl = url(
  'Where the browser is sent afterwards, with `status`, `connection_id` and `error` added to its query. Its origin must be that of the ' +
    'server’s PUBLIC_URL or one of RUNYARD_RETURN_URLS. Absent: a plain page.',
  ['https://app.example.com/connections'],
)

/** Otherwise a link of ours could be made to lead anywhere. */
export function requireReturnUrl({ config, baseUrl }: Pick<Context, 'config' | 'baseUrl'>, given: string): string {
  const asked = URL.parse(given)
  const allowed = [new URL(baseUrl()).origin, ...config.returnUrls]
  if (
    asked &&
    /^https?:$/.test(asked.protocol) &&
    asked.username + asked.password === '' &&
    allowed.includes(asked.origin)
  ) {
    return asked.href
  }
  throw new Fault(
    'invalid_request',
    `return_url must be a URL below ${allowed.join(' or ')}. Use one of these, or ask the operator to add its origin to ` +
      'RUNYARD_RETURN_URLS.',
  )
}

export type FlowEnding = { status: 'connected'; connection_id: string } | { status: 'failed'; error: string }

export function withEnding(returnUrl: string, ending: FlowEnding): string {
  const target = new URL(returnUrl)
  for (const name of ['status', 'connection_id', 'error']) target.searchParams.delete(name)
  for (const [name, value] of Object.entries(ending)) target.searchParams.set(name, value)
  return target.href
}
