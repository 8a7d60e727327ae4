// Fires what is due, as part of every working process: each due time once, however many processes poll for it, and whichever of them dies.
import { isPassing, part, type Part, retryingDeadlocks, type Sql } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import type { Tick } from '../../kit/feature.ts'
import { lookFor } from '../../kit/sharedLook.ts'
import { startDue } from './startDue.ts'
import { activeList } from '../../engine/ledger/lifecycle.ts'

/** How many schedules share a commit. A process that dies leaves as many to the others. */
const atOnce = 100

/** A due time that was tried counts as missed only a minute after its retry, so it fires with catch_up `none` too. */
const retryAfter = '30 seconds'

/** A look that took longer is followed by another one at once. Well under the minute after which a due time counts as missed. */
const longMs = 10_000

/** Schedules to fire, and since when: the oldest of each team, then the next of each, so that no team waits for all of another's. */
interface Which {
  where: Part
  since: Part
}

/** Its due time has come; one that could not be fired is due again at its retry. */
export const dueSchedules: Which = {
  where: part`next_run_at is not null and greatest(next_run_at, retry_at) <= now()`,
  since: part`greatest(next_run_at, retry_at)`,
}
/** A due time was held back because of a run that has ended by now, or is gone. */
const freed: Which = {
  where: part`held_since is not null and (retry_at is null or retry_at <= now()) and not exists (
    select from runs r where r.id = schedules.last_run_id and r.team_id = schedules.team_id and r.status in ${activeList})`,
  since: part`held_since`,
}

const asked = {
  isDue: part`exists (select from schedules where ${dueSchedules.where})`,
  isHeld: part`exists (select from schedules where held_since is not null)`,
}

export const fireSchedules: Tick = async ({ context, signal }) => {
  const { isDue, isHeld } = await lookFor(context, asked)
  let wanted = [...(isDue ? [dueSchedules] : []), ...(isHeld ? [freed] : [])]
  const busySince = performance.now()
  for (let isLong = true; isLong;) {
    const begunAt = performance.now()
    for (const which of wanted) {
      // fewer than asked for: the rest is done, or in the hands of others
      while (!signal.aborted && (await fireSome(context, which, busySince)) === atOnce) continue
    }
    // what came due since then waited for it, and must not count as missed: it is a part of the same tick
    isLong = !signal.aborted && performance.now() - begunAt > longMs
    wanted = [dueSchedules, freed]
  }
}

/** Runs one transaction; answers how many schedules it had. `busySince`: since when this process fires what is due (performance.now()). */
export async function fireSome(
  context: Context,
  { where, since }: Which,
  busySince = performance.now(),
): Promise<number> {
  let ids: string[] = []
  try {
    await inTransaction(context, busySince, async (sql) => {
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
    for (const id of ids) await fireAlone(context, id, busySince)
  }
  return ids.length
}

/** A schedule that cannot be fired must not delay the others: it is put off and tried again. Its due times stay as they are, so none is lost. */
async function fireAlone(context: Context, id: string, busySince: number): Promise<void> {
  try {
    await inTransaction(context, busySince, async (sql) => {
      const claimed = await sql<{ id: string }>`select id from schedules where id = ${id} for update skip locked`
      return claimed.map((row) => row.id)
    })
  } catch (error) {
    if (isPassing(error)) throw error
    context.log.error({ err: error, schedule_id: id }, 'could not fire a schedule; will retry')
    await context.db.sql`update schedules set retry_at = now() + ${retryAfter}::interval where id = ${id}`
  }
}

/** What is claimed is locked, fired and moved on in one transaction: all of it happens, or nothing. */
const inTransaction = (context: Context, busySince: number, claim: (sql: Sql) => Promise<string[]>): Promise<void> =>
  retryingDeadlocks(() => {
    const busyMs = performance.now() - busySince
    return context.db.transaction(async (sql) => {
      const ids = await claim(sql)
      if (ids.length > 0) await startDue(context, sql, ids, busyMs)
    })
  })
