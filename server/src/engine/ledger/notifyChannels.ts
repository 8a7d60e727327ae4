// The channels on which processes notify each other. A notification only speeds up what a poll finds anyway, so a lost one costs half a second.
import type { Sql } from '../../base/db.ts'

/** A run holds a slot and waits for a worker. */
export const readyChannel = 'runyard_ready'
/** Runs were stopped (ids, comma-separated): whoever works on them drops them. */
export const stopChannel = 'runyard_stop'
/** A stream is open on these runs (whose, then their ids): whoever drives one of them passes on the text that its model makes. */
export const watchChannel = 'runyard_watch'
/** A piece of that text. */
export const deltaChannel = 'runyard_delta'

/** Tells the workers of all processes, when the transaction commits, that a run waits for one of them. */
export async function announceReady(sql: Sql): Promise<void> {
  await sql`select pg_notify(${readyChannel}, '')`
}
