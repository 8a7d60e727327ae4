// Erases the seals of runs that were deleted while somebody sealed. The trigger that erases all others asks for it (migration 0126). Their heads stay
// among those that were signed, which say nothing of the runs.
import { sealLock } from '../../base/locks.ts'
import { job } from '../../kit/job.ts'
import { Id, Type } from '../../kit/schema.ts'

export const eraseSeals = job({
  name: 'eraseSeals',
  input: Type.Object({ run_ids: Type.Array(Id) }),
  safeToRepeat: 'what is erased is not found a second time',
  async handler({ input, sql }) {
    // waits for whoever seals, or fails and is tried again; whoever seals after that does not see the runs
    await sql`select pg_advisory_xact_lock_shared(${sealLock})`
    // the release before has this row instead of the lock
    await sql`select from evidence_cursor for key share`
    await sql`delete from run_seals where run_id = any(${input.run_ids}::uuid[])`
  },
})
