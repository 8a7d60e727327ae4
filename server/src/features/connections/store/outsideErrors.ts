// Asking servers of the outside while a request waits: how long, and what their failures mean to its caller.
import { Fault } from '../../../base/errors.ts'
import { McpTrouble, McpUnauthorized } from '../../../drivers/mcp/mcp.ts'
import { isGuarded } from '../../../drivers/oauth/failures.ts'
import { GrantRefused, OAuthTrouble, type Door } from '../../../drivers/oauth/oauth.ts'
import type { Context } from '../../../kit/context.ts'

const patienceMs = 30_000

export const doorOf = ({ outbound }: Pick<Context, 'outbound'>): Door => ({
  fetch: outbound.fetch,
  signal: AbortSignal.timeout(patienceMs),
})

/** What another server did wrong, as a sentence; undefined: a mistake of ours. Throws where it was the guard that refused. */
export function troubleWith(host: string, error: unknown): string | undefined {
  if (isGuarded(error)) throw new Fault('url_not_allowed', (error as Error).message)
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return `${host} did not answer within ${patienceMs / 1000} s.`
  }
  const isKnown =
    error instanceof OAuthTrouble ||
    error instanceof GrantRefused ||
    error instanceof McpTrouble ||
    error instanceof McpUnauthorized
  return isKnown ? error.message : undefined
}
