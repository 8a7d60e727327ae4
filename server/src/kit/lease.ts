// A lease: a row belongs to one process until a moment by the database's clock, and the holder renews it while its work lasts.
import { part, type Part } from '../base/db.ts'
import type { Log } from '../base/log.ts'

/** The end of a lease that begins now. */
export const leaseUntil = (seconds: number): Part => part`now() + make_interval(secs => ${seconds}::float8)`

/** Whether nobody holds the lease of this column: nobody took it, or its holder did not renew it in time. */
export const isFree = (until: Part): Part => part`(${until} is null or ${until} <= now())`

interface Lease {
  /** What is leased, for the log: "the claim of an upload". */
  name: string
  log: Log
  /** How often the lease is renewed: a few times before it ends. */
  everyMs: number
  /** Answers with false if the lease is lost. */
  renew: () => Promise<unknown>
  /** Frees the row when the work failed, so that the next try need not wait. */
  release?: () => Promise<unknown>
}

/** Another holds it now, or what it is about has ended or is deleted: nothing more may be written. */
export class LeaseLost extends Error {}

/** Renews the lease while the work lasts. The signal is aborted with LeaseLost when the lease is lost. */
export async function whileLeased<T>(
  { name, log, everyMs, renew, release }: Lease,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController()
  const renewal = setInterval(() => {
    renew().then(
      (isOurs) => isOurs === false && lost.abort(new LeaseLost()),
      (error: unknown) => log.warn({ err: error }, `${name} could not be renewed; will retry`),
    )
  }, everyMs)
  try {
    return await work(lost.signal)
  } catch (error) {
    await release?.().catch((failed: unknown) => log.warn({ err: failed }, `${name} stays until it runs out`))
    throw error
  } finally {
    clearInterval(renewal)
  }
}
