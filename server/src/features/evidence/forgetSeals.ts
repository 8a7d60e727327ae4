// Erases the seals of runs that are erased. Their heads stay among those that were signed, which say nothing of the runs.
import type { Hooks } from '../../kit/feature.ts'

export const forgetSeals: NonNullable<Hooks['runsDeleted']> = async ({ sql, runIds }) => {
  // whoever seals holds this row until its commit, and may be sealing one of these: its seals are seen only after that
  await sql`select xid from evidence_cursor for key share`
  await sql`delete from run_seals where run_id = any(${runIds}::uuid[])`
}
