// The row of a team's own limit, locked by somebody else for as long as a test wants.
import type { Database } from '../../src/base/db.ts'
import { lockLimit } from '../../src/engine/counting/entitlements.ts'

/** Locks the row of the team's limit of storage until `free` is called. */
export async function lockedLimit(db: Database, teamId: string): Promise<{ free: () => Promise<void> }> {
  const { promise: isFree, resolve } = Promise.withResolvers<void>()
  const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>()
  const holder = db.transaction(async (sql) => {
    await lockLimit(sql, teamId, 'storage_bytes')
    locked()
    await isFree
  })
  await Promise.race([isLocked, holder])
  return { free: () => (resolve(), holder) }
}
