// Proof: one credential's window is one window over three processes, and a refused request writes nothing.
import { Client } from 'pg'
import { send, type HttpAnswer, type Service } from './processes.ts'

export interface RateLimited {
  limit: number
  sent: number
  admitted: number
  refused: number
  /** Tables in which any row changed while only 429s were answered. */
  tablesWrittenBy429s: string[]
  /** The same by PostgreSQL's counters of written rows. */
  rowsWrittenBy429s: number | 'not counted'
  /** Whether a client that slept Retry-After was admitted at once. */
  admittedAfterRetryAfter: boolean | 'not tried'
}

interface Options {
  limit: number
  /** How many more than the limit are sent. */
  beyond: number
  refusedSent?: number
  sleepRetryAfter?: boolean
  countRows?: boolean
}

const get = (service: Service): Promise<HttpAnswer> => send(service.baseUrl, { path: '/v2/teams', key: service.key })

export async function rateLimitOver(services: Service[], databaseUrl: string, options: Options): Promise<RateLimited> {
  await freshWindow(services[0]!, options.countRows ? 45 : 10)
  const total = options.limit + options.beyond
  const windows = new Map<string, number>()
  const answers = await inParallel(total, 64, (index) => get(services[index % services.length]!))
  for (const { status } of answers) windows.set(String(status), (windows.get(String(status)) ?? 0) + 1)
  const unexpected = [...windows.keys()].filter((status) => status !== '200' && status !== '429')
  if (unexpected.length > 0) throw new Error(`unexpected answers: ${unexpected.join(', ')}`)

  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  // last-used times of what was admitted are written up to 10 s later, and told by their session up to 10 s after that
  const countedBefore = options.countRows ? await rowsWritten(client, 21) : 0
  // where nothing was counted, nobody has waited for those last-used times
  const except = [...writtenByTheClock, ...(options.countRows ? [] : ['credential_uses'])]
  const versionsBefore = await rowVersions(client, except)
  const refused = await inParallel(options.refusedSent ?? 300, 32, (index) => get(services[index % services.length]!))
  const changed = difference(versionsBefore, await rowVersions(client, except))
  const countedAfter = options.countRows ? await rowsWritten(client, 11) : 0
  await client.end()
  if (!refused.every(({ status }) => status === 429)) throw new Error('the window ended under the proof; run it again')

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
    // and the one that found the window fresh
    admitted: (windows.get('200') ?? 0) + 1,
    refused: refused.length,
    tablesWrittenBy429s: changed,
    rowsWrittenBy429s: options.countRows ? countedAfter - countedBefore : 'not counted',
    admittedAfterRetryAfter,
  }
}

const difference = (before: string, after: string): string[] =>
  after
    .split('\n')
    .filter((line) => !before.includes(line))
    .map((line) => line.split(' ')[0]!)

/** Waits for an unused minute with so many seconds left that everything falls into it. */
async function freshWindow(service: Service, secondsNeeded: number): Promise<void> {
  for (;;) {
    const { headers } = await get(service)
    const left = Number(headers['ratelimit-reset'])
    const isUnused = Number(headers['ratelimit-remaining']) === Number(headers['ratelimit-limit']) - 1
    if (isUnused && left > secondsNeeded) return
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

/** Each process reports how it does. */
const writtenByTheClock = ['processes']

/** Every row of every table by its place and version: any write changes it, at once. */
async function rowVersions(client: Client, except: string[]): Promise<string> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('public', 'graphile_worker') and tablename <> all($1) order by 1`,
    [except],
  )
  const digests: string[] = []
  for (const { name } of tables) {
    const { rows } = await client.query<{ digest: string }>(
      `select md5(coalesce(string_agg(ctid::text || xmin::text, ',' order by ctid), '')) as digest from ${name}`,
    )
    digests.push(`${name} ${rows[0]!.digest}`)
  }
  return digests.join('\n')
}

/**
 * PostgreSQL's own counter. Sessions report what they wrote when they have been idle for 10 s at the latest. The job engine, which is left out,
 * starts what is due each minute.
 */
async function rowsWritten(client: Client, settleSeconds: number): Promise<number> {
  await client.query('select pg_sleep($1)', [settleSeconds])
  const { rows } = await client.query<{ n: string }>(
    `select sum(n_tup_ins + n_tup_upd + n_tup_del) as n from pg_stat_user_tables
     where schemaname <> 'graphile_worker' and relname <> all($1)`,
    [writtenByTheClock],
  )
  return Number(rows[0]!.n)
}
