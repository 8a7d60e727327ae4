// Totals of searches that many runs fit: counted once, then only what was written since. The total is exact, whoever writes or deletes at the same time.
import { one, part, type Part, type Sql } from '../../base/db.ts'

export interface Search {
  teamId: string
  /** Its name among the searches of the team. */
  name: string
  /** A condition on a row of `run_search l`. It may use only columns that never change, and not its time. */
  fits: Part
}

interface Known {
  total: number
  /** How many rows were written since it was counted. */
  unseen: number
}

/** How many new rows are counted at each search before the total is written again. */
const unseenMax = 1000

/** The deletions of a team so far: a total that was counted before the last deletion is not valid. */
const deletionsOf = (teamId: string) => part`coalesce((
  select deletions from run_search_deletions where team_id = ${teamId}), 0)`

/** Undefined: not counted yet, or no longer valid. */
export async function knownTotal(sql: Sql, search: Search): Promise<number | undefined> {
  const { teamId, name, fits } = search
  const [known] = await sql<Known>`
    select k.total + n.fitting as total, n.unseen from run_search_totals k, lateral (
      select count(*) as unseen, count(*) filter (where ${fits}) as fitting
      from run_search l where l.team_id = k.team_id and l.written_by >= k.written_before
    ) n
    where k.team_id = ${teamId} and k.search = ${name} and k.deletions = ${deletionsOf(teamId)}`
  if (known && known.unseen > unseenMax) await countOn(sql, search)
  return known?.total
}

/**
 * Rows of transactions that may still be under way are left out of what is remembered: those before the snapshot's xmin have all
 * ended, so nothing can be added to them. Snapshot, rows and deletions are those of one statement.
 */
const snapshotXmin = part`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`

/** Counts all that fit and remembers it. */
export async function countAndRemember(sql: Sql, { teamId, name, fits }: Search): Promise<number> {
  const counted = await one(sql<{ total: number }>`
    with now as materialized (select ${snapshotXmin} as xmin),
    counted as materialized (
      select count(*) as total, count(*) filter (where l.written_by < (select xmin from now)) as settled
      from run_search l where l.team_id = ${teamId} and ${fits}
    ),
    remembered as (
      insert into run_search_totals as k (team_id, search, total, written_before, deletions)
      select ${teamId}, ${name}, settled, now.xmin, ${deletionsOf(teamId)} from counted, now
      on conflict (team_id, search) do update set total = excluded.total, written_before = excluded.written_before,
        deletions = excluded.deletions, counted_at = now()
      where (k.deletions, k.written_before) <= (excluded.deletions, excluded.written_before)
    )
    select total from counted`)
  return counted.total
}

/** Adds what is committed by now to a known total; guarded, so that two who do it at once count it once. */
async function countOn(sql: Sql, { teamId, name, fits }: Search): Promise<void> {
  await sql`
    update run_search_totals k set total = k.total + n.fitting, written_before = n.xmin, counted_at = now()
    from (
      select known.written_before, known.deletions, x.xmin, (
        select count(*) filter (where ${fits}) from run_search l
        where l.team_id = known.team_id and l.written_by >= known.written_before and l.written_by < x.xmin) as fitting
      from run_search_totals known, (select ${snapshotXmin} as xmin) x
      where known.team_id = ${teamId} and known.search = ${name} and known.deletions = ${deletionsOf(teamId)}
    ) n
    where k.team_id = ${teamId} and k.search = ${name} and (k.written_before, k.deletions) = (n.written_before, n.deletions)`
}

export async function forgetOldTotals(sql: Sql): Promise<void> {
  await sql`delete from run_search_totals where counted_at < now() - interval '1 day'`
}
