// Counts of cases: triggers append differences, a job folds them, and their sum is the exact number at any moment.
import { part, type Database, type Part, type Sql } from '../../base/db.ts'

interface Counts {
  table: Part
  /** Whose cases are counted. */
  owner: Part
  /** What tells its counts apart. */
  kind: Part
}

const allCounts: Counts[] = [
  { table: part`case_counts`, owner: part`queue_id`, kind: part`display_status, priority` },
  { table: part`label_counts`, owner: part`label_id`, kind: part`display_status, priority` },
  { table: part`case_hours`, owner: part`queue_id`, kind: part`hour` },
]

const ownersAtOnce = 500
const rowsAtOnce = 10_000

/** Until no count is left in pieces that nobody else is folding. */
export async function foldCounts(db: Database, signal?: AbortSignal): Promise<void> {
  for (const counts of allCounts) {
    const owners = await inPieces(db.sql, counts)
    for (let from = 0; from < owners.length; from += ownersAtOnce) {
      const some = owners.slice(from, from + ownersAtOnce)
      for (let folded = rowsAtOnce; folded === rowsAtOnce;) {
        signal?.throwIfAborted()
        folded = await foldSome(db.sql, counts, some)
      }
    }
  }
}

async function inPieces(sql: Sql, { table, owner, kind }: Counts): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    select distinct pieces.owner_id as id from (
      select ${owner} as owner_id from ${table} group by ${owner}, ${kind} having count(*) > 1) pieces`
  return rows.map(({ id }) => id)
}

/**
 * One statement, which is one transaction: a reader sees the pieces or their sum. Rows are only ever added and taken away, so several may
 * fold at once, each its own; what adds up to nothing leaves nothing, as all counts of an erased queue do.
 */
async function foldSome(sql: Sql, { table, owner, kind }: Counts, owners: string[]): Promise<number> {
  const [folded] = await sql<{ pieces: number }>`
    with taken as (
      delete from ${table} where ctid = any(array(
        select p.ctid from ${table} p
        where p.${owner} = any(${owners}::uuid[]) and (${owner}, ${kind}) in (
          select ${owner}, ${kind} from ${table} where ${owner} = any(${owners}::uuid[])
          group by ${owner}, ${kind} having count(*) > 1)
        limit ${rowsAtOnce} for update of p skip locked))
      returning *
    ),
    kept as (
      insert into ${table} (${owner}, ${kind}, cases)
      select ${owner}, ${kind}, sum(cases) from taken group by ${owner}, ${kind} having sum(cases) <> 0
    )
    select count(*) as pieces from taken`
  return folded!.pieces
}

/** More pieces than this are slow to add up: then they are folded now and not at the next minute. */
const piecesMax = 5000

export async function areInManyPieces(sql: Sql, queueIds: string[]): Promise<boolean> {
  const beyond = await sql`
    select 1 from case_counts where queue_id = any(${queueIds}::uuid[]) offset ${piecesMax + 18 * queueIds.length} limit 1`
  return beyond.length > 0
}
