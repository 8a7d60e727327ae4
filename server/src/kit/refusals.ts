// Refused requests in the audit log: the first ones of a credential in a minute get rows of their own, the others are counted in one row.
import type { Sql } from '../base/db.ts'
import { newId } from '../base/ids.ts'
import { recordOutcome, type AuditEntry } from './audit.ts'

/**
 * How many rows a credential gets per minute in one process. A client that is refused a hundred times a second would write eight million
 * rows a day.
 */
const refusalsOneByOne = 60
const windowMs = 60_000

export interface Refusals {
  /** Whether this refusal gets a row; if not, it is counted, and `flush` writes the count. */
  isWritten(entry: AuditEntry): boolean
  /** Writes the counts; called on a timer and when the process stops. A process that is killed loses the counts of its last seconds. */
  flush(): Promise<void>
}

interface Window {
  since: number
  written: number
  counted: number
  last: AuditEntry
}

export function createRefusals(sql: Sql, now: () => number = () => performance.now()): Refusals {
  /** Windows by credential: only known credentials can be refused here, and a window is forgotten when its minute is over. */
  const windows = new Map<string, Window>()

  function windowOf(entry: AuditEntry): Window {
    const key = `${entry.teamId} ${entry.credential.id}`
    let window = windows.get(key)
    if (!window) windows.set(key, (window = { since: now(), written: 0, counted: 0, last: entry }))
    if (now() - window.since >= windowMs) {
      window.since = now()
      window.written = 0
    }
    return window
  }

  return {
    isWritten(entry) {
      const window = windowOf(entry)
      if (window.written < refusalsOneByOne) {
        window.written += 1
        return true
      }
      window.counted += 1
      window.last = entry
      return false
    },
    async flush() {
      for (const [key, window] of windows) {
        const { counted, last } = window
        if (counted > 0) {
          window.counted = 0
          try {
            await recordOutcome(sql, summary(last, counted))
          } catch (error) {
            window.counted += counted
            throw error
          }
        } else if (now() - window.since >= windowMs) windows.delete(key)
      }
    },
  }
}

/** The last refusal stands for all of them. */
const summary = (last: AuditEntry, count: number): AuditEntry => ({
  ...last,
  requestId: newId(),
  error: `${last.error ?? 'refused'} (this row stands for ${count} refused requests of this credential)`,
})
