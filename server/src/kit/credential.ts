// Who is calling: finds the API key, access token or session behind a token, remembered for less than a second.
import { hash } from 'node:crypto'
import { forgetOldest } from '../base/boundedCache.ts'
import type { Sql } from '../base/db.ts'
import { Fault } from '../base/errors.ts'
import { isMistypedKey } from '../base/secrets.ts'
import { effectiveScopes, type Role, type Scope } from './scopes.ts'
import { shareLookups } from './sharedLookups.ts'
import { workingSessions } from './workingSessions.ts'

export type CredentialType = 'api_key' | 'oauth_client' | 'session'

export interface Caller {
  team_id: string
  member_id: string
  role: Role
  credential: { type: CredentialType; id: string }
  scopes: ReadonlySet<Scope>
  /** The granted scopes, sorted, before they are cut to the role: two tokens of a client can differ in them. */
  grant: string
  /**
   * When this key or token expires; null if it is valid until it is revoked. A session has the expiry of the API key that it stands on: what
   * a person makes while signed in outlives the session, but not that key.
   */
  expires_at: Date | null
}

interface Known {
  caller: Caller
  /** When the row was asked for (performance.now): what we know is at least as old as this. */
  askedAt: number
}

/** A revoked key must be dead everywhere within 1 s: no answer is older than `lifeMs`, and asking takes a few ms. */
const lifeMs = 800
/** A credential in use is asked for again in the background from here on, so that no request waits for it. */
const freshMs = 400
const knownMax = 10_000
const unknownMax = 10_000
/** RUNYARD_API_KEY is the longest token there is. */
const tokenLengthMax = 512

export interface Credentials {
  /**
   * Undefined when no credential has this token. Whoever holds a connection gives its `own`: a look-up that is due takes that one and waits for
   * no second, so transactions that hold all connections never wait for each other here.
   */
  find(token: string, own?: Sql): Promise<Caller | undefined>
  /** Remembered as its last use; not for a request that the rate limit refuses, which writes nothing. */
  used(caller: Caller): void
  /** Writes the last-used times collected so far; called on a timer and when the process stops. */
  flush(): Promise<void>
}

/**
 * Anybody can send tokens that look right, because their checksum is public. So unknown tokens are remembered apart from known ones and
 * never push them out, and the two are looked up apart: a flood of strangers holds one connection, a known credential waits for none
 * of them, and one that this process has not seen yet waits for one statement more than without the flood.
 */
export function createCredentials(sql: Sql, clock: () => number = () => performance.now()): Credentials {
  const known = new Map<string, Known>()
  /** When each token was last asked for. */
  const unknown = new Map<string, number>()
  const asking = new Map<string, { answer: Promise<Caller | undefined>; askedAt: number }>()
  const used = new Map<string, Date>()
  const renew = shareLookups((digests: string[]) => lookUp(sql, digests))
  const meet = shareLookups((digests: string[]) => lookUp(sql, digests))

  /** A caller shares the look-up that is under way, unless that began so long ago that its answer may be out of date. */
  function ask(digest: string): Promise<Caller | undefined> {
    const shared = asking.get(digest)
    const askedAt = clock()
    if (shared && askedAt - shared.askedAt <= lifeMs) return shared.answer
    const isNewest = () => asking.get(digest)?.askedAt === askedAt
    const answer = (known.has(digest) ? renew : meet)(digest)
      .then((caller) => {
        if (!isNewest()) return caller
        known.delete(digest)
        unknown.delete(digest)
        // the token that was asked for last goes to the end, so the first one has been unused for longest
        if (caller) remember(known, knownMax, digest, { caller, askedAt })
        else remember(unknown, unknownMax, digest, askedAt)
        return caller
      })
      .finally(() => isNewest() && asking.delete(digest))
    asking.set(digest, { answer, askedAt })
    return answer
  }

  /** What a transaction reads for itself is not remembered: the requests that come next share a look-up of their own. */
  async function askNow(digest: string, own: Sql | undefined): Promise<Caller | undefined> {
    if (!own) return ask(digest)
    const [caller] = await lookUp(own, [digest])
    return caller
  }

  async function find(token: string, own?: Sql): Promise<Caller | undefined> {
    const digest = digestOf(token)
    const now = clock()
    const entry = known.get(digest)
    if (!entry) {
      const isUnknown = !isWellFormed(token) || now - (unknown.get(digest) ?? -Infinity) <= lifeMs
      return isUnknown ? undefined : askNow(digest, own)
    }
    const age = now - entry.askedAt
    if (age > lifeMs) return askNow(digest, own)
    // a background look-up that fails is repeated, and then reported, by the request that finds the entry too old
    if (age > freshMs) void ask(digest).catch(() => known.delete(digest))
    return entry.caller
  }

  /** A use moves the end of a session, so a clock that is ahead of the database's must not lengthen it. */
  async function flush(): Promise<void> {
    if (used.size === 0) return
    const uses = [...used].sort(([id], [other]) => (id < other ? -1 : 1))
    used.clear()
    await sql`
      insert into credential_uses (credential_id, last_used_at)
      select id, least(at, now()) from unnest(${uses.map(([id]) => id)}::uuid[], ${uses.map(([, at]) => at)}::timestamptz[]) as use (id, at)
      on conflict (credential_id) do update set last_used_at = greatest(credential_uses.last_used_at, excluded.last_used_at)`
  }

  return {
    find,
    used: (caller) => used.set(caller.credential.id, new Date()),
    flush,
  }
}

function remember<T>(map: Map<string, T>, max: number, digest: string, entry: T): void {
  map.set(digest, entry)
  if (map.size > max) forgetOldest(map)
}

/** Tokens are remembered by their digest, so that no list of them lies in memory. */
const digestOf = (token: string): string => hash('sha256', token, 'base64')

interface Row {
  secret_hash: Buffer
  type: CredentialType
  id: string
  team_id: string
  member_id: string
  role: Role
  scopes: string[]
  expires_at: Date | null
}

/** Scopes are cut to the member's role here, so a role that changes changes every credential of that member. */
async function lookUp(sql: Sql, digests: string[]): Promise<(Caller | undefined)[]> {
  const hashes = digests.map((digest) => Buffer.from(digest, 'base64'))
  const rows = await sql<Row>`
    select k.secret_hash, 'api_key' as type, k.id, k.team_id, k.member_id, m.role, k.scopes, k.expires_at
    from api_keys k join members m on m.id = k.member_id and m.removed_at is null
    where k.secret_hash = any(${hashes}::bytea[]) and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    union all
    select t.secret_hash, 'oauth_client', c.id, c.team_id, c.member_id, m.role, t.scopes, t.expires_at
    from access_tokens t join oauth_clients c on c.id = t.client_id
      join members m on m.id = c.member_id and m.removed_at is null
    where t.secret_hash = any(${hashes}::bytea[]) and t.expires_at > now()
    union all
    select s.secret_hash, 'session', s.id, s.team_id, s.member_id, m.role, s.scopes, k.expires_at
    from ${workingSessions} and s.secret_hash = any(${hashes}::bytea[])`
  const found = new Map(rows.map((row) => [row.secret_hash.toString('base64'), callerOf(row)]))
  return digests.map((digest) => found.get(digest))
}

const callerOf = (row: Row): Caller => ({
  team_id: row.team_id,
  member_id: row.member_id,
  role: row.role,
  credential: { type: row.type, id: row.id },
  scopes: effectiveScopes(row.scopes, row.role),
  grant: row.scopes.toSorted().join(' '),
  expires_at: row.expires_at,
})

const isWellFormed = (token: string): boolean => token.length <= tokenLengthMax && !isMistypedKey(token)

/** RFC 6750 §2.1; the scheme's name is case-insensitive. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization && /^bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1]
}

/** RFC 6750 §3 and RFC 9728 §5.1: where the caller learns how to get a token, and that the one it sent is invalid. */
export function unauthorized(baseUrl: string, sent: boolean): Fault {
  const metadata = challengeOf(baseUrl)
  const challenge = sent ? `${metadata}, error="invalid_token"` : metadata
  const message = sent
    ? 'This token is unknown, expired or revoked. Send a valid API key or access token as "Authorization: Bearer <token>".'
    : undefined
  return new Fault('unauthorized', message, { headers: { 'www-authenticate': challenge } })
}

/** The cookie of a session that is over. */
export const sessionOver = (baseUrl: string): Fault =>
  new Fault('unauthorized', 'You are not signed in any more. Sign in again.', {
    headers: { 'www-authenticate': challengeOf(baseUrl) },
  })

const challengeOf = (baseUrl: string): string =>
  `Bearer resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`
