// Erases the logs of runs, a few thousand rows at a time, so that the longest one locks nothing for long.
import type { Sql } from '../../base/db.ts'
import { eraseEventsOf } from '../../kit/event.ts'
import { job } from '../../kit/job.ts'
import { Id, Type } from '../../kit/schema.ts'

const rowsAtOnce = 5000

/** One round over messages, steps and events of runs that are deleted; true: there may be more. */
export async function eraseSomeOf(sql: Sql, runIds: string[]): Promise<boolean> {
  await sql`delete from run_cuts where run_id = any(${runIds}::uuid[])`
  const messages = await eraseMessages(sql, runIds)
  const steps = await sql`
    delete from run_steps where ctid = any(array(
      select ctid from run_steps where run_id = any(${runIds}::uuid[]) limit ${rowsAtOnce}))
    returning 1`
  const events = await eraseEventsOf(sql, runIds, rowsAtOnce)
  return messages === rowsAtOnce || steps.length === rowsAtOnce || events === rowsAtOnce
}

/** One round over runs that stay: their messages go, and of each step stays only what it was, when, and what it used. */
async function emptySomeOf(sql: Sql, runIds: string[]): Promise<boolean> {
  await sql`delete from guardrail_stops where run_id = any(${runIds}::uuid[])`
  const messages = await eraseMessages(sql, runIds)
  const steps = await sql`
    update run_steps set arguments = null, result = null, error = null, said = null, moments = null, arrived = null where ctid = any(array(
      select ctid from run_steps
      where run_id = any(${runIds}::uuid[]) and num_nonnulls(arguments, result, error, said, moments, arrived) > 0
      limit ${rowsAtOnce}))
    returning 1`
  return messages === rowsAtOnce || steps.length === rowsAtOnce
}

async function eraseMessages(sql: Sql, runIds: string[]): Promise<number> {
  const messages = await sql`
    delete from run_messages where ctid = any(array(
      select ctid from run_messages where run_id = any(${runIds}::uuid[]) limit ${rowsAtOnce}))
    returning 1`
  return messages.length
}

export const eraseRunLogs = job({
  name: 'eraseRunLogs',
  input: Type.Object({
    run_ids: Type.Array(Id),
    is_deleted: Type.Boolean({ description: 'The runs themselves are gone, so nothing of them stays.' }),
  }),
  safeToRepeat: 'what is erased is not found a second time',
  async handler({ input, sql, signal }) {
    const round = input.is_deleted ? eraseSomeOf : emptySomeOf
    // each statement is a transaction of its own
    while (await round(sql, input.run_ids)) signal.throwIfAborted()
  },
})
