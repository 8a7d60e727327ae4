// A process says that it lives by holding a session lock; others see a death by getting that lock, within half a second.
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { empty, one, part, type Sql, sqlOn } from '../base/db.ts'
import { newId } from '../base/ids.ts'
import { presenceLockClass } from '../base/locks.ts'
import type { Log } from '../base/log.ts'
import { pauseAfter } from '../base/pause.ts'
import { connectionSettings, cut, SessionClient, type DatabaseAddress } from '../base/session.ts'

export interface DeadProcess {
  id: string
  role: string
  lock_key: number
  job_pool_id: string | null
}

export interface Presence {
  processId: string
  /** Aborted when the lock was lost for too long: others may have taken our work, so what is under way must stop. */
  held(): AbortSignal
  /** Tells the others which jobs to set free if we die. */
  setJobPool(id: string): Promise<void>
  /**
   * Hands each process whose lock could be taken to `reap`, while we hold that lock: no two sweepers reap one process. Answers whether there
   * were other processes at all, dead or alive.
   */
  sweep(reap: (dead: DeadProcess) => Promise<void>): Promise<boolean>
  /** Whether any other process lives on this database. */
  othersLive(): Promise<boolean>
  leave(): Promise<void>
  /** Leaves without a word: its lock goes with its connection, and the others see that it is gone. */
  abandon(): void
}

/** SQL condition on a row `p` of `processes`: the process lives. It touches no lock. */
export const holdsItsLock = part`exists (
  select from pg_locks l
  where l.locktype = 'advisory' and l.classid = ${presenceLockClass}::int8::oid and l.objid = p.lock_key::int8::oid
    and l.objsubid = 2 and l.database = (select oid from pg_database where datname = current_database()))`

interface PresenceOptions {
  address: () => DatabaseAddress
  role: string
  log: Log
  /** A command: its row need not be there after a promotion, and it must come in where commits wait for a standby that is away. */
  isCommand?: boolean
}

/** How long a dropped lock connection may take to come back before we must believe that we were declared dead. */
const graceMs = 3000
/**
 * How long the others wait for a process on a server where it never held its lock. It is longer than everything that a living process needs
 * to come back: its watch sees that the server is there (1.25 s and a pause), finds it among several hosts (1.5 s), and it tries again.
 */
const newLifeMs = 6000
/** The pauses are short while the others still wait for us. Then they grow a little: a server may refuse us for hours. */
const pauses = { firstMs: 100, longestMs: 1000 }

/**
 * Names the life of the server: all session locks are gone when it restarts, or when a standby takes its place. A restart changes the first
 * half, a promotion the second (the timeline of the write-ahead log); the server that answers next differs in one of them.
 */
const serverLife = part`(pg_postmaster_start_time()::text || ' ' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))`

/** Nobody waits for a process that only starts, and a busy machine needs seconds to open a connection. */
const firstConnectMs = 60_000
/** A process that lost its connection tries again soon: until then the others may believe that it died. */
const connectMs = 1500

interface Session extends PresenceOptions {
  processId: string
  jobPoolId: string | null
  /** Drawn once; undefined until the first connection. */
  lockKey: number | undefined
  isLeaving: boolean
  holding: AbortController
}

/** The connection that holds the lock. */
interface Connection {
  client: Client
  sql: Sql
}

export async function announcePresence(options: PresenceOptions): Promise<Presence> {
  const session: Session = {
    ...options,
    processId: newId(),
    jobPoolId: null,
    lockKey: undefined,
    isLeaving: false,
    holding: new AbortController(),
  }
  const { processId } = session
  let present: Connection
  const onLost = (): void => void rejoin(session, onLost).then((back) => (present = back ?? present))
  present = (await join(session, onLost)).connection
  return {
    processId,
    held: () => session.holding.signal,
    async setJobPool(id) {
      session.jobPoolId = id
      await present.sql`update processes set job_pool_id = ${id} where id = ${processId}`
    },
    sweep: (reap) => sweep(present.sql, processId, reap),
    othersLive: () => othersLive(present.sql, processId),
    abandon() {
      session.isLeaving = true
      cut(present.client)
    },
    async leave() {
      await present.sql`delete from processes where id = ${processId}`
      session.isLeaving = true
      await present.client.end()
    },
  }
}

const ofLife = {
  column: part`, server_life`,
  value: part`, ${serverLife}`,
  change: part`, server_life = excluded.server_life`,
}
const noLife = { column: empty, value: empty, change: empty }

/** `isNew`: our row was not there, at the first time or because somebody declared us dead. */
async function join(session: Session, onLost: () => void): Promise<{ connection: Connection; isNew: boolean }> {
  const { log, role, processId } = session
  const client = new SessionClient(
    {
      ...connectionSettings(session.address()),
      application_name: `runyard presence ${role}`,
      connectionTimeoutMillis: session.lockKey === undefined ? firstConnectMs : connectMs,
      keepAlive: true,
    },
    session.isCommand ? { synchronous_commit: 'local' } : {},
  )
  // the error is also the end of the connection; 'end' below acts on it
  client.on('error', (error) => log.warn({ err: error }, 'the presence connection was lost'))
  try {
    await client.connect()
    const sql = sqlOn(client)
    const lockKey = (session.lockKey ??= (
      await one(sql<{ key: number }>`select nextval('process_lock_keys')::int as key`)
    ).key)
    // first the lock, then the row: a row without its lock would look like a death
    const lock = await one(
      sql<{ held: boolean }>`select pg_try_advisory_lock(${presenceLockClass}, ${lockKey}) as held`,
    )
    if (!lock.held) throw new Error('the lock of this process is still held by its lost connection')
    // a command may come to a database that has not been migrated yet
    const life = session.isCommand ? noLife : ofLife
    const row = await one(sql<{ is_new: boolean }>`
      insert into processes as p (id, role, host, pid, lock_key, job_pool_id, server_started_at${life.column})
      values (${processId}, ${role}, ${hostname()}, ${process.pid}, ${lockKey}, ${session.jobPoolId}, pg_postmaster_start_time()${life.value})
      on conflict (id) do update set server_started_at = excluded.server_started_at, missed_since = null${life.change}
      returning (p.xmax = 0) as is_new`)
    client.on('end', onLost)
    return { connection: { client, sql }, isNew: row.is_new }
  } catch (error) {
    cut(client)
    throw error
  }
}

/** Tries until the lock is held again; undefined when the process leaves before. */
async function rejoin(session: Session, onLost: () => void): Promise<Connection | undefined> {
  const { log } = session
  const lostAt = performance.now()
  let isReported = false
  let late = 0
  while (!session.isLeaving) {
    try {
      const { connection, isNew } = await join(session, onLost)
      // others have taken our work already: what is under way must stop
      if (isNew) session.holding.abort(new Error('this process was declared dead'))
      if (session.holding.signal.aborted) session.holding = new AbortController()
      log.info('the presence lock is held again')
      return connection
    } catch (error) {
      log.debug({ err: error }, 'the presence lock is not back yet')
    }
    if (!isReported && performance.now() - lostAt > graceMs) {
      isReported = true
      log.error('this process could not prove that it lives; it stops what it was doing')
      session.holding.abort(new Error('this process lost its presence lock'))
    }
    await sleep(performance.now() - lostAt < graceMs ? pauses.firstMs : pauseAfter(++late, pauses))
  }
  return undefined
}

/** SQL condition on a process: it held its lock in this life of the server. An older version of Runyard writes only the start of the server. */
const isHere = part`coalesce(server_life = ${serverLife}, server_started_at is not distinct from pg_postmaster_start_time())`

async function sweep(sql: Sql, processId: string, reap: (dead: DeadProcess) => Promise<void>): Promise<boolean> {
  // a process that never held its lock in this life of the server is not declared dead before it could have come back. What was missed in an
  // earlier life says nothing about this one
  const others = await sql<DeadProcess & { is_new_here: boolean; is_dead: boolean }>`
    with others as materialized (
      select id, role, lock_key, job_pool_id, ${isHere} as is_here, case when missed_life = ${serverLife} then missed_since end as missed_since
      from processes where id <> ${processId}
    )
    select id, role, lock_key, job_pool_id, not is_here and missed_since is null as is_new_here,
      case when is_here or missed_since < clock_timestamp() - make_interval(secs => ${newLifeMs / 1000}::float8)
        then pg_try_advisory_lock(${presenceLockClass}, lock_key) else false end as is_dead
    from others`
  if (others.some(({ is_new_here }) => is_new_here)) {
    await sql`
      update processes set missed_since = clock_timestamp(), missed_life = ${serverLife}
      where id <> ${processId} and not ${isHere} and (missed_since is null or missed_life is distinct from ${serverLife})`
  }
  for (const other of others.filter(({ is_dead }) => is_dead)) {
    try {
      await reap(other)
      await sql`delete from processes where id = ${other.id}`
    } finally {
      await sql`select pg_advisory_unlock(${presenceLockClass}, ${other.lock_key})`
    }
  }
  return others.length > 0
}

async function othersLive(sql: Sql, processId: string): Promise<boolean> {
  const free = await sql<{ lock_key: number; dead: boolean }>`
    with others as materialized (select lock_key from processes where id <> ${processId})
    select lock_key, pg_try_advisory_lock(${presenceLockClass}, lock_key) as dead from others`
  for (const { lock_key } of free.filter(({ dead }) => dead)) {
    await sql`select pg_advisory_unlock(${presenceLockClass}, ${lock_key})`
  }
  return free.some(({ dead }) => !dead)
}
