// A member's session: what a browser is signed in with. Its token is in a cookie; the row has only the hash.
import { part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { hashToken, randomWord } from '../../base/secrets.ts'
import { recordOutcome } from '../../kit/audit.ts'
import type { Caller } from '../../kit/credential.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, oneOf, Time, Type, type Static } from '../../kit/schema.ts'
import { sessionEnd, workingSessions } from '../../kit/workingSessions.ts'

const waysIn = ['link', 'api_key', 'oidc', 'invitation'] as const
type WayIn = (typeof waysIn)[number]

export const MemberSession = named(
  'MemberSession',
  Type.Object({
    id: Id,
    team_id: Id,
    user_id: Id,
    came_by: oneOf(waysIn, { description: 'How the member signed in.' }),
    user_agent: Type.String({ description: 'What the browser called itself when it signed in.' }),
    address: Type.String({ description: 'The IP address from which it signed in.' }),
    created_at: Time,
    last_used_at: Time,
    expires_at: Time,
    is_current: Type.Boolean({ description: 'Whether this request acts with it.' }),
  }),
)

export type MemberSession = Static<typeof MemberSession>

/** A caller sees the sessions of their own member; one with `keys:manage` sees those of the whole team. */
export const visibleSessions = (teamId: string, caller: Caller) => part`
  ${workingSessions} and s.team_id = ${teamId}
    and (s.member_id = ${caller.member_id} or ${caller.scopes.has('keys:manage')}::boolean)`

export const sessionColumns = ({ credential }: Caller) => part`
  s.id, s.team_id, s.member_id as user_id, s.came_by, s.user_agent, s.address, s.created_at,
  coalesce(u.last_used_at, s.created_at) as last_used_at, ${sessionEnd} as expires_at, s.id = ${credential.id} as is_current`

const findSession = (sql: Sql, id: string, teamId: string, caller: Caller): Promise<MemberSession[]> =>
  sql<MemberSession>`select ${sessionColumns(caller)} from ${visibleSessions(teamId, caller)} and s.id = ${id}`

export const memberSession = resource('member_session', findSession)

declare module '../../kit/resources.ts' {
  interface Resources {
    member_session: MemberSession
  }
}

/** What is known about the browser that signs in. */
export interface Browser {
  userAgent: string
  address: string
  requestId: string
}

export interface NewSession {
  team_id: string
  member_id: string
  came_by: WayIn
  scopes: string[]
  /** The API key that it stands on and ends with. */
  key_id: string | null
  /** The latest end; null: as late as any session can end. */
  until: Date | null
}

/** How many sessions one member can have; the oldest ends when there is one more. */
const sessionsMax = 50

/** Returns the token, which only the cookie has. Part of the caller's transaction. */
export async function openSession(sql: Sql, wanted: NewSession, browser: Browser): Promise<string> {
  const token = `ryc_${randomWord(43)}`
  const id = newId()
  await sql`
    insert into sessions (id, team_id, member_id, secret_hash, came_by, scopes, key_id, user_agent, address, until)
    values (${id}, ${wanted.team_id}, ${wanted.member_id}, ${hashToken(token)}, ${wanted.came_by}, ${wanted.scopes}, ${wanted.key_id},
      ${browser.userAgent}, ${browser.address}, least(now() + interval '7 days', ${wanted.until}::timestamptz))`
  await sql`
    update sessions set revoked_at = now() where revoked_at is null and id in
      (select id from sessions where member_id = ${wanted.member_id} and team_id = ${wanted.team_id} and revoked_at is null
       order by id desc offset ${sessionsMax})`
  await recordSession(sql, { ...wanted, id }, 'signIn', browser.requestId)
  return token
}

/** Signing out: the session is over everywhere within a second. Does nothing for one that is over already. */
export async function closeSession(sql: Sql, token: string, requestId: string): Promise<void> {
  const [closed] = await sql<{ id: string; team_id: string; member_id: string }>`
    update sessions set revoked_at = now() where secret_hash = ${hashToken(token)} and revoked_at is null
    returning id, team_id, member_id`
  if (closed) await recordSession(sql, closed, 'signOut', requestId)
}

const recordSession = (
  sql: Sql,
  session: { id: string; team_id: string; member_id: string },
  operation: 'signIn' | 'signOut',
  requestId: string,
): Promise<void> =>
  recordOutcome(sql, {
    teamId: session.team_id,
    memberId: session.member_id,
    credential: { type: 'session', id: session.id },
    operation,
    target: { type: 'member_session', id: session.id },
    requestId,
    status: 204,
    error: null,
  })
