// Finds or starts the database of a data dir and brings it to this code's schema, keys and first team.
import { mkdir } from 'node:fs/promises'
import { mustHave } from './base/mustHave.ts'
import type { Config } from './base/config.ts'
import { type DatabaseAddress, one, type Pooler, type Sql, sqlOn, untilWritten } from './base/db.ts'
import { embeddedPostgres, type EmbeddedPostgres } from './base/embeddedPostgres.ts'
import { openKeyring } from './base/encryptionKey.ts'
import { databaseHosts } from './base/databaseHosts.ts'
import { connectOrTell } from './base/databaseRefused.ts'
import { hostUrls } from './base/hostList.ts'
import { migrationLock, presenceLockClass } from './base/locks.ts'
import type { Log } from './base/log.ts'
import { migrate } from './base/migrate.ts'
import { requirePooler, requireSessions } from './base/pooler.ts'
import type { Keyring } from './base/secrets.ts'
import { readLivingProcesses } from './cli/livingProcesses.ts'
import { noteStorageDefault } from './engine/counting/storageLimit.ts'
import { firstStart, type FirstKey } from './firstStart.ts'
import { alignEventClock } from './kit/eventClock.ts'
import type { Presence } from './kit/presence.ts'

interface FoundDatabase {
  address: () => DatabaseAddress
  /** Absent with DATABASE_URL. */
  embedded: EmbeddedPostgres | undefined
}

export async function findDatabase(config: Config, log: Log): Promise<FoundDatabase> {
  // others may pass through but not look around: as root, PostgreSQL runs as somebody else; every secret in here is mode 600
  await mkdir(config.dataDir, { recursive: true, mode: 0o711 })
  const { databaseUrl } = config
  if (databaseUrl !== undefined) {
    const address = await externalAddress('DATABASE_URL', databaseUrl, log)
    await requireSessions(address())
    return { address, embedded: undefined }
  }
  const embedded = await embeddedPostgres({
    dataDir: config.dataDir,
    log: (message, fields) => log.info({ ...fields }, message),
  })
  return { address: () => embedded.address(), embedded }
}

/** Commands do without it: all that they do needs a session. */
export async function findPooler(config: Config, log: Log): Promise<Pooler | undefined> {
  const { databasePoolUrl: url, databasePoolStatements } = config
  if (url === undefined) return undefined
  return {
    address: await externalAddress('DATABASE_POOL_URL', url, log),
    keepsNames: databasePoolStatements === 'named',
  }
}

/** The address of one host never changes; of several, the primary's is found here, and again whenever it does not let us in. */
async function externalAddress(
  env: 'DATABASE_URL' | 'DATABASE_POOL_URL',
  url: string,
  log: Log,
): Promise<() => DatabaseAddress> {
  const urls = hostUrls(url)
  if (urls.length === 1) return () => url
  const hosts = databaseHosts({ urls, env, log })
  await hosts.find()
  return () => hosts.address()
}

interface Preparing {
  /** Called before the lock is given back: from then on others see that a process uses this database with this key. */
  announce?: () => Promise<void>
  pooler?: Pooler | undefined
}

export async function prepareDatabase(
  config: Config,
  log: Log,
  address: DatabaseAddress,
  { announce, pooler }: Preparing = {},
): Promise<{ keyring: Keyring; firstKey: FirstKey }> {
  let keyring: Keyring | undefined
  let firstKey: FirstKey | undefined
  await migrate({
    address,
    log,
    living: (client) => readLivingProcesses(sqlOn(client)),
    async afterwards(client) {
      if (pooler) await requirePooler(pooler.address(), client)
      const sql = sqlOn(client)
      await client.query('begin')
      try {
        keyring = await openKeyring(sql, {
          dataDir: config.dataDir,
          given: config.encryptionKey,
          givenNext: config.newEncryptionKey,
        })
        firstKey = await firstStart(sql, config, log)
        await alignEventClock(sql)
        await noteStorageDefault(sql, config.teamStorageBytes)
        await client.query('commit')
      } catch (error) {
        await client.query('rollback')
        throw error
      }
      await announce?.()
    },
  })
  return { keyring: mustHave(keyring, 'the keyring'), firstKey: mustHave(firstKey, 'the first key') }
}

interface Leaving {
  embedded: EmbeddedPostgres | undefined
  presence: Presence
  sql: Sql
  log: Log
  /** Ends whatever else this process has open on the database. */
  close: () => Promise<void>
}

/** How long a process that leaves waits for a database that is away: after an outage its connections come back one by one. */
const comesBackMs = 5000

/**
 * Whoever leaves last stops the embedded server. A process that is just starting holds no presence lock yet but, nearly
 * all of that time, the migration lock: the server is left to it.
 */
export async function leaveDatabase({ embedded, presence, sql, log, close }: Leaving): Promise<void> {
  const soon = AbortSignal.timeout(comesBackMs)
  let isLast = false
  try {
    isLast =
      embedded !== undefined &&
      !(await untilWritten(() => presence.othersLive(), soon)) &&
      !(await untilWritten(() => isBeingPrepared(sql), soon))
    await untilWritten(() => presence.leave(), soon)
  } catch (error) {
    if (!soon.aborted) throw error
    presence.abandon()
    log.warn(
      { err: error },
      'the database did not come back, so this process leaves as one that died; others take its work',
    )
  }
  await close()
  if (isLast) await embedded?.stop()
}

/** Cleans up after a start that failed: the embedded server is stopped unless another process uses it. */
export async function abandonDatabase(embedded: EmbeddedPostgres | undefined, log: Log): Promise<void> {
  if (!embedded) return
  try {
    const client = await connectOrTell(embedded.address(), 'runyard leaving')
    const sql = sqlOn(client)
    const others = await one(sql<{ live: boolean }>`
      select exists (
        select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
        where l.locktype = 'advisory' and l.classid = ${presenceLockClass}::int8::oid and l.granted) as live`)
    const isNeeded = others.live || (await isBeingPrepared(sql))
    await client.end()
    if (!isNeeded) await embedded.stop()
  } catch (error) {
    log.warn({ err: error }, 'the embedded database was not stopped after the failed start')
  }
}

/** Whether some process migrates the database now, or prepares its first start. */
export async function isBeingPrepared(sql: Sql): Promise<boolean> {
  const lock = await one(sql<{ free: boolean }>`select pg_try_advisory_xact_lock(${migrationLock}) as free`)
  return !lock.free
}
