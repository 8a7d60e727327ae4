// A link that signs in once. Its token is in the fragment of the URL, which browsers never send, so no log has it.
import { one, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { hashToken, randomWord } from '../../base/secrets.ts'
import type { NewSession } from './session.ts'

interface WantedLink {
  teamId: string
  memberId: string
  cameBy: 'link' | 'invitation'
  scopes: string[]
  /** The API key that the session will stand on. */
  keyId: string | null
  /** The latest end of the session. */
  sessionUntil: Date | null
}

interface SignInLink {
  id: string
  url: string
  expires_at: Date
}

/** How long a link works, in seconds: one's own is opened at once, an invitation travels by mail. */
const lifeS = { link: 600, invitation: 3 * 86_400 }

export async function issueSignInLink(sql: Sql, baseUrl: string, wanted: WantedLink): Promise<SignInLink> {
  const token = `ryl_${randomWord(43)}`
  const made = await one(sql<{ id: string; expires_at: Date }>`
    insert into sign_in_links (secret_hash, id, team_id, member_id, came_by, scopes, key_id, session_until, expires_at)
    values (${hashToken(token)}, ${newId()}, ${wanted.teamId}, ${wanted.memberId}, ${wanted.cameBy}, ${wanted.scopes}, ${wanted.keyId},
      ${wanted.sessionUntil}, now() + make_interval(secs => ${lifeS[wanted.cameBy]}))
    returning id, expires_at`)
  return { ...made, url: `${baseUrl}/#sign-in=${token}` }
}

/** For whoever may log in to the machine: the first admin of the team, with all rights of the role. */
export async function issueAdminLink(sql: Sql, baseUrl: string, teamId: string): Promise<SignInLink | undefined> {
  const [admin] = await sql<{ id: string }>`
    select id from members where team_id = ${teamId} and role = 'admin' and removed_at is null order by created_at, id limit 1`
  if (!admin) return undefined
  const wanted = { cameBy: 'link', scopes: ['*'], keyId: null, sessionUntil: null } as const
  return issueSignInLink(sql, baseUrl, { ...wanted, scopes: [...wanted.scopes], teamId, memberId: admin.id })
}

/** Whether each of these tokens belongs to a link. One statement asks for all of them, since anybody can make up tokens. */
export async function areLinks(sql: Sql, tokens: string[]): Promise<boolean[]> {
  const hashes = tokens.map(hashToken)
  const rows = await sql<{ secret_hash: Buffer }>`
    select secret_hash from sign_in_links where secret_hash = any(${hashes}::bytea[])`
  const known = new Set(rows.map((row) => row.secret_hash.toString('hex')))
  return hashes.map((each) => known.has(each.toString('hex')))
}

/** Uses it up: whoever comes second finds nothing. Undefined: unknown, used, expired, or its member or key is gone. */
export async function takeLink(sql: Sql, token: string): Promise<NewSession | undefined> {
  const [taken] = await sql<NewSession>`
    update sign_in_links l set used_at = now()
    where l.secret_hash = ${hashToken(token)} and l.used_at is null and l.expires_at > now()
      and exists (select from members m where m.id = l.member_id and m.removed_at is null)
      and (l.key_id is null or exists (select from api_keys k where k.id = l.key_id and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now())))
    returning l.team_id, l.member_id, l.came_by, l.scopes, l.key_id, l.session_until as until`
  return taken
}
