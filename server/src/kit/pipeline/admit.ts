// The first stages: who calls, how often that caller may, and whether the operation is theirs to call.
import { Fault } from '../../base/errors.ts'
import { bearerToken, unauthorized, type Caller } from '../credential.ts'
import { refuseIfOver } from '../rateLimit.ts'
import { nounOf } from '../resources.ts'
import { countStranger } from '../strangers.ts'
import type { Deps, Exchange, PlainRequest } from './exchange.ts'

export async function identify({ context, credentials }: Deps, request: PlainRequest): Promise<Caller> {
  const token = bearerToken(request.authorization)
  const caller = token === undefined ? undefined : await credentials.find(token)
  if (caller) return caller
  await countStranger(context, request.address())
  throw unauthorized(context.baseUrl(), request.authorization !== undefined)
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
