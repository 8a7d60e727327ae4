// Sessions that work: one condition for whoever looks a session up, lists sessions, or checks that one still holds.
import { part } from '../base/db.ts'

/** A session that nobody uses for this long is over. */
const idle = part`interval '12 hours'`

/** When the session ends if it is not used again. */
export const sessionEnd = part`least(coalesce(u.last_used_at, s.created_at) + ${idle}, s.until)`

/**
 * Sessions `s` with their member `m`, their last use `u` and the API key `k` that they stand on. The last uses are written for many
 * requests at once (credential.ts), so a use moves the end of a session without a statement of its own.
 */
export const workingSessions = part`
  sessions s join members m on m.id = s.member_id and m.removed_at is null
    left join credential_uses u on u.credential_id = s.id
    left join api_keys k on k.id = s.key_id
  where s.revoked_at is null and ${sessionEnd} > now()
    and (s.key_id is null or (k.revoked_at is null and (k.expires_at is null or k.expires_at > now())))`
