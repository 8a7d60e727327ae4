// Keeps numbers of transactions rising over the life of a database, which may be moved to another cluster.
import type { Sql } from '../base/db.ts'

/**
 * A cluster that a backup was restored into may count its transactions from a lower number than the one where its events were written, and
 * what is written now would stand before them. Whoever finds the database in another cluster than before raises the base. The tables are
 * read for that once in a move.
 */
export async function alignEventClock(sql: Sql): Promise<void> {
  await sql`
    with here as materialized (
      select (select system_identifier::text from pg_control_system()) as cluster
    ),
    clock as materialized (
      select c.base from event_clock c, here where c.cluster is distinct from here.cluster for update of c
    ),
    newest as materialized (
      select greatest((select max(xid) from event_batches), (select max(event_xid) from runs)) as xid from clock
    )
    update event_clock set cluster = here.cluster,
      base = greatest(event_clock.base, newest.xid + 1 - pg_current_xact_id()::text::bigint)
    from here, newest`
}
