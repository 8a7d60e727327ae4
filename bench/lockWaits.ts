// Which sessions wait for a lock of PostgreSQL, and for how long: it has no counter for that, so a session of its own looks again and again.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { processorMs } from './processorTime.ts'
import type { Service } from './service.ts'

export interface LockWaits {
  /** Waits that were seen: shorter ones than the time between two looks are missed in part. */
  waits: number
  /** All together: each session that is seen has waited for as long as since the look before. */
  waitedMs: number
  /** What the looks took of PostgreSQL: it is not the service's. */
  lookedMs: number
  /** The beginning of the statement that waited longest in all, with its ms: where a hot row would be. */
  most: [string, number] | undefined
}

const lookEveryMs = 10

interface LockWatch extends AsyncDisposable {
  end(): Promise<LockWaits>
}

/** Through a connection to another database, so that it is in no count of statements. */
export async function watchLocks({ superuserUrl }: Pick<Service, 'superuserUrl'>): Promise<LockWatch> {
  const client = new Client({ connectionString: superuserUrl })
  await client.connect()
  const [{ pid }] = (await client.query('select pg_backend_pid() as pid')).rows as [{ pid: number }]
  const before = processorMs(pid) ?? 0
  const seen = new Set<string>()
  const byStatement = new Map<string, number>()
  const leaving = new AbortController()
  let waitedMs = 0
  async function look(): Promise<void> {
    let lookedAt = performance.now()
    for (; !leaving.signal.aborted; await sleep(lookEveryMs)) {
      const { rows } = await client.query<{ wait: string; query: string }>({
        name: 'waiting',
        text: `select concat_ws(' ', a.pid, l.locktype, l.transactionid, l.relation, l.page, l.tuple, l.waitstart) as wait,
            left(trim(regexp_replace(a.query, '\\s+', ' ', 'g')), 200) as query
          from pg_stat_activity a join pg_locks l on l.pid = a.pid and not l.granted where a.wait_event_type = 'Lock'`,
      })
      const [since, now] = [lookedAt, performance.now()]
      waitedMs += rows.length * (now - since)
      lookedAt = now
      for (const { wait, query } of rows) {
        seen.add(wait)
        byStatement.set(query, (byStatement.get(query) ?? 0) + now - since)
      }
    }
  }
  const looking = look()
  // whoever ends the watch learns of it
  looking.catch(() => undefined)
  let ended: Promise<void> | undefined
  const leave = async () => {
    leaving.abort()
    await looking
    await client.end()
  }
  return {
    async end() {
      const lookedMs = (processorMs(pid) ?? 0) - before
      await (ended ??= leave())
      const [most] = [...byStatement].toSorted(([, a], [, b]) => b - a)
      return { waits: seen.size, waitedMs, lookedMs, most }
    },
    async [Symbol.asyncDispose]() {
      await (ended ??= leave())
    },
  }
}
