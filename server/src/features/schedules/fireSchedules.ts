// Fires what is due, as part of every working process: each due time once, however many processes poll for it, and whichever of them dies.
import { isPassing, one, part, type Part, retryingDeadlocks, type Sql } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import type { Tick } from '../../kit/feature.ts'
import { startDue } from './startDue.ts'
import { activeList } from '../../engine/ledger/lifecycle.ts'

/** How many schedules share a commit. A process that dies leaves as many to the others. */
const atOnce = 100

/** Schedules to fire, and since when: the oldest of each team, then the next of each, so that no team waits for all of another's. */
interface Which {
  where: Part
  since: Part
}

export const dueSchedules: Which = { where: part`next_run_at <= now()`, since: part`next_run_at` }
/** A due time was held back because of a run that has ended by now, or is gone. */
const freed: Which = {
  where: part`held_since is not null and not exists (
    select from runs r where r.id = schedules.last_run_id and r.team_id = schedules.team_id and r.status in ${activeList})`,
  since: part`held_since`,
}

/** Called twice a second. While nothing is due it is this one statement, and its two answers are the first entries of two indexes. */
export const fireSchedules: Tick = async ({ context, signal }) => {
  const found = await one(context.db.sql<{ is_due: boolean; is_held: boolean }>`
    select coalesce((select min(next_run_at) from schedules) <= now(), false) as is_due,
      (select min(held_since) from schedules) is not null as is_held`)
  const wanted = [...(found.is_due ? [dueSchedules] : []), ...(found.is_held ? [freed] : [])]
  for (const which of wanted) {
    // fewer than asked for: the rest is done, or in the hands of others
    while (!signal.aborted && (await fireSome(context, which)) === atOnce) continue
  }
}

/** Runs one transaction; answers how many schedules it had. */
export async function fireSome(context: Context, { where, since }: Which): Promise<number> {
  let ids: string[] = []
  try {
    await inTransaction(context, async (sql) => {
      const claimed = await sql<{ id: string }>`
        select id from schedules where ${where} and id in (
          select id from (
            select id, ${since} as since, row_number() over (partition by team_id order by ${since}) as turn from schedules where ${where}
          ) s order by turn, since limit ${atOnce})
        for update skip locked`
      return (ids = claimed.map(({ id }) => id))
    })
  } catch (error) {
    if (isPassing(error)) throw error
    context.log.error({ err: error }, 'could not fire one of the due schedules; trying each on its own')
    for (const id of ids) await fireAlone(context, id)
  }
  return ids.length
}

/** A schedule that cannot be fired must not delay the others: it is postponed and tried again. */
async function fireAlone(context: Context, id: string): Promise<void> {
  try {
    await inTransaction(context, async (sql) => {
      const claimed = await sql<{ id: string }>`select id from schedules where id = ${id} for update skip locked`
      return claimed.map((row) => row.id)
    })
  } catch (error) {
    if (isPassing(error)) throw error
    context.log.error({ err: error, schedule_id: id }, 'could not fire a schedule; will retry in a minute')
    await context.db.sql`
      update schedules set held = '{}',
        next_run_at = case when next_run_at <= now() then now() + interval '1 minute' else next_run_at end
      where id = ${id}`
  }
}

/** What is claimed is locked, fired and moved on in one transaction: all of it happens, or nothing. */
const inTransaction = (context: Context, claim: (sql: Sql) => Promise<string[]>): Promise<void> =>
  retryingDeadlocks(() =>
    context.db.transaction(async (sql) => {
      const ids = await claim(sql)
      if (ids.length > 0) await startDue(context, sql, ids)
    }),
  )
