// A member: a person of a team, whose role bounds what their credentials may do.
import { part, sqlState, uniqueViolation, type Part, type Sql } from '../../base/db.ts'
import type { Caller } from '../../kit/credential.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { roles, scopesLacked, type Role } from '../../kit/scopes.ts'

export const Member = named(
  'Member',
  Type.Object({
    id: Id,
    team_id: Id,
    name: Type.String(),
    email: nullable(Type.String()),
    role: oneOf(roles),
    created_at: Time,
    updated_at: Time,
  }),
)

export type Member = Static<typeof Member>

export const MemberName = Type.String({ minLength: 1, maxLength: 100, examples: ['Night shift'] })
export const MemberEmail = nullable(
  Type.String({ maxLength: 254, pattern: '^[^@\\s]+@[^@\\s]+$', examples: ['night@example.com'] }),
)
export const MemberRole = oneOf(roles, { description: 'Bounds the scopes of the member’s credentials.' })

export const memberColumns = part`id, team_id, name, email, role, created_at, updated_at`

const memberWith = (id: string, teamId: string): Part => part`
  select ${memberColumns}
  from members where id = ${id} and team_id = ${teamId} and removed_at is null`

export const findMember = (sql: Sql, id: string, teamId: string): Promise<Member[]> =>
  sql<Member>`${memberWith(id, teamId)}`

/** The member as nobody else can change it until this transaction ends. Whoever also asks `isOnlyAdmin` asks that first. */
export const lockMember = (sql: Sql, id: string, teamId: string): Promise<Member[]> =>
  sql<Member>`${memberWith(id, teamId)} for no key update`

export const member = resource('member', findMember)

declare module '../../kit/resources.ts' {
  interface Resources {
    member: Member
  }
}

/**
 * Asked before an admin steps down or leaves. Such changes lock the team's row one after the other, so two cannot pass at once. The lock lets
 * others insert rows of the team: they may have locked a member before, which is asked for after this.
 */
export async function isOnlyAdmin(sql: Sql, teamId: string, memberId: string): Promise<boolean> {
  await sql`select id from teams where id = ${teamId} for no key update`
  const admins = await sql<{ id: string }>`
    select id from members where team_id = ${teamId} and role = 'admin' and removed_at is null`
  return admins.length === 1 && admins[0]!.id === memberId
}

export const onlyAdminMessage = 'This is the only admin of the team. Make somebody else admin first.'

/**
 * An e-mail address is a way in, because OpenID Connect finds members by it. It is therefore given like an invitation: only to a role without rights
 * that the caller lacks (decision 0025).
 */
export function requireMayGiveEmail(
  caller: Caller,
  role: Role,
  fail: (code: 'insufficient_scope', message: string) => never,
): void {
  const lacked = scopesLacked(role, caller.scopes)
  if (lacked.length === 0) return
  fail(
    'insufficient_scope',
    `Your credential lacks ${lacked.join(', ')}, which the role ${role} has, and so cannot give such a member an email: it is a way to sign in.`,
  )
}

/** Runs a write of a member; if another member has the email, it fails with a conflict that says so. */
export async function refusingTakenEmail<T>(
  fail: (code: 'conflict', message: string) => never,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (sqlState(error) === uniqueViolation) return fail('conflict', 'Another member of the team has this email.')
    throw error
  }
}
