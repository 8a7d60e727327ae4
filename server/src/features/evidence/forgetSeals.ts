// Erases the seals of runs that are erased. Their heads stay among those that were signed, which say nothing of the runs.
import type { Hooks } from '../../kit/feature.ts'

export const forgetSeals: NonNullable<Hooks['runsDeleted']> = async ({ sql, runIds }) => {
  await sql`delete from run_seals where run_id = any(${runIds}::uuid[])`
}
