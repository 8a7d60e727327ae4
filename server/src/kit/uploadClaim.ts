// The right to send the bytes of one upload: a row that is claimed while they arrive, freed when that fails, and used up when they are stored.
import type { Part, Sql } from '../base/db.ts'
import { Fault } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import type { Context } from './context.ts'
import { leaseUntil, whileLeased } from './lease.ts'

/** How long the claim of a process that died stays; one that lives renews it well before. */
const claimSeconds = 30
export const renewalMs = 5000

/** A row for one upload URL, in a table with the columns id, team_id, claim, claimed_until and spent_at. */
interface Upload {
  table: Part
  id: string
  teamId: string
}

export interface Claim extends Upload {
  claim: string
}

/** Refuses what was used, is being used at this moment, or is unknown. */
export async function claimUpload(sql: Sql, upload: Upload): Promise<Claim> {
  const { table, id, teamId } = upload
  const claim = newId()
  const [claimed] = await sql`
    update ${table} set claim = ${claim}, claimed_until = ${leaseUntil(claimSeconds)}
    where id = ${id} and team_id = ${teamId} and spent_at is null and (claim is null or claimed_until < now())
    returning 1`
  if (claimed) return { ...upload, claim }
  const [row] = await sql<{ is_spent: boolean }>`
    select spent_at is not null as is_spent from ${table} where id = ${id} and team_id = ${teamId}`
  if (!row) throw new Fault('not_found', 'What this upload URL was for is gone. Ask for a new URL.')
  if (row.is_spent) throw new Fault('conflict', 'This upload URL was already used. Ask for a new one.')
  throw new Fault('conflict', 'A file is being sent to this upload URL right now. Wait for that, or ask for a new URL.')
}

/** Holds the claim while the work lasts; frees it if the work fails, so that the next try need not wait. */
export function whileClaimed<T>(
  { db, log }: Context,
  { table, id, teamId, claim }: Claim,
  work: () => Promise<T>,
): Promise<T> {
  const { sql } = db
  const lease = {
    name: `the claim of the upload ${id}`,
    log,
    everyMs: renewalMs,
    renew: () => sql`
      update ${table} set claimed_until = ${leaseUntil(claimSeconds)}
      where id = ${id} and team_id = ${teamId} and claim = ${claim}`,
    release: () => sql`
      update ${table} set claim = null, claimed_until = null
      where id = ${id} and team_id = ${teamId} and claim = ${claim} and spent_at is null`,
  }
  return whileLeased(lease, work)
}

/** In the transaction that names the file: the URL is used up exactly if the file exists. */
export async function spendUpload(sql: Sql, { table, id, teamId, claim }: Claim): Promise<void> {
  const [spent] = await sql`
    update ${table} set spent_at = now(), claimed_until = null
    where id = ${id} and team_id = ${teamId} and claim = ${claim} and spent_at is null returning 1`
  if (!spent) throw new Fault('conflict', 'Another upload took over this URL. Ask for a new one.')
}
