// Who may grant what: a credential has no scope that its maker lacks, and none beyond the holder's role.
import type { Sql } from '../../base/db.ts'
import type { Caller } from '../../kit/credential.ts'
import { effectiveScopes, scopesBeyond, type Role } from '../../kit/scopes.ts'

interface Wanted {
  teamId: string
  memberId: string
  scopes: readonly string[] | undefined
}

/** A credential cannot make one that outlives it. Null means until it is revoked. */
export function boundedExpiry(caller: Caller, wanted: Date | null, fail: Fail): Date | null {
  const { expires_at: own } = caller
  if (own === null || wanted === null) return wanted ?? own
  if (wanted <= own) return wanted
  return fail(
    'invalid_request',
    `expires_at must not be later than ${own.toISOString()}, when the credential that you use ends.`,
  )
}

/** Whoever makes a credential for somebody else can act as them, so some of an admin's rights are not enough. */
export function requireOwnOrAdmin(caller: Caller, memberId: string, fail: Fail): void {
  if (memberId === caller.member_id) return
  if (caller.role === 'admin' && scopesBeyond(['*'], caller.scopes).length === 0) return
  fail(
    'insufficient_scope',
    'With this credential you can make keys for yourself. For another member it takes an admin’s credential with all scopes (*).',
  )
}

type Fail = (code: 'insufficient_scope' | 'invalid_request' | 'not_found', message?: string) => never

/** The scopes to store: those that were asked for, if they may be granted; if none were, all that maker and holder share. */
export async function requireGrantable(sql: Sql, caller: Caller, wanted: Wanted, fail: Fail): Promise<string[]> {
  const [holder] = await sql<{ role: Role }>`
    select role from members where id = ${wanted.memberId} and team_id = ${wanted.teamId} and removed_at is null`
  if (!holder) return fail('not_found', 'No member of the team has this id. GET …/members lists them.')
  const ofRole = effectiveScopes(['*'], holder.role)
  if (!wanted.scopes) return [...caller.scopes].filter((scope) => ofRole.has(scope))
  const beyondMaker = scopesBeyond(wanted.scopes, caller.scopes)
  if (beyondMaker.length > 0) {
    fail('insufficient_scope', `Your credential lacks ${beyondMaker.join(', ')} and so cannot grant it.`)
  }
  const beyondRole = wanted.scopes.filter((scope) => scope !== '*' && scopesBeyond([scope], ofRole).length > 0)
  if (beyondRole.length > 0) {
    fail('invalid_request', `scopes: a member with the role ${holder.role} cannot have ${beyondRole.join(', ')}.`)
  }
  return [...wanted.scopes]
}
