// What work costs the machine: processor time of PostgreSQL and of Node, write-ahead log, and disk.
import { processorMs, familyProcessorMs } from './processorTime.ts'
import type { Service } from './service.ts'
import { asSuperuser } from './superuser.ts'

export interface Costs {
  /** NaN where there is no /proc. */
  postgresMs: number
  nodeMs: number
  walBytes: number
  /** Of all tables and indexes of the service; it shrinks when PostgreSQL tidies up. */
  diskBytes: number
}

/** `pid` is the Node process that counts, and so are the others. */
type Measured = Pick<Service, 'pid' | 'postgresPid' | 'superuserUrl'> & { otherPids?: number[] }

/** Between the beginning of the work and its end. */
export async function costsOf<T>(service: Measured, work: () => Promise<T>): Promise<{ result: T; costs: Costs }> {
  const before = await costsSoFar(service)
  const result = await work()
  const after = await costsSoFar(service)
  const difference = (name: keyof Costs) => after[name] - before[name]
  const costs = {
    postgresMs: difference('postgresMs'),
    nodeMs: difference('nodeMs'),
    walBytes: difference('walBytes'),
    diskBytes: difference('diskBytes'),
  }
  return { result, costs }
}

async function costsSoFar({ pid, otherPids = [], postgresPid, ...service }: Measured): Promise<Costs> {
  const [bytes] = await asSuperuser(
    service,
    async (client) =>
      (
        await client.query<{ wal: string; disk: string }>(
          `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as wal, pg_database_size('runyard') as disk`,
        )
      ).rows,
  )
  return {
    postgresMs: familyProcessorMs(postgresPid) ?? NaN,
    nodeMs: [pid, ...otherPids].reduce((sum, one) => sum + (processorMs(one) ?? NaN), 0),
    walBytes: Number(bytes!.wal),
    diskBytes: Number(bytes!.disk),
  }
}
