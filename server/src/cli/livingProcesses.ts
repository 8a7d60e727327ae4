// The Runyard processes that live on a database, seen by the locks they hold, without touching any.
import { one, type Sql } from '../base/db.ts'
import type { LivingCode } from '../base/olderCode.ts'
import { holdsItsLock } from '../kit/presence.ts'

export interface LivingProcess extends LivingCode {
  id: string
  /** Null: it has none, or is of a version that does not say it. */
  zone: string | null
}

/** None when the database has no such table yet. */
export async function readLivingProcesses(sql: Sql): Promise<LivingProcess[]> {
  const table = await one(sql<{ present: boolean }>`select to_regclass('processes') is not null as present`)
  if (!table.present) return []
  return sql<LivingProcess>`
    select p.id, p.role, p.host, p.pid, r.report ->> 'version' as version, (r.report ->> 'migrations')::int as migrations,
      r.report ->> 'zone' as zone, extract(epoch from clock_timestamp() - p.started_at)::float8 as seconds
    -- through JSON: older databases have no such column
    from processes p cross join lateral (select to_jsonb(p) -> 'report' as report) r
    where ${holdsItsLock}
    order by p.started_at`
}
