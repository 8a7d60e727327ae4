// Makes a link that signs in once: for oneself, or as an invitation for another member.
import type { Sql } from '../../base/db.ts'
import { isId } from '../../base/ids.ts'
import type { Caller } from '../../kit/credential.ts'
import { operation } from '../../kit/operation.ts'
import { Id, Time, Type } from '../../kit/schema.ts'
import { scopesLacked, type Role } from '../../kit/scopes.ts'
import { issueSignInLink } from './signInLink.ts'

export const createSignInLink = operation({
  id: 'createSignInLink',
  client: 'sessions.createLink',
  route: 'POST /v2/teams/:teamId/sign-in-links',
  summary: 'Make a link that signs in once',
  description:
    'The link is only in this answer. For yourself it works for ten minutes, and its session has the scopes of your credential and ends with ' +
    'it. For another member it is an invitation, which works for three days; that needs the scope `keys:manage` and every scope of that ' +
    'member’s role. Tokens of OAuth clients cannot make links.',
  scope: 'team:read',
  body: Type.Object({
    member_id: Type.Optional(Type.String({ description: 'Who will be signed in; absent: you.' })),
  }),
  status: 201,
  answer: Type.Object({
    sign_in_link_id: Id,
    member_id: Id,
    url: Type.String({ examples: ['https://runyard.example.com/#sign-in=ryl_…'] }),
    expires_at: Time,
  }),
  errors: ['forbidden', 'insufficient_scope', 'not_found'],
  tool: false,
  holder: ({ member_id }) => member_id,
  async handler({ team, caller, body, sql, context, fail }) {
    if (caller.credential.type === 'oauth_client') {
      fail('forbidden', 'An OAuth client is a program, which has no page to sign in to. Use an API key or a session.')
    }
    const memberId = body.member_id ?? caller.member_id
    const isOwn = memberId === caller.member_id
    if (!isOwn) await requireMayInvite(sql, caller, { teamId: team.id, memberId }, fail)
    const basis = await basisOf(sql, caller)
    const link = await issueSignInLink(sql, context.baseUrl(), {
      teamId: team.id,
      memberId,
      cameBy: isOwn ? 'link' : 'invitation',
      scopes: isOwn ? caller.grant.split(' ') : ['*'],
      // what an expiring key makes ends with it, also an invitation
      keyId: isOwn || caller.expires_at !== null ? basis.keyId : null,
      sessionUntil: isOwn ? basis.until : null,
    })
    return { sign_in_link_id: link.id, member_id: memberId, url: link.url, expires_at: link.expires_at.toISOString() }
  },
})

type Fail = (code: 'insufficient_scope' | 'not_found', message?: string) => never

/** Whoever makes the link could open it, so it must not lead to rights that the caller lacks. The role stays as it is until the link is there. */
async function requireMayInvite(
  sql: Sql,
  caller: Caller,
  { teamId, memberId }: { teamId: string; memberId: string },
  fail: Fail,
): Promise<void> {
  if (!caller.scopes.has('keys:manage')) {
    fail('insufficient_scope', 'A link for another member needs the scope keys:manage. Ask an admin of the team.')
  }
  const [member] = isId(memberId)
    ? await sql<{ role: Role }>`
        select role from members where id = ${memberId} and team_id = ${teamId} and removed_at is null
        for no key update`
    : []
  if (!member) return fail('not_found', 'No member of the team has this id. GET …/members lists them.')
  const lacked = scopesLacked(member.role, caller.scopes)
  if (lacked.length > 0) {
    fail('insufficient_scope', `Your credential lacks ${lacked.join(', ')}, which the role ${member.role} has.`)
  }
}

/** What a session of one's own link stands on: the caller's key, or what the caller's session stands on. */
async function basisOf(
  sql: Sql,
  { credential, team_id }: Caller,
): Promise<{ keyId: string | null; until: Date | null }> {
  if (credential.type !== 'session') return { keyId: credential.id, until: null }
  const [session] = await sql<{ key_id: string | null; until: Date }>`
    select key_id, until from sessions where id = ${credential.id} and team_id = ${team_id}`
  return { keyId: session?.key_id ?? null, until: session?.until ?? null }
}
