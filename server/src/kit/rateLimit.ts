// One-minute request windows shared by all API processes, counted in blocks leased from PostgreSQL.
import { one } from '../base/db.ts'
import { forgetOldest } from '../base/boundedCache.ts'
import type { Sql } from '../base/db.ts'
import { Fault } from '../base/errors.ts'

interface Allowance {
  /** False: refuse, and say when the window is fresh. */
  admitted: boolean
  limit: number
  remaining: number
  resetSeconds: number
}

export interface Windows {
  take(bucket: string, limit: number): Promise<Allowance>
}

export type RateLimit = Windows

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

interface WindowsOptions {
  /** How many buckets are remembered; the oldest is forgotten first, and the database then knows what is left of it. */
  bucketsMax: number
  lease: (name: string, limit: number, wanted: number) => Promise<Lease>
}

/**
 * A process leases a block of requests and admits them from memory; when the database says that nothing is left it refuses
 * until the window ends without asking again, so a refused request costs no statement at all.
 *
 * A block is 1/200 of the limit: three processes can strand at most 1 % of a window in unused leases, and a busy credential
 * costs 200 small writes a minute. Limits up to 200 lease only what is asked for and are exact.
 *
 * Windows are the database's minutes. A lease tells how much of the minute is left, so clocks of machines do not matter.
 */
export function createWindows({ bucketsMax, lease }: WindowsOptions): Windows {
  const buckets = new Map<string, Bucket>()

  function bucketOf(name: string): Bucket {
    let bucket = buckets.get(name)
    if (!bucket) {
      if (buckets.size >= bucketsMax) forgetOldest(buckets)
      bucket = { window: undefined, leasing: undefined, waiting: 0 }
      buckets.set(name, bucket)
    }
    return bucket
  }

  async function leaseFor(name: string, limit: number, bucket: Bucket): Promise<void> {
    const wanted = Math.max(1, Math.floor(limit / 200), bucket.waiting)
    const { granted, unleased, left_ms } = await lease(name, limit, wanted)
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
          await (bucket.leasing ??= leaseFor(name, limit, bucket).finally(() => (bucket.leasing = undefined)))
        } finally {
          bucket.waiting -= 1
        }
      }
    },
  }
}

export interface Lease {
  granted: number
  unleased: number
  left_ms: number
}

/** Windows of credentials and teams are few enough that each has a statement of its own. */
export const createRateLimit = (sql: Sql): RateLimit =>
  createWindows({
    bucketsMax: 50_000,
    lease: (name, limit, wanted) => one(leaseMany(sql, [{ name, wanted }], limit)),
  })

/**
 * Uses one statement for several distinct buckets: opens the minute's window or takes from it. `used` may pass the limit by less
 * than one block, the grant never. Buckets are sorted by name, so that two such statements cannot deadlock.
 */
export async function leaseMany(sql: Sql, asked: { name: string; wanted: number }[], limit: number): Promise<Lease[]> {
  return sql<Lease>`
    with asked as (
      select * from unnest(${asked.map(({ name }) => name)}::text[], ${asked.map(({ wanted }) => wanted)}::bigint[])
        with ordinality as a (bucket, wanted, place)
    ),
    leased as (
      insert into rate_windows as w (bucket, window_start, used)
      select bucket, date_trunc('minute', clock_timestamp()), wanted from asked order by bucket
      on conflict (bucket) do update set
        used = case when w.window_start < excluded.window_start then excluded.used else w.used + excluded.used end,
        window_start = greatest(w.window_start, excluded.window_start)
      where w.window_start < excluded.window_start or w.used < ${limit}::bigint
      returning bucket, used
    )
    select case when l.used is null then 0 else least(a.wanted, ${limit}::bigint - l.used + a.wanted) end as granted,
      case when l.used is null then 0 else greatest(${limit}::bigint - l.used, 0) end as unleased,
      (60 - extract(second from clock_timestamp()))::float8 * 1000 as left_ms
    from asked a left join leased l using (bucket) order by a.place`
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
