// One-minute request windows shared by all API processes, counted in blocks leased from PostgreSQL.
import type { Sql } from '../base/db.ts'
import { Fault } from '../base/errors.ts'

export interface Allowance {
  /** False: refuse, and say when the window is fresh. */
  admitted: boolean
  limit: number
  remaining: number
  resetSeconds: number
}

export interface RateLimit {
  take(bucket: string, limit: number): Promise<Allowance>
  /** Whether the bucket is known to be empty, without asking or counting. */
  isExhausted(bucket: string): boolean
}

interface Window {
  /** performance.now() at which this process holds the window to be over. */
  endsAt: number
  /** Requests leased and not yet used here. */
  left: number
  /** What all processes together may still lease, as of the last lease. */
  unleased: number
}

interface Bucket {
  window: Window | undefined
  leasing: Promise<void> | undefined
  /** Requests that wait for the lease under way. */
  waiting: number
}

const bucketsMax = 50_000

/**
 * A process leases a block of requests and admits them from memory; when the database says that nothing is left it refuses
 * until the window ends without asking again, so a refused request costs no statement at all.
 *
 * A block is 1/200 of the limit: three processes can strand at most 1 % of a window in unused leases, and a busy credential
 * costs 200 small writes a minute. Limits up to 200 lease only what is asked for and are exact.
 *
 * Windows are the database's minutes. A lease tells how much of the minute is left, so clocks of machines do not matter.
 */
export function createRateLimit(sql: Sql): RateLimit {
  const buckets = new Map<string, Bucket>()

  function bucketOf(name: string): Bucket {
    let bucket = buckets.get(name)
    if (!bucket) {
      if (buckets.size >= bucketsMax) dropEnded(buckets)
      bucket = { window: undefined, leasing: undefined, waiting: 0 }
      buckets.set(name, bucket)
    }
    return bucket
  }

  async function lease(name: string, limit: number, bucket: Bucket): Promise<void> {
    const wanted = Math.max(1, Math.floor(limit / 200), bucket.waiting)
    const { granted, unleased, left_ms } = await leaseFrom(sql, name, limit, wanted)
    bucket.window = { endsAt: performance.now() + left_ms, left: granted, unleased }
  }

  return {
    async take(name, limit) {
      const bucket = bucketOf(name)
      for (;;) {
        const now = performance.now()
        const { window } = bucket
        if (window && now < window.endsAt) {
          const admitted = window.left > 0
          if (admitted) window.left -= 1
          if (admitted || window.unleased === 0) {
            const resetSeconds = Math.max(1, Math.ceil((window.endsAt - now) / 1000))
            return { admitted, limit, remaining: window.left + window.unleased, resetSeconds }
          }
        }
        bucket.waiting += 1
        try {
          await (bucket.leasing ??= lease(name, limit, bucket).finally(() => (bucket.leasing = undefined)))
        } finally {
          bucket.waiting -= 1
        }
      }
    },
    isExhausted(name) {
      const window = buckets.get(name)?.window
      return window !== undefined && performance.now() < window.endsAt && window.left + window.unleased === 0
    },
  }
}

interface Lease {
  granted: number
  unleased: number
  left_ms: number
}

/** One statement: opens the minute's window or takes from it; `used` may pass the limit by less than one block, the grant never. */
async function leaseFrom(sql: Sql, name: string, limit: number, wanted: number): Promise<Lease> {
  const [row] = await sql<Lease>`
    with leased as (
      insert into rate_windows as w (bucket, window_start, used)
      values (${name}, date_trunc('minute', clock_timestamp()), ${wanted}::bigint)
      on conflict (bucket) do update set
        used = case when w.window_start < excluded.window_start then excluded.used else w.used + excluded.used end,
        window_start = greatest(w.window_start, excluded.window_start)
      where w.window_start < excluded.window_start or w.used < ${limit}::bigint
      returning used
    )
    select coalesce((select least(${wanted}::bigint, ${limit}::bigint - used + ${wanted}::bigint) from leased), 0) as granted,
      coalesce((select greatest(${limit}::bigint - used, 0) from leased), 0) as unleased,
      (60 - extract(second from clock_timestamp()))::float8 * 1000 as left_ms`
  return row!
}

function dropEnded(buckets: Map<string, Bucket>): void {
  const now = performance.now()
  for (const [name, { window, waiting }] of buckets) {
    if (waiting === 0 && (!window || window.endsAt < now)) buckets.delete(name)
  }
}

/** Writes the three headers of the tighter window, and refuses when it is used up. */
export function refuseIfOver(allowance: Allowance, headers: Record<string, string>, other?: Allowance): void {
  const shown = other && other.remaining <= allowance.remaining && allowance.admitted ? other : allowance
  headers['ratelimit-limit'] = String(shown.limit)
  headers['ratelimit-remaining'] = String(shown.remaining)
  headers['ratelimit-reset'] = String(shown.resetSeconds)
  if (allowance.admitted) return
  throw new Fault('rate_limited', undefined, { headers: { ...headers, 'retry-after': String(allowance.resetSeconds) } })
}
