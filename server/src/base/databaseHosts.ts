// Several hosts of one database: knows which of them is the primary now, and looks for it again when a connection is refused.
import { setTimeout as sleep } from 'node:timers/promises'
import { awakeTimer } from './awakeTimer.ts'
import { DatabaseRefused, briefReason } from './databaseRefused.ts'
import { firstRow } from './rows.ts'
import type { Log } from './log.ts'
import { connectionSettings, cut, PooledClient, SessionClient, type HostAddress } from './session.ts'

interface DatabaseHosts {
  /** The host that was the primary at the last look that found one. */
  address(): HostAddress
  /** Looks at all hosts. Whoever asks while a look is under way gets that one. Throws a sentence when none of them writes. */
  find(): Promise<void>
}

interface HostOptions {
  /** One URL for each host (hostList.ts). */
  urls: string[]
  /** The setting that lists them. */
  env: 'DATABASE_URL' | 'DATABASE_POOL_URL'
  log: Log
}

/** A host that is alive answers within milliseconds; a machine that is gone never does. */
const lookMs = 1500
/** A host of a busy machine needs longer than a look: it is not asked anew, and the next look waits for the same answer. */
const hostMs = 6000
/** When one writes, the others have this long to say that they do too. */
const othersMs = 100
/**
 * How long a look waits for a host that let an earlier one wait in vain, when the others have answered: a pooler whose server is down may keep us
 * waiting until that is back, while another host is promoted.
 */
const lateMs = 500
/** Every connection that is refused asks for a look. While there is no primary these come many times a second. */
const pauseMs = 250

/** The host that is used, and whoever has to hear that another one was promoted in its place. */
function createPrimary(url: string, log: Log) {
  const listeners = new Set<() => void>()
  const primary = {
    url,
    /** The timeline of the primary that was found last. */
    newest: '',
    use(found: string, timeline: string): void {
      const isOther = found !== primary.url
      const isPromoted = isOther && primary.newest !== '' && timeline !== primary.newest
      if (isOther) log.info({ host: hostOf(found) }, 'another host is the primary now')
      primary.url = found
      primary.newest = timeline
      if (isPromoted) for (const listener of listeners) listener()
    },
    onPromoted(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return primary
}

export function databaseHosts({ urls, env, log }: HostOptions): DatabaseHosts {
  const primary = createPrimary(urls[0] ?? '', log)
  let looking: Promise<void> | undefined
  let lookedAt = -Infinity
  /** The last look found none that writes. */
  let isLost = false
  /** The one of which it was said that only an older host takes writes. */
  let told: string | undefined
  const asked = new Map<string, Promise<Seen>>()

  /** The answer of a host that is asked already, or a new one. */
  function ask(url: string): Promise<Seen> {
    const under = asked.get(url)
    if (under) return under
    const answer = lookAtOne(url, env === 'DATABASE_POOL_URL' ? PooledClient : SessionClient).then((host) => {
      asked.delete(url)
      // no look waits for it any more: the primary is taken at once, since the next look may find it just as slow
      const { timeline = '' } = host
      if (!looking && (timeline > primary.newest || (isLost && timeline !== '' && timeline === primary.newest))) {
        isLost = false
        primary.use(url, timeline)
      }
      return host
    })
    asked.set(url, answer)
    return answer
  }

  async function look(): Promise<void> {
    const { newest } = primary
    const seen = await lookAt(urls, { ask, newest, late: new Set(asked.keys()) })
    const hosts = seen.map((host) => outdated(host, newest) ?? host)
    const found = bestOf(hosts, primary.url)
    isLost = found === undefined
    if (found) return primary.use(found.url, found.timeline)
    if (hosts.some(({ isOutdated }) => isOutdated) && newest !== told) {
      told = newest
      log.error(
        { hosts: noneWrites(env, hosts) },
        'the only host that takes writes was replaced before: it is not used',
      )
    }
    throw new DatabaseRefused(noneWrites(env, hosts))
  }

  function find(): Promise<void> {
    looking ??= look().finally(() => {
      looking = undefined
      lookedAt = performance.now()
    })
    return looking
  }

  function refused(): void {
    if (performance.now() - lookedAt < pauseMs) return
    // the watch tells that the database is away; this says why
    find().catch((error: unknown) => log.debug({ err: error }, 'no host is the primary yet'))
  }

  const address: HostAddress = {
    // whoever keeps the address has the host of the moment
    get url() {
      return primary.url
    },
    refused,
    onPromoted: (listener) => primary.onPromoted(listener),
  }
  return { address: () => address, find }
}

/** Two hosts that write are a split cluster: the one that was promoted last is right. The one that is used comes first among equals. */
function bestOf(hosts: Seen[], used: string): { url: string; timeline: string } | undefined {
  const writing = hosts.flatMap(({ url, timeline }) => (timeline === undefined ? [] : [{ url, timeline }]))
  const last = writing.reduce((max, { timeline }) => (timeline > max ? timeline : max), '')
  const best = writing.filter(({ timeline }) => timeline === last)
  return best.find(({ url }) => url === used) ?? best[0]
}

interface Seen {
  url: string
  /** Set for a host that writes: it grows with each promotion. */
  timeline?: string
  /** Why the host cannot be used. */
  reason?: string
  isOutdated?: true
}

/**
 * A host that writes although another one was promoted after it, as this process knows: whatever is written there is lost. Undefined: it is not
 * such a host. If the one that was promoted is gone for good, an operator who goes back to the older one restarts the processes, which forget it.
 */
function outdated({ url, timeline }: Seen, newest: string): Seen | undefined {
  if (timeline === undefined || timeline >= newest) return undefined
  return { url, isOutdated: true, reason: 'takes writes, but was replaced by another that is away' }
}

interface Look {
  ask: (url: string) => Promise<Seen>
  newest: string
  /** The hosts that have not yet answered an earlier look. */
  late: Set<string>
}

const pause = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false })

/** Answers as soon as one host writes that was not replaced, but for a short wait for the others; else when all have answered, or had the time to. */
async function lookAt(urls: string[], { ask, newest, late }: Look): Promise<Seen[]> {
  const seen = new Map<string, Seen>()
  const oneWrites = Promise.withResolvers<void>()
  const looks = urls.map(async (url) => {
    const host = await ask(url)
    seen.set(url, host)
    if (host.timeline !== undefined && !outdated(host, newest)) oneWrites.resolve()
  })
  const enough = oneWrites.promise.then(() => pause(othersMs))
  const inTime = looks.filter((_, n) => !late.has(urls[n]!))
  const enoughOfLate = Promise.all(inTime).then(() => pause(lateMs))
  const isOver = Promise.withResolvers<void>()
  const stopWaiting = awakeTimer(isOver.resolve, lookMs)
  await Promise.race([Promise.all(looks), enough, enoughOfLate, isOver.promise])
  stopWaiting()
  return urls.map((url) => seen.get(url) ?? { url, reason: `does not answer within ${lookMs / 1000} s` })
}

async function lookAtOne(url: string, OneClient: typeof SessionClient): Promise<Seen> {
  let client: SessionClient | undefined
  let isLate = false
  const stopWaiting = awakeTimer(() => {
    isLate = true
    if (client) cut(client)
  }, hostMs)
  try {
    client = new OneClient({
      ...connectionSettings(url),
      application_name: 'runyard looking for the primary',
      // the wait above does not count the time in which this process was busy
      connectionTimeoutMillis: 0,
    })
    client.on('error', () => undefined) // the call that fails says it
    await client.connect()
    const { rows } = await client.query<{ is_standby: boolean; is_read_only: boolean; timeline: string | null }>(
      `select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only,
         case when not pg_is_in_recovery() then substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as timeline`,
    )
    const { is_standby, is_read_only, timeline } = firstRow(rows)
    if (is_standby) return { url, reason: 'is a standby, which only reads' }
    if (is_read_only || timeline === null) return { url, reason: 'is read-only' }
    return { url, timeline }
  } catch (error) {
    return { url, reason: isLate ? `does not answer within ${hostMs / 1000} s` : briefReason(error) }
  } finally {
    stopWaiting()
    if (client) cut(client)
  }
}

function noneWrites(env: string, hosts: Seen[]): string {
  const each = hosts.map(({ url, reason }) => `${hostOf(url)} ${reason}`).join('; ')
  return `None of the hosts of ${env} takes writes: ${each}. Start the primary or promote a standby, or correct ${env}.`
}

/** Never the user or the password. */
const hostOf = (url: string): string => new URL(url).host
