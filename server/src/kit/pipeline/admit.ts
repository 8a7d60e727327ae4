// The first stages: who calls, how often that caller may, and whether the operation is theirs to call.
import { Fault } from '../../base/errors.ts'
import { bearerToken, sessionOver, unauthorized, type Caller } from '../credential.ts'
import { isMutating, type Operation } from '../operation.ts'
import { refuseIfOver } from '../rateLimit.ts'
import { nounOf } from '../resources.ts'
import { readCookie, requireOwnPage, sessionCookie } from '../sessionCookie.ts'
import { countStranger } from '../strangers.ts'
import type { Deps, Exchange, PlainRequest } from './exchange.ts'

export async function identify(deps: Deps, operation: Operation, request: PlainRequest): Promise<Caller> {
  const { context } = deps
  const token = sessionTokenOf(deps, request)
  if (token !== undefined && request.page) {
    requireOwnPage(context.baseUrl(), request.page, { changes: isMutating(operation) })
  }
  const caller = await findCaller(deps, request)
  if (caller) return caller
  await countStranger(context, request.address())
  if (token !== undefined) throw sessionOver(context.baseUrl())
  throw unauthorized(context.baseUrl(), request.authorization !== undefined)
}

/** A session's token counts only in its cookie, where the checks of requests from pages apply; any other token only as a bearer token. */
export async function findCaller(deps: Deps, request: PlainRequest): Promise<Caller | undefined> {
  const fromCookie = sessionTokenOf(deps, request)
  const token = fromCookie ?? bearerToken(request.authorization)
  const caller = token === undefined ? undefined : await deps.credentials.find(token)
  const isSession = caller?.credential.type === 'session'
  return isSession === (fromCookie !== undefined) ? caller : undefined
}

const sessionTokenOf = ({ context }: Deps, { page }: PlainRequest): string | undefined =>
  page && readCookie(context.baseUrl(), page, sessionCookie)

/**
 * Right before the call acts, or shows what it did: its body, its turns and the calls before it in its message may have taken minutes. A look-up
 * that is not too old is not repeated (credential.ts).
 */
export async function identifyAgain(exchange: Exchange): Promise<void> {
  exchange.caller = await identify(exchange.deps, exchange.operation, exchange.request)
  requireScopeAndTeam(exchange)
}

/** Counts the call for the credential and for its team. `headers` get the tighter of the two limits. */
export async function limit({ context }: Deps, caller: Caller, headers: Record<string, string>): Promise<void> {
  const { rateLimit, config } = context
  const own = await rateLimit.take(`credential ${caller.credential.id}`, config.rateLimit)
  refuseIfOver(own, headers)
  refuseIfOver(await rateLimit.take(`team ${caller.team_id}`, config.rateLimit * 10), headers, own)
}

export function requireScopeAndTeam({ operation, caller, request }: Exchange): void {
  if (!caller.scopes.has(operation.scope)) {
    throw new Fault(
      'insufficient_scope',
      `This credential lacks the scope ${operation.scope}. Use a key that has it, or ask an admin of the team for one.`,
      { headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${operation.scope}"` } },
    )
  }
  for (const name of operation.parameters) {
    if (nounOf(name) === 'team' && request.params[name] !== caller.team_id) throw new Fault('forbidden')
  }
}
