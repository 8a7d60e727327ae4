// A transaction on a connection of its own, which the test commits when it wants.
import { after } from 'node:test'
import { Client } from 'pg'
import { connectionSettings, sqlOn, type DatabaseAddress, type Sql } from '../../src/base/db.ts'

export async function begin(address: DatabaseAddress): Promise<{ its: Sql; commit: () => Promise<void> }> {
  const client = new Client(connectionSettings(address))
  await client.connect()
  let isOpen = true
  const end = async () => {
    isOpen = false
    await client.end()
  }
  // a test that fails in between leaves none open
  after(() => (isOpen ? end() : undefined))
  await client.query('begin')
  return {
    its: sqlOn(client),
    async commit() {
      await client.query('commit')
      await end()
    },
  }
}

/** Resolves when another connection waits for what this transaction holds, or when the request that was to wait is answered without. */
export async function untilBlocked(sql: Sql, inside: Sql, request: Promise<unknown>): Promise<void> {
  const answered = new AbortController()
  void request.finally(() => answered.abort())
  const [me] = await inside<{ pid: number }>`select pg_backend_pid() as pid`
  for (;;) {
    if (answered.signal.aborted) return
    const blocked = await sql`select from pg_stat_activity where ${me!.pid}::int = any(pg_blocking_pids(pid))`
    if (blocked.length > 0) return
    await sql`select pg_sleep(0.005)`
  }
}
