// A change that needs a table for itself, and gives up soon where others are busy with it.
import { lockNotAvailable, sqlState, type Database, type Sql } from './db.ts'

/** Whoever comes meanwhile waits behind the one who waits for the lock: at most for as long as this. */
const lockWaitMs = 200

/** Does the work in a transaction. False: a lock was not to be had soon, and nothing was done. */
export async function withShortLock(db: Database, work: (sql: Sql) => Promise<void>): Promise<boolean> {
  try {
    await db.transaction(async (sql) => {
      await sql`select set_config('lock_timeout', ${String(lockWaitMs)}, true)`
      await work(sql)
    })
    return true
  } catch (error) {
    if (sqlState(error) !== lockNotAvailable) throw error
    return false
  }
}
