// A process says that it lives by holding a session lock; others see a death by getting that lock, within about a second.
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { awakeTimer } from '../base/awakeTimer.ts'
import { empty, one, part, type Part, type Sql, sqlOn } from '../base/db.ts'
import { newId } from '../base/ids.ts'
import { presenceLockClass, reapLockClass } from '../base/locks.ts'
import type { Log } from '../base/log.ts'
import { pauseAfter } from '../base/pause.ts'
import { connectionSettings, cut, SessionClient, type DatabaseAddress } from '../base/session.ts'

export interface DeadProcess {
  id: string
  role: string
  lock_key: number
  job_pool_id: string | null
  /** Nobody has begun to reap it before. What its death says about the work of others counts only then. */
  is_news: boolean
}

export interface Presence {
  processId: string
  /** Aborted when the lock was lost for too long: others may have taken our work, so what is under way must stop. */
  held(): AbortSignal
  /** Tells the others which jobs to set free if we die. */
  setJobPool(id: string): Promise<void>
  /**
   * The database did not answer in time: our connection may lead to a machine that is gone, which never closes it. If it does not answer either,
   * the lock is taken on another one.
   */
  doubt(): void
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

/** The role of a worker that a drill started and will kill. Its death is no news to anybody. */
export const drillWorkerRole = 'drill worker'

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
/**
 * How long they wait for one that held it here. A connection can break although its process lives, which is back within milliseconds. A little
 * less than a beat of the sweep: the look after the one that missed the process decides.
 */
const hereMs = 450
/**
 * How long they wait for one that only serves requests, wherever it held its lock. It has no work that anybody could take, and of all processes it is
 * the last to come back: all who failed ask it again, and it has no time for its own connection. Under load that took 10 s.
 */
const servingMs = 30_000
/** The pauses are short while the others still wait for us. Then they grow a little: a server may refuse us for hours. */
const pauses = { firstMs: 100, longestMs: 1000 }

/**
 * Names the life of the server: all session locks are gone when it restarts, or when a standby takes its place. A restart changes the first
 * half, a promotion the second (the timeline of the write-ahead log); the server that answers next differs in one of them.
 */
const serverLife = part`(pg_postmaster_start_time()::text || ' ' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))`

/** Nobody waits for a process that only starts, and a busy machine needs seconds to open a connection. */
const firstConnectMs = 60_000
/** A try that got no answer for so long is not given up, but the next one begins beside it: the server may be slow, or another by now. */
const nextTryMs = 1500
/** A machine that does not answer for so long is gone, and the others have declared us dead. */
const tryMs = newLifeMs
/** A server that lives answers `select 1` within milliseconds. */
const answerMs = 1500

interface Session extends PresenceOptions {
  processId: string
  jobPoolId: string | null
  /** Drawn once; undefined until the first connection. */
  lockKey: number | undefined
  isLeaving: boolean
  holding: AbortController
  /** When its connection came back after it was lost; undefined: it never was. */
  backAt: number | undefined
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
    backAt: undefined,
  }
  const { processId } = session
  const kept = keepConnection(session, (await join(session, newClient(session))).connection)
  return {
    processId,
    held: () => session.holding.signal,
    async setJobPool(id) {
      session.jobPoolId = id
      await kept.sql()`update processes set job_pool_id = ${id} where id = ${processId}`
    },
    doubt: () => kept.doubt(),
    async sweep(reap) {
      if (isJustBack(session)) await doubtOthers(kept.sql(), processId)
      return sweep(kept.sql(), processId, reap)
    },
    othersLive: () => othersLive(kept.sql(), processId),
    abandon() {
      session.isLeaving = true
      cut(kept.client())
    },
    async leave() {
      await kept.sql()`delete from processes where id = ${processId}`
      session.isLeaving = true
      await kept.client().end()
    },
  }
}

/** What is wrong with a connection: it ended, or it does not answer although nobody closed it. */
type Trouble = 'lost' | 'silent'

/** Takes the lock on another connection whenever the one that has it is in trouble. */
function keepConnection(session: Session, first: Connection) {
  let present = first
  let trouble: Trouble | undefined
  let isReturning = false
  let doubting: Promise<void> | undefined

  function use(connection: Connection): void {
    const { client } = connection
    present = connection
    trouble = undefined
    client.on('end', () => {
      if (present.client !== client) return
      trouble = 'lost'
      void comeBack()
    })
  }

  async function comeBack(): Promise<void> {
    if (isReturning) return
    isReturning = true
    while (trouble && !session.isLeaving) {
      const back = await rejoin(session, () => trouble)
      if (!back) continue
      const before = present.client
      use(back)
      // its end is no news: another connection has the lock
      cut(before)
    }
    isReturning = false
  }

  async function ask(): Promise<void> {
    const { client, sql } = present
    let isAnswered = false
    async function answer(): Promise<void> {
      await sql`select 1`.catch(() => undefined) // it broke, and its end is acted on
      isAnswered = true
      if (trouble === 'silent' && present.client === client) trouble = undefined
    }
    const answered = answer()
    const late = Promise.withResolvers<void>()
    const stopWaiting = awakeTimer(late.resolve, answerMs)
    await Promise.race([answered, late.promise])
    stopWaiting()
    if (isAnswered || trouble || present.client !== client) return
    trouble = 'silent'
    await comeBack()
  }

  use(first)
  return {
    client: () => present.client,
    sql: () => present.sql,
    doubt(): void {
      doubting ??= ask().finally(() => (doubting = undefined))
    },
  }
}

const ofLife = {
  column: part`, server_life`,
  value: part`, ${serverLife}`,
  change: part`, server_life = excluded.server_life, reaped_at = null`,
}
const noLife = { column: empty, value: empty, change: empty }

interface Joined {
  connection: Connection
  /** Our row was not there, at the first time or because somebody declared us dead. */
  isNew: boolean
}

function newClient(session: Session): Client {
  const { log, role } = session
  const client = new SessionClient(
    {
      ...connectionSettings(session.address()),
      application_name: `runyard presence ${role}`,
      connectionTimeoutMillis: session.lockKey === undefined ? firstConnectMs : tryMs,
    },
    // who comes back changes a row that every standby has: if the change is lost with its server, the others wait for us once more
    session.isCommand || session.lockKey !== undefined ? { synchronous_commit: 'local' } : {},
  )
  // the error is also the end of the connection, on which its owner acts
  client.on('error', (error) => log.warn({ err: error }, 'the presence connection was lost'))
  return client
}

async function join(session: Session, client: Client): Promise<Joined> {
  const { role, processId } = session
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
    return { connection: { client, sql }, isNew: row.is_new }
  } catch (error) {
    cut(client)
    throw error
  }
}

const isJustBack = ({ backAt }: Session): boolean => backAt !== undefined && performance.now() - backAt < newLifeMs

/**
 * What ended our connection may have ended those of others too: a server whose one session crashed ends all of them, in the same life, and so
 * does a proxy that restarts. So whoever has just come back and finds that others do not hold their locks gives them as much time as in a new
 * life. Each look asks for some time: a server ends its sessions one after another, and ours may be back before the last one is gone.
 */
async function doubtOthers(sql: Sql, processId: string): Promise<void> {
  await sql`
    update processes set server_life = 'in doubt' where id in (
      select id from processes p where id <> ${processId} and ${isHere} and not ${holdsItsLock} order by id for update)`
}

/** Tries until the lock is held again; undefined when that is no longer needed. */
async function rejoin(session: Session, trouble: () => Trouble | undefined): Promise<Connection | undefined> {
  const { log } = session
  const begunAt = performance.now()
  const tries = new Set<Client>()
  const won = Promise.withResolvers<void>()
  const first: { joined?: Joined } = {}
  async function tryOnce(): Promise<void> {
    const client = newClient(session)
    const late = setTimeout(() => cut(client), tryMs)
    tries.add(client)
    try {
      const joined = await join(session, client)
      if (first.joined) return cut(client)
      first.joined = joined
      won.resolve()
    } catch (error) {
      log.debug({ err: error }, 'the presence lock is not back yet')
    } finally {
      clearTimeout(late)
      tries.delete(client)
    }
  }
  let isReported = false
  let late = 0
  while (!first.joined && trouble() && !session.isLeaving) {
    await Promise.race([tryOnce(), won.promise, sleep(nextTryMs, undefined, { ref: false })])
    if (first.joined || !trouble() || session.isLeaving) break
    // while the connection is only silent, its server may still have our lock
    if (!isReported && trouble() === 'lost' && performance.now() - begunAt > graceMs) {
      isReported = true
      log.error('this process could not prove that it lives; it stops what it was doing')
      session.holding.abort(new Error('this process lost its presence lock'))
    }
    const pauseMs = performance.now() - begunAt < graceMs ? pauses.firstMs : pauseAfter(++late, pauses)
    await Promise.race([won.promise, sleep(pauseMs)])
  }
  for (const client of tries) cut(client)
  if (!first.joined) return undefined
  const { connection, isNew } = first.joined
  // others have taken our work already: what is under way must stop
  if (isNew) session.holding.abort(new Error('this process was declared dead'))
  if (session.holding.signal.aborted) session.holding = new AbortController()
  session.backAt = performance.now()
  log.info('the presence lock is held again')
  return connection
}

/** SQL condition on a process: it held its lock in this life of the server. An older version of Runyard writes only the start of the server. */
const isHere = part`coalesce(server_life = ${serverLife}, server_started_at is not distinct from pg_postmaster_start_time())`

/** Other processes, and whether each was missed for its whole grace. What was missed in an earlier life of the server says nothing about this one. */
const judged = (which: Part): Part => part`
  select *, coalesce(missed_since < clock_timestamp() - make_interval(secs => grace_s), false) as is_due from (
    select id, role, lock_key, job_pool_id, case when missed_life = ${serverLife} then missed_since end as missed_since,
      case when role = 'api' then ${servingMs / 1000}::float8 when ${isHere} then ${hereMs / 1000}::float8
        else ${newLifeMs / 1000}::float8 end as grace_s
    from processes where ${which}
  ) others`

type Found = Omit<DeadProcess, 'is_news'>

/**
 * A process whose lock is free is missed, from then on by the clock of the database. It is dead when it was missed for its whole grace and its
 * lock is still free.
 */
async function sweep(sql: Sql, processId: string, reap: (dead: DeadProcess) => Promise<void>): Promise<boolean> {
  const others = await sql<Found & { is_missed: boolean; is_due: boolean }>`
    with judged as materialized (${judged(part`id <> ${processId}`)})
    select id, role, lock_key, job_pool_id, is_due,
      -- this one ends with the statement
      case when missed_since is null then pg_try_advisory_xact_lock(${presenceLockClass}, lock_key) else false end as is_missed
    from judged`
  const missed = others.filter(({ is_missed }) => is_missed).map(({ id }) => id)
  if (missed.length > 0) await mark(sql, { missed })
  for (const other of others.filter(({ is_due }) => is_due)) await bury(sql, other, reap)
  return others.length > 0
}

/**
 * Reaps a process that is due, unless somebody else is at it or it lives. One at a time: the dead of a bad moment are shared by all sweepers,
 * and when a sweeper dies too, only one of them has to wait for the next.
 */
async function bury(sql: Sql, other: Found, reap: (dead: DeadProcess) => Promise<void>): Promise<void> {
  const { id, lock_key } = other
  const { is_mine } = await one(
    sql<{ is_mine: boolean }>`select pg_try_advisory_lock(${reapLockClass}, ${lock_key}) as is_mine`,
  )
  if (!is_mine) return
  try {
    const { is_dead } = await one(
      sql<{ is_dead: boolean }>`select pg_try_advisory_lock(${presenceLockClass}, ${lock_key}) as is_dead`,
    )
    // it came back in the same moment in which it was missed
    if (!is_dead) return await mark(sql, { found: [id] })
    try {
      // another sweeper may have reaped it since we looked
      const due = await sql`select from (${judged(part`id = ${id}`)}) now where is_due`
      if (due.length === 0) return
      // a reaping that fails, or whose process dies, is begun again
      const { is_news } = await one(sql<{ is_news: boolean }>`
        update processes p set reaped_at = coalesce(was.reaped_at, now()) from processes was
        where p.id = ${id} and was.id = p.id returning was.reaped_at is null as is_news`)
      await reap({ ...other, is_news })
      await sql`delete from processes where id = ${id}`
    } finally {
      await sql`select pg_advisory_unlock(${presenceLockClass}, ${lock_key})`
    }
  } finally {
    await sql`select pg_advisory_unlock(${reapLockClass}, ${lock_key})`
  }
}

/** Several sweepers mark the same rows, in one order. */
async function mark(sql: Sql, { missed = [], found = [] }: { missed?: string[]; found?: string[] }): Promise<void> {
  await sql`
    update processes set missed_since = case when id = any(${missed}::uuid[]) then clock_timestamp() end, missed_life = ${serverLife}
    where id in (
      select id from processes
      where id = any(${found}::uuid[])
        or id = any(${missed}::uuid[]) and (missed_since is null or missed_life is distinct from ${serverLife})
      order by id for update)`
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
