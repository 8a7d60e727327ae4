// The first stages: who calls, how often that caller may, and whether the operation is theirs to call.
import type { Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { bearerToken, sessionOver, unauthorized, type Caller } from '../credential.ts'
import { isMutating, type Operation } from '../operation.ts'
import { refuseIfOver } from '../rateLimit.ts'
import { nounOf } from '../resources.ts'
import { readCookie, requireOwnPage, sessionCookie } from '../sessionCookie.ts'
import { countStranger } from '../strangers.ts'
import type { Deps, Exchange, PlainRequest } from './exchange.ts'

export async function identify(deps: Deps, operation: Operation, request: PlainRequest): Promise<Caller> {
  requireOwnPageOf(deps, operation, request)
  const caller = await findCaller(deps, request)
  if (caller) return caller
  await countStranger(deps.context, request.address())
  throw notLetIn(deps, request)
}

function requireOwnPageOf(deps: Deps, operation: Operation, request: PlainRequest): void {
  if (sessionTokenOf(deps, request) === undefined || !request.page) return
  requireOwnPage(deps.context.baseUrl(), request.page, { changes: isMutating(operation) })
}

function notLetIn(deps: Deps, request: PlainRequest): Fault {
  const baseUrl = deps.context.baseUrl()
  if (sessionTokenOf(deps, request) !== undefined) return sessionOver(baseUrl)
  return unauthorized(baseUrl, request.authorization !== undefined)
}

/** A session's token counts only in its cookie, where the checks of requests from pages apply; any other token only as a bearer token. */
export async function findCaller(deps: Deps, request: PlainRequest, own?: Sql): Promise<Caller | undefined> {
  const fromCookie = sessionTokenOf(deps, request)
  const token = fromCookie ?? bearerToken(request.authorization)
  const caller = token === undefined ? undefined : await deps.credentials.find(token, own)
  const isSession = caller?.credential.type === 'session'
  return isSession === (fromCookie !== undefined) ? caller : undefined
}

const sessionTokenOf = ({ context }: Deps, { page }: PlainRequest): string | undefined =>
  page && readCookie(context.baseUrl(), page, sessionCookie)

/**
 * Right before the call acts, or shows what it did: its body, its turns and waits, and the calls before it in its message may have taken minutes.
 * A look-up that is not too old is not repeated (credential.ts); a call in its transaction gives its `own` connection for one. The request was
 * counted when its credential was still good: it is not counted again as a stranger's.
 */
export async function identifyAgain(exchange: Exchange, own?: Sql): Promise<void> {
  const { deps, operation, request } = exchange
  requireOwnPageOf(deps, operation, request)
  const caller = await findCaller(deps, request, own)
  if (!caller) throw notLetIn(deps, request)
  exchange.caller = caller
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
