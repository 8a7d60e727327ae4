// Proof: one credential's window is one window over three processes, and a refused request writes nothing.
import { Client } from 'pg'
import { send, type HttpAnswer, type Service } from './processes.ts'

export interface RateLimited {
  limit: number
  sent: number
  admitted: number
  /** Rows that the database saw written while only 429s were answered. */
  rowsWrittenBy429s: number
  /** Whether a client that slept Retry-After was admitted at once. */
  admittedAfterRetryAfter: boolean | 'not tried'
}

interface Options {
  limit: number
  /** How many more than the limit are sent. */
  beyond: number
  refusedSent?: number
  sleepRetryAfter?: boolean
}

const get = (service: Service): Promise<HttpAnswer> => send(service.baseUrl, { path: '/v2/teams', key: service.key })

export async function rateLimitOver(services: Service[], databaseUrl: string, options: Options): Promise<RateLimited> {
  await freshWindow(services[0]!)
  const total = options.limit + options.beyond
  const windows = new Map<string, number>()
  const answers = await inParallel(total, 64, (index) => get(services[index % services.length]!))
  for (const { status } of answers) windows.set(String(status), (windows.get(String(status)) ?? 0) + 1)
  const unexpected = [...windows.keys()].filter((status) => status !== '200' && status !== '429')
  if (unexpected.length > 0) throw new Error(`unexpected answers: ${unexpected.join(', ')}`)

  const before = await rowsWritten(databaseUrl)
  const refused = await inParallel(options.refusedSent ?? 300, 32, (index) => get(services[index % services.length]!))
  const onlyRefused = refused.every(({ status }) => status === 429)
  const rowsWrittenBy429s = onlyRefused ? (await rowsWritten(databaseUrl)) - before : Number.NaN

  let admittedAfterRetryAfter: RateLimited['admittedAfterRetryAfter'] = 'not tried'
  if (options.sleepRetryAfter) {
    const seconds = Number(refused.at(-1)!.headers['retry-after'])
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    const later = await Promise.all(services.map(get))
    admittedAfterRetryAfter = later.every(({ status }) => status === 200)
  }
  return {
    limit: options.limit,
    sent: total,
    admitted: windows.get('200') ?? 0,
    rowsWrittenBy429s,
    admittedAfterRetryAfter,
  }
}

/** Waits until a minute is young enough that everything falls into it. */
async function freshWindow(service: Service): Promise<void> {
  for (;;) {
    const { headers } = await get(service)
    const left = Number(headers['ratelimit-reset'])
    if (left > 59 || headers['ratelimit-remaining'] === String(Number(headers['ratelimit-limit']) - 1)) return
    await new Promise((resolve) => setTimeout(resolve, left * 1000))
  }
}

async function inParallel<T>(count: number, lanes: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let next = 0
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (next < count) results.push(await work(next++))
    }),
  )
  return results
}

/** PostgreSQL's own counters of rows written in this database; flushed before they are read. */
async function rowsWritten(databaseUrl: string): Promise<number> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    // backends report their counts when idle, at most a second later: read until two readings agree
    let last = -1
    for (;;) {
      const { rows } = await client.query<{ n: string }>(
        `select tup_inserted + tup_updated + tup_deleted as n from pg_stat_database where datname = current_database()`,
      )
      const now = Number(rows[0]!.n)
      if (now === last) return now
      last = now
      await client.query('select pg_sleep(1.2)')
    }
  } finally {
    await client.end()
  }
}
