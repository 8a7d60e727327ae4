// Forgets targets that no delivery names any more: URLs of callbacks, which would pile up if each run has its own, and deleted webhooks.
import { one, part, type Database, type Part, type Sql } from '../../base/db.ts'
import { withShortLock } from '../../base/shortLock.ts'
import { job } from '../../kit/job.ts'

const targetsAtOnce = 50_000
const rowsAtOnce = 10_000
const forgottenAtOnce = 1000

export const forgetTargets = job({
  name: 'forgetTargets',
  safeToRepeat: 'what is gone is not found a second time',
  // No index leads from a target to all of its deliveries, since every delivery would pay for it. So those of the team are read, once for all
  // of its targets, and not every hour.
  cron: '43 3 * * *',
  async handler({ context: { db }, sql, signal }) {
    const place = await settledPlace(db)
    if (place === undefined) return
    for (const { id: teamId } of await sql<{ id: string }>`select id from teams order by id`) {
      for (let after: string | undefined = ''; after !== undefined;) {
        signal.throwIfAborted()
        const urls: { id: string; url_hash: string }[] = await sql`
          select t.id, md5(t.url) as url_hash from delivery_targets t
          where t.team_id = ${teamId} and ${isOldCallback} and md5(t.url) > ${after} order by md5(t.url) limit ${targetsAtOnce}`
        await forgetUnnamed(db, { teamId, ids: urls.map(({ id }) => id), place }, signal)
        after = urls.length < targetsAtOnce ? undefined : urls.at(-1)!.url_hash
      }
      const deleted = await sql<{
        id: string
      }>`select t.id from delivery_targets t where t.team_id = ${teamId} and ${wasDeleted}`
      await forgetUnnamed(db, { teamId, ids: deleted.map(({ id }) => id), place }, signal)
    }
  },
})

const isOldCallback = part`
  t.kind = 'callback' and t.created_at < now() - interval '1 day' and not exists (select from processes p where p.id = t.worker)`
const wasDeleted = part`t.deleted_at is not null and t.deleted_at < now() - interval '1 day'`

interface Candidates {
  teamId: string
  ids: string[]
  /** All deliveries before this place in their order could be seen when the search began. */
  place: number
}

async function forgetUnnamed(db: Database, { teamId, ids, place }: Candidates, signal: AbortSignal): Promise<void> {
  const unnamed = await withoutDeliveries(db.sql, teamId, ids, 0, signal)
  if (unnamed.length === 0) return
  // what was written during the search, so that next to nothing is left to be searched under the lock
  const later = await settledPlace(db)
  if (later === undefined) return
  const left = await withoutDeliveries(db.sql, teamId, unnamed, place, signal)
  for (let from = 0; from < left.length; from += forgottenAtOnce) {
    signal.throwIfAborted()
    if (!(await forget(db, teamId, left.slice(from, from + forgottenAtOnce), later))) return
  }
}

/**
 * The place in the order of all deliveries before which every delivery to a callback can be seen: whoever writes one has offered its target a
 * row before, and the lock of the table waits for them. Undefined: others were busy for too long, and the next time it is tried again.
 */
async function settledPlace(db: Database): Promise<number | undefined> {
  let place: number | undefined
  await withShortLock(db, async (sql) => {
    await lockTargets(sql)
    place = (await one(sql<{ n: number }>`select last_value - (not is_called)::int as n from deliveries_n_seq`)).n
  })
  return place
}

const lockTargets = (sql: Sql) => sql`lock table delivery_targets in share row exclusive mode`

/**
 * Answers with those of these targets to which no delivery behind `place` goes. Batches are read first: one of which something is set apart meanwhile stays
 * there, so it was seen.
 */
async function withoutDeliveries(
  sql: Sql,
  teamId: string,
  ids: string[],
  place: number,
  signal: AbortSignal,
): Promise<string[]> {
  const left = new Set(ids)
  for (const table of [part`delivery_batches`, part`deliveries`]) {
    for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined && left.size > 0;) {
      signal.throwIfAborted()
      const page: Page = await one(namedIn(sql, table, { teamId, place, before }))
      for (const id of page.ids) left.delete(id)
      before = page.count === rowsAtOnce ? page.first : undefined
    }
  }
  return [...left]
}

interface Page {
  ids: string[]
  first: number
  count: number
}

/** The newest first: a URL that is in use is soon seen. */
const namedIn = (
  sql: Sql,
  table: Part,
  { teamId, place, before }: { teamId: string; place: number; before: number },
) => sql<Page>`
  select coalesce(array_agg(distinct target_id), '{}') as ids, coalesce(min(n), 0) as first, count(*) as count
  from (
    select target_id, n from ${table} where team_id = ${teamId} and n > ${place} and n < ${before} order by n desc limit ${rowsAtOnce}) d`

/** An event may have been written to one of them in the last moment. False: others were busy for too long. */
const forget = (db: Database, teamId: string, ids: string[], place: number): Promise<boolean> =>
  withShortLock(db, async (sql) => {
    await lockTargets(sql)
    await sql`
      delete from delivery_targets t
      where t.id = any(${ids}::uuid[]) and t.team_id = ${teamId} and (${isOldCallback} or ${wasDeleted}) and t.id not in (
        select target_id from delivery_batches where team_id = ${teamId} and n > ${place}
        union all
        select target_id from deliveries where team_id = ${teamId} and n > ${place})`
  })
