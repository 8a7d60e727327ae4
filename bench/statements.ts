// Counts the SQL statements that requests cost, by PostgreSQL's own pg_stat_statements.
import type { Service } from './service.ts'
import { asSuperuser, setFromNextStart } from './superuser.ts'

export interface Statement {
  text: string
  calls: number
  /** All calls together. */
  rows: number
  /** On the server, all calls together. */
  totalMs: number
}

/**
 * Takes effect when the server starts next. Kept out of the measured rounds: the library itself costs a few percent, and
 * figures with it would not be those of a plain installation.
 */
export async function countFromNextStart(service: Service): Promise<void> {
  await setFromNextStart(service, 'shared_preload_libraries', 'pg_stat_statements')
}

/** Everything that ran in the service's database while the work did, background queries of any process included. */
export async function countStatements(service: Service, work: () => Promise<unknown>): Promise<Statement[]> {
  return asSuperuser(service, async (client) => {
    await client.query('create extension if not exists pg_stat_statements')
    await client.query('select pg_stat_statements_reset()')
    await work()
    const { rows } = await client.query<Statement>(`
      select query as text, calls::int, rows::int, total_exec_time as "totalMs"
      from pg_stat_statements s join pg_database d on d.oid = s.dbid
      where d.datname = 'runyard' and toplevel order by calls desc`)
    return rows
  })
}

export const callsOf = (statements: Statement[]): number => statements.reduce((sum, { calls }) => sum + calls, 0)
