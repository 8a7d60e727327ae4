// Erases the seals of runs that are erased. Their heads stay among those that were signed, which say nothing of the runs.
import type { Sql } from '../../base/db.ts'
import type { Hooks } from '../../kit/feature.ts'
import { enqueueOn, job } from '../../kit/job.ts'
import { Id, Type } from '../../kit/schema.ts'

/**
 * Whoever seals holds the row of the cursor until its commit, and may be sealing one of these: its seals are seen only after that. A deletion does
 * not wait for it, since sealing a long run takes seconds.
 */
export const forgetSeals: NonNullable<Hooks['runsDeleted']> = async ({ sql, runIds }) => {
  const cursor = await sql`select xid from evidence_cursor for key share skip locked`
  if (cursor.length === 0) await enqueueOn(sql)(eraseSeals, { run_ids: runIds })
  await eraseSealsOf(sql, runIds)
}

const eraseSealsOf = (sql: Sql, runIds: string[]) => sql`delete from run_seals where run_id = any(${runIds}::uuid[])`

export const eraseSeals = job({
  name: 'eraseSeals',
  input: Type.Object({ run_ids: Type.Array(Id) }),
  safeToRepeat: 'what is erased is not found a second time',
  async handler({ input, sql }) {
    // waits for whoever seals, or fails and is tried again; whoever seals after that does not see the runs
    await sql`select xid from evidence_cursor for key share`
    await eraseSealsOf(sql, input.run_ids)
  },
})
