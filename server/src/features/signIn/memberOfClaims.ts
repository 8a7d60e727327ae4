// The member that verified claims of an OpenID Connect provider belong to: found by e-mail address, or made.
import type { Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import type { Context } from '../../kit/context.ts'
import { memberWritesOf } from '../../kit/registry.ts'
import { roles, type Role } from '../../kit/scopes.ts'

interface Found {
  team_id: string
  member_id: string
}

/**
 * Part of the caller's transaction. A person with the same address in several teams is signed in to the oldest of those in which the address
 * was shown to be theirs, or else to the oldest of all: anybody may give a member somebody else's address. A new member is made in the oldest
 * team.
 */
export async function memberOfClaims(sql: Sql, context: Context, claims: Record<string, unknown>): Promise<Found> {
  const email = emailOf(context, claims)
  const role = roleOf(context, claims)
  const found = await findMember(sql, email)
  const writes = memberWritesOf(context)
  if (found) {
    const { team_id: teamId, member_id: memberId } = found
    if (role !== undefined) await writes.changeRole({ sql, teamId, memberId, role })
    await writes.confirmEmail({ sql, teamId, memberId, email })
    return found
  }
  const { oidcDefaultRole } = context.config
  const given = role ?? (oidcDefaultRole === 'none' ? undefined : oidcDefaultRole)
  if (given === undefined) {
    throw refused(`No member has the e-mail address ${email}. Ask an admin of your team to add you.`)
  }
  const [team] = await sql<{ id: string }>`select id from teams order by created_at, id limit 1`
  if (!team) throw refused('There is no team yet.')
  const memberId = await writes.create({ sql, teamId: team.id, name: nameOf(claims, email), email, role: given })
  if (memberId !== undefined) {
    await writes.confirmEmail({ sql, teamId: team.id, memberId, email })
    return { team_id: team.id, member_id: memberId }
  }
  // another sign-in of the same person made it a moment ago
  const made = await findMember(sql, email)
  if (!made) throw refused('The member changed in this moment. Sign in again.')
  return made
}

async function findMember(sql: Sql, email: string): Promise<Found | undefined> {
  const [found] = await sql<Found>`
    select m.team_id, m.id as member_id from members m join teams t on t.id = m.team_id
    where lower(m.email) = lower(${email}) and m.removed_at is null
    order by (lower(m.verified_email) = lower(m.email)) is true desc, t.created_at, t.id limit 1`
  return found
}

const refused = (says: string): Fault => new Fault('forbidden', says)

/** An address that the provider has not verified may be somebody else's. */
function emailOf({ config }: Context, { email, email_verified }: Record<string, unknown>): string {
  if (typeof email !== 'string' || !/^[^@\s]+@[^@\s]+$/.test(email) || email.length > 254) {
    throw refused('The provider gives no e-mail address for you, by which Runyard knows its members.')
  }
  if (email_verified !== true) throw refused('The provider has not verified your e-mail address.')
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  const { oidcAllowedDomains: allowed } = config
  if (allowed.length > 0 && !allowed.includes(domain)) {
    throw refused(`Addresses of ${domain} may not sign in here.`)
  }
  return email
}

/** The highest role that the claim names. */
function roleOf({ config: { oidcRoleClaim } }: Context, claims: Record<string, unknown>): Role | undefined {
  if (oidcRoleClaim === undefined || !Object.hasOwn(claims, oidcRoleClaim)) return undefined
  const named = new Set<unknown>([claims[oidcRoleClaim]].flat())
  return roles.find((role) => named.has(role))
}

function nameOf({ name }: Record<string, unknown>, email: string): string {
  const given = typeof name === 'string' ? name.replace(/[\p{Cc}\p{Cs}]/gu, ' ').trim() : ''
  return (given || email).slice(0, 100)
}
