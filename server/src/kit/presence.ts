// A process says that it lives by holding a session lock; others see a death by getting that lock, within half a second.
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { one, type Sql, sqlOn } from '../base/db.ts'
import { newId } from '../base/ids.ts'
import { presenceLockClass } from '../base/locks.ts'
import type { Log } from '../base/log.ts'
import { pauseAfter } from '../base/pause.ts'
import { connectionSettings, cut, SessionClient, type Address } from '../base/session.ts'

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
  /** The processes whose lock could be taken, each handed to `bury` while we hold it: no two sweepers bury one process. */
  sweep(bury: (dead: DeadProcess) => Promise<void>): Promise<void>
  /** Whether any other process lives on this database. */
  othersLive(): Promise<boolean>
  leave(): Promise<void>
}

interface PresenceOptions {
  address: () => string | Address
  role: string
  log: Log
}

/** How long a dropped lock connection may take to come back before we must believe that we were declared dead. */
const graceMs = 3000
/** The pauses are short while the others still wait for us, and then grow: a server may refuse us for hours. */
const pauses = { firstMs: 100, longestMs: 3000 }

/** Nobody waits for a process that only starts, and a busy machine needs seconds to open a connection. */
const firstConnectMs = 10_000
/** A process that lost its connection tries again soon: until then the others may believe that it died. */
const connectMs = 1500

export async function announcePresence(options: PresenceOptions): Promise<Presence> {
  const processId = newId()
  let jobPoolId: string | null = null
  let lockKey: number | undefined
  let leaving = false
  let holding = new AbortController()
  let client: Client
  let sql: Sql

  /** True when our row was not there: at the first time, or because somebody declared us dead. */
  async function join(): Promise<boolean> {
    const fresh = new SessionClient({
      ...connectionSettings(options.address()),
      application_name: `runyard presence ${options.role}`,
      connectionTimeoutMillis: lockKey === undefined ? firstConnectMs : connectMs,
      keepAlive: true,
    })
    // the error is also the end of the connection; 'end' below acts on it
    fresh.on('error', (error) => options.log.warn({ err: error }, 'the presence connection was lost'))
    try {
      await fresh.connect()
      const ask = sqlOn(fresh)
      if (lockKey === undefined) {
        const drawn = await one(ask<{ key: number }>`select nextval('process_lock_keys')::int as key`)
        lockKey = drawn.key
      }
      // first the lock, then the row: a row without its lock would look like a death
      const lock = await one(
        ask<{ held: boolean }>`select pg_try_advisory_lock(${presenceLockClass}, ${lockKey}) as held`,
      )
      if (!lock.held) throw new Error('the lock of this process is still held by its lost connection')
      const row = await one(ask<{ is_new: boolean }>`
        insert into processes as p (id, role, host, pid, lock_key, job_pool_id, server_started_at)
        values (${processId}, ${options.role}, ${hostname()}, ${process.pid}, ${lockKey}, ${jobPoolId}, pg_postmaster_start_time())
        on conflict (id) do update set server_started_at = excluded.server_started_at, missed_since = null
        returning (p.xmax = 0) as is_new`)
      client = fresh
      sql = ask
      fresh.on('end', () => void rejoin())
      return row.is_new
    } catch (error) {
      cut(fresh)
      throw error
    }
  }

  async function rejoin(): Promise<void> {
    const lostAt = performance.now()
    let told = false
    let late = 0
    for (;;) {
      if (leaving) return undefined
      try {
        const wasBuried = await join()
        // others have taken our work already: what is under way must not go on
        if (wasBuried) holding.abort(new Error('this process was declared dead'))
        if (holding.signal.aborted) holding = new AbortController()
        return options.log.info('the presence lock is held again')
      } catch (error) {
        options.log.debug({ err: error }, 'the presence lock is not back yet')
      }
      if (!told && performance.now() - lostAt > graceMs) {
        told = true
        options.log.error('this process could not prove that it lives; it stops what it was doing')
        holding.abort(new Error('this process lost its presence lock'))
      }
      await sleep(performance.now() - lostAt < graceMs ? pauses.firstMs : pauseAfter(++late, pauses))
    }
  }

  await join()

  return {
    processId,
    held: () => holding.signal,
    async setJobPool(id) {
      jobPoolId = id
      await sql`update processes set job_pool_id = ${id} where id = ${processId}`
    },
    async sweep(bury) {
      // all locks are gone when the server restarts or a standby takes its place, and either changes the start time. A process that never held
      // its lock on this server is not declared dead before it could have come back
      await sql`
        update processes set missed_since = clock_timestamp()
        where id <> ${processId} and server_started_at is distinct from pg_postmaster_start_time() and missed_since is null`
      const dead = await sql<DeadProcess>`
        with others as materialized (
          select id, role, lock_key, job_pool_id from processes
          where id <> ${processId} and (server_started_at = pg_postmaster_start_time()
            or missed_since < clock_timestamp() - make_interval(secs => ${graceMs / 1000}::float8))
        )
        select * from others where pg_try_advisory_lock(${presenceLockClass}, lock_key)`
      for (const other of dead) {
        try {
          await bury(other)
          await sql`delete from processes where id = ${other.id}`
        } finally {
          await sql`select pg_advisory_unlock(${presenceLockClass}, ${other.lock_key})`
        }
      }
    },
    async othersLive() {
      const free = await sql<{ lock_key: number; dead: boolean }>`
        with others as materialized (select lock_key from processes where id <> ${processId})
        select lock_key, pg_try_advisory_lock(${presenceLockClass}, lock_key) as dead from others`
      for (const { lock_key } of free.filter(({ dead }) => dead)) {
        await sql`select pg_advisory_unlock(${presenceLockClass}, ${lock_key})`
      }
      return free.some(({ dead }) => !dead)
    },
    async leave() {
      leaving = true
      await sql`delete from processes where id = ${processId}`
      await client.end()
    },
  }
}
