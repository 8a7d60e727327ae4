// Erases the logs of runs, a few thousand rows at a time, so that the longest one locks nothing for long.
import type { Sql } from '../../base/db.ts'
import { eraseEventsOf } from '../../kit/event.ts'
import { job } from '../../kit/job.ts'
import { runHooks } from '../../kit/registry.ts'
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

/**
 * One round over runs that stay: their messages go, and of each step stays only what it was, when, and what it used. Of what it asked people stays
 * what their lists show, and who decided what.
 */
async function emptySomeOf(sql: Sql, runIds: string[]): Promise<boolean> {
  await sql`delete from guardrail_stops where run_id = any(${runIds}::uuid[])`
  const messages = await eraseMessages(sql, runIds)
  const steps = await sql`
    update run_steps set arguments = null, result = null, error = null, said = null, moments = null, arrived = null where ctid = any(array(
      select ctid from run_steps
      where run_id = any(${runIds}::uuid[]) and num_nonnulls(arguments, result, error, said, moments, arrived) > 0
      limit ${rowsAtOnce}))
    returning 1`
  const requests = await sql`
    update human_requests set description = null, questions = null, form_schema = null, bound = null,
      action = action || '{"arguments": null}',
      response = case when response ? 'approved' then jsonb_build_object('approved', response -> 'approved') end
    where ctid = any(array(
      select ctid from human_requests
      where run_id = any(${runIds}::uuid[]) and (num_nonnulls(description, questions, form_schema, bound) > 0
        or action ->> 'arguments' is not null or response - 'approved' <> '{}')
      limit ${rowsAtOnce}))
    returning 1`
  return [messages, steps.length, requests.length].includes(rowsAtOnce)
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
  async handler({ input, context, sql, signal }) {
    const round = input.is_deleted ? eraseSomeOf : emptySomeOf
    // each statement is a transaction of its own
    while (await round(sql, input.run_ids)) signal.throwIfAborted()
    // afterwards there is nothing left to copy
    if (!input.is_deleted) await runHooks('runLogsErased', { sql, context, runIds: input.run_ids })
  },
})
