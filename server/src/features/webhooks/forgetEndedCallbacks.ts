// Deletes, with an erased run, its mark that the receiver of its callbacks is gone.
import type { Hooks } from '../../kit/feature.ts'

export const forgetEndedCallbacks: NonNullable<Hooks['runsDeleted']> = async ({ sql, runIds }) => {
  await sql`delete from ended_callbacks where run_id = any(${runIds}::uuid[])`
}
