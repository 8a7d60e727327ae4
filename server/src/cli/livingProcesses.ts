// The Runyard processes that live on a database, seen by the locks they hold, without touching any.
import { one, type Sql } from '../base/db.ts'
import { holdsItsLock } from '../kit/presence.ts'

interface LivingProcess {
  id: string
  role: string
  host: string
  pid: number
}

/** None when the database has no such table yet. */
export async function readLivingProcesses(sql: Sql): Promise<LivingProcess[]> {
  const table = await one(sql<{ present: boolean }>`select to_regclass('processes') is not null as present`)
  if (!table.present) return []
  return sql<LivingProcess>`
    select p.id, p.role, p.host, p.pid from processes p
    where ${holdsItsLock}
    order by p.started_at`
}

/** The processes as an operator finds them. */
export const namesOf = (living: LivingProcess[]): string =>
  living.map(({ role, host, pid }) => `${role}, process ${pid} on ${host}`).join('; ')
