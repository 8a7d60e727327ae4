// The right to send the bytes of one upload: a row that is claimed while they arrive, freed when that fails, and used up when they are stored.
import type { Sql } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import { newId } from '../../../base/ids.ts'
import type { Context } from '../../../kit/context.ts'
import { leaseUntil, whileLeased } from '../../../kit/lease.ts'
import { isThere, sandboxColumns, type FoundSandbox } from '../workspace/sandbox.ts'

/** How long the claim of a process that died stays; one that lives renews it well before. */
const claimSeconds = 30
export const renewalMs = 5000

/** What the signed URL says. */
export interface Upload {
  id: string
  sandboxId: string
  path: string
}

export interface Claim {
  upload: Upload
  claim: string
  sandbox: FoundSandbox
}

/** Refuses what is unknown, was used, or is being used at this moment. */
export async function claimUpload(sql: Sql, upload: Upload): Promise<Claim> {
  const claim = newId()
  const [sandbox] = await sql<FoundSandbox>`
    update file_uploads u set claim = ${claim}, claimed_until = ${leaseUntil(claimSeconds)}
    from sandboxes s
    where u.id = ${upload.id} and u.sandbox_id = ${upload.sandboxId} and u.path = ${upload.path}
      and s.id = u.sandbox_id and s.team_id = u.team_id and ${isThere}
      and u.spent_at is null and (u.claim is null or u.claimed_until < now())
    returning ${sandboxColumns}, s.team_id`
  if (sandbox) return { upload, claim, sandbox }
  const [row] = await sql<{ is_spent: boolean }>`
    select u.spent_at is not null as is_spent
    from file_uploads u join sandboxes s on s.id = u.sandbox_id and s.team_id = u.team_id
    where u.id = ${upload.id} and u.sandbox_id = ${upload.sandboxId} and ${isThere}`
  if (!row) throw new Fault('not_found', 'The sandbox of this upload URL was deleted. Create another sandbox.')
  if (row.is_spent) throw new Fault('conflict', 'This upload URL was already used. Ask for a new one.')
  throw new Fault('conflict', 'A file is being sent to this upload URL right now. Wait for that, or ask for a new URL.')
}

/** Holds the claim while the work lasts; frees it if the work fails, so that the next try need not wait. */
export function whileClaimed<T>({ db, log }: Context, held: Claim, work: () => Promise<T>): Promise<T> {
  const { sql } = db
  const lease = {
    name: `the claim of the upload ${held.upload.id}`,
    log,
    everyMs: renewalMs,
    renew: () => sql`
      update file_uploads set claimed_until = ${leaseUntil(claimSeconds)}
      where id = ${held.upload.id} and team_id = ${held.sandbox.team_id} and claim = ${held.claim}`,
    release: () => sql`
      update file_uploads set claim = null, claimed_until = null
      where id = ${held.upload.id} and team_id = ${held.sandbox.team_id} and claim = ${held.claim} and spent_at is null`,
  }
  return whileLeased(lease, work)
}

/** In the transaction that names the file: the URL is used up exactly if the file exists. */
export async function spendUpload(sql: Sql, { upload, claim, sandbox }: Claim): Promise<void> {
  const [spent] = await sql`
    update file_uploads set spent_at = now(), claimed_until = null
    where id = ${upload.id} and team_id = ${sandbox.team_id} and claim = ${claim} and spent_at is null returning 1`
  if (!spent) throw new Fault('conflict', 'Another upload took over this URL. Ask for a new one.')
}
