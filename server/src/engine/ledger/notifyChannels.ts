// The channels on which processes notify each other. A notification only speeds up what a poll finds anyway, so a lost one costs half a second.
import { part, type Sql } from '../../base/db.ts'

/**
 * A run holds a slot and waits for a worker: all are called. A worker that was called alone (`ownChannel`) and cannot take everything calls all others,
 * and says who it is.
 */
export const readyChannel = 'runyard_ready'
/** Runs were stopped (ids, comma-separated): whoever works on them drops them. */
export const stopChannel = 'runyard_stop'
/** A stream is open on these runs (whose, then their ids): whoever drives one of them passes on the text that its model makes. */
export const watchChannel = 'runyard_watch'
/** A piece of that text. */
export const deltaChannel = 'runyard_delta'

/** SQL condition on a process: it may work on runs. Those for suspects have roles of their own. */
export const isWorker = part`role in ('all', 'worker', 'drill worker')`

/**
 * Tells one of the workers, when the transaction commits, that a run waits for one of them: whichever chance takes. All of them where some do not take
 * every run, or do not hear when they are called alone.
 */
export async function announceReady(sql: Sql): Promise<void> {
  await sql`
    select pg_notify(coalesce((
      select case when bool_and(report ->> 'own_channel' is not null and report -> 'worker_pools' = 'null')
        then (array_agg(report ->> 'own_channel' order by random()))[1] end
      from processes where ${isWorker}
    ), ${readyChannel}), '')`
}
