// What becomes of a run's mark that its receiver is gone when the run is erased: it goes too.
import type { Hooks } from '../../kit/feature.ts'

export const forgetEndedCallbacks: NonNullable<Hooks['runsDeleted']> = async ({ sql, runIds }) => {
  await sql`delete from ended_callbacks where run_id = any(${runIds}::uuid[])`
}
