// Calls the workers of other processes from a process that does not work on runs itself. They poll as well, so a lost call costs half a second.
import type { Database } from '../../base/db.ts'
import type { Log } from '../../base/log.ts'
import { readyChannel } from '../ledger/notifyChannels.ts'

/** The call comes after the commits that it is about, and at most one is under way. */
export function createReadyCall({ db, log }: { db: Database; log: Log }): () => void {
  let isCalling = false
  return () => {
    if (isCalling) return
    isCalling = true
    setImmediate(() => {
      isCalling = false
      // it need not wait for the disk: what it is about is there already
      db.sql`select set_config('synchronous_commit', 'off', true), pg_notify(${readyChannel}, '')`.catch(
        (error: unknown) => log.debug({ err: error }, 'the workers were not called; they poll by themselves'),
      )
    })
  }
}
