// Runs a command that seals values: alone with the key and the schema, which nobody can change before it has committed.
import { one } from '../base/db.ts'
import { migrationLock } from '../base/locks.ts'
import { CommandFailed } from './command.ts'
import type { Joined } from './joinDatabase.ts'
import { requireCurrentSchema } from './requireCurrentSchema.ts'

/** A process that starts at the same time waits for the lock, and then finds what the command has committed. */
export async function withMigrationLock<T>({ client, sql }: Joined, work: () => Promise<T>): Promise<T> {
  const lock = await one(sql<{ held: boolean }>`select pg_try_advisory_lock(${migrationLock}) as held`)
  if (!lock.held) {
    throw new CommandFailed(
      'Another process is starting on this database, or migrating, backing up or restoring it, or changing a key. Stop it, or try again when it is done.',
    )
  }
  try {
    await requireCurrentSchema(client)
    return await work()
  } finally {
    // given back before we leave, so that one who waits for it is seen and keeps its server; a lost connection has done so already
    await sql`select pg_advisory_unlock(${migrationLock})`.catch((failed: Error) => failed)
  }
}
