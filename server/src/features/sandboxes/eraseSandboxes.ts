// Deletes sandboxes in two steps: at once nobody finds them any more, and then their rows go in pieces, for a workspace may have millions.
import { part, type Sql } from '../../base/db.ts'

const rowsAtOnce = 5000
/**
 * What ends a sandbox, in an update. The time is over for whoever asks: a transaction that began long ago still goes by the clock of its beginning.
 */
export const ended = part`expires_at = 'epoch', kept_bytes = 0, history_bytes = 0, entries = 0`

/**
 * From the commit on these sandboxes are over and no run has them: nobody reads or writes them, and the sweep erases them. What they kept counts no
 * more. Their earlier runs are forgotten too, so that a retry of one copies all of its files or none.
 */
export async function endSandboxes(sql: Sql, ids: string[]): Promise<void> {
  await forgetUses(sql, ids)
  await sql`
    update sandboxes set run_id = null, ${ended}
    where id = any(${ids}::uuid[])`
}

export async function forgetUses(sql: Sql, ids: string[]): Promise<void> {
  await sql`delete from sandbox_uses where sandbox_id = any(${ids}::uuid[])`
}

/** One round over sandboxes that nobody finds any more. True: they are gone; false: there may be more rows of theirs. */
export async function eraseSome(sql: Sql, ids: string[]): Promise<boolean> {
  const files = await sql`
    delete from workspace_files where ctid = any(array(
      select ctid from workspace_files where sandbox_id = any(${ids}::uuid[]) limit ${rowsAtOnce}))
    returning 1`
  const uploads = await sql`
    delete from file_uploads where ctid = any(array(
      select ctid from file_uploads where sandbox_id = any(${ids}::uuid[]) limit ${rowsAtOnce}))
    returning 1`
  const execs = await sql`
    delete from sandbox_execs where ctid = any(array(
      select ctid from sandbox_execs where sandbox_id = any(${ids}::uuid[]) limit ${rowsAtOnce}))
    returning 1`
  if ([files, uploads, execs].some(({ length }) => length === rowsAtOnce)) return false
  await sql`delete from sandboxes where id = any(${ids}::uuid[])`
  return true
}
