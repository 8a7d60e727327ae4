// Totals of searches that many runs fit: counted once, then only what was written since. Exact, whoever writes or deletes meanwhile.
import { part, type Sql } from '../base/db.ts'

interface KnownTotal {
  total: number
  /** How many rows were written since it was counted. */
  unseen: number
}

/** From here on counting what is new costs more than writing it down. */
const unseenMax = 1000

/** The deletions of a team so far: a total that was counted before the last one is worth nothing. */
const deletionsOf = (teamId: string) => part`coalesce((
  select deletions from run_search_deletions where team_id = ${teamId}), 0)`

/** `search`: a tsquery as text. Undefined: not counted yet, or no longer true. */
export async function knownTotal(sql: Sql, teamId: string, search: string): Promise<number | undefined> {
  const [known] = await sql<KnownTotal>`
    select k.total + n.fitting as total, n.unseen from run_search_totals k, lateral (
      select count(*) as unseen, count(*) filter (where (l.words @@ ${search}::tsquery)) as fitting
      from run_search l where l.team_id = k.team_id and l.written_by >= k.written_before
    ) n
    where k.team_id = ${teamId} and k.search = ${search} and k.deletions = ${deletionsOf(teamId)}`
  if (known && known.unseen > unseenMax) await countOn(sql, teamId, search)
  return known?.total
}

/**
 * Rows of transactions that may still be under way are left out of what is remembered: those before the snapshot's xmin have all
 * ended, so nothing can be added to them. Snapshot, rows and deletions are those of one statement.
 */
const snapshotXmin = part`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`

/** Counts all that fit and remembers it. */
export async function countAndRemember(sql: Sql, teamId: string, search: string): Promise<number> {
  const [counted] = await sql<{ total: number }>`
    with now as materialized (select ${snapshotXmin} as xmin),
    counted as materialized (
      select count(*) as total, count(*) filter (where written_by < (select xmin from now)) as settled
      from run_search where team_id = ${teamId} and words @@ ${search}::tsquery
    ),
    remembered as (
      insert into run_search_totals as k (team_id, search, total, written_before, deletions)
      select ${teamId}, ${search}, settled, now.xmin, ${deletionsOf(teamId)} from counted, now
      on conflict (team_id, search) do update set total = excluded.total, written_before = excluded.written_before,
        deletions = excluded.deletions, counted_at = now()
      where (k.deletions, k.written_before) <= (excluded.deletions, excluded.written_before)
    )
    select total from counted`
  return counted!.total
}

/** Takes what is settled by now into a total that is known; guarded, so that two who do it count it once. */
async function countOn(sql: Sql, teamId: string, search: string): Promise<void> {
  await sql`
    update run_search_totals k set total = k.total + n.fitting, written_before = n.xmin, counted_at = now()
    from (
      select known.written_before, known.deletions, x.xmin, (
        select count(*) from run_search l where l.team_id = known.team_id and l.written_by >= known.written_before
          and l.written_by < x.xmin and (l.words @@ ${search}::tsquery) is true) as fitting
      from run_search_totals known, (select ${snapshotXmin} as xmin) x
      where known.team_id = ${teamId} and known.search = ${search} and known.deletions = ${deletionsOf(teamId)}
    ) n
    where k.team_id = ${teamId} and k.search = ${search} and (k.written_before, k.deletions) = (n.written_before, n.deletions)`
}

export async function forgetOldTotals(sql: Sql): Promise<void> {
  await sql`delete from run_search_totals where counted_at < now() - interval '1 day'`
}
