// Notices within about a second that PostgreSQL no longer answers or writes, and fails every waiting request at once.
import { randomBytes } from 'node:crypto'
import { DatabaseError, type Client } from 'pg'
import { awakeTimer } from './awakeTimer.ts'
import { DatabaseAway } from './databaseAway.ts'
import { firstRow } from './rows.ts'
import type { Log } from './log.ts'
import { cut } from './session.ts'

export interface DatabaseWatch {
  isPresent(): boolean
  /** Sentences that say why this process cannot use the database; empty when all is well. */
  problems(): string[]
  /** What the last answers say about the server; nothing before the first one, and while the database is away. */
  server(): ServerSeen
  /** Runs the work unless the database is away; what is under way when it goes away fails instead of hanging. */
  whilePresent<T>(work: () => Promise<T>): Promise<T>
  /** From before it connects until it ends, this client is cut when the database goes away. Throws when the database is away already. */
  include(client: Client): void
  /** Reports that a statement failed with this error. If it says that the server cannot write, we are not ready until a write succeeds. */
  noteFailure(error: unknown): void
  close(): Promise<void>
}

interface ServerSeen {
  /** The zone that the server says it is in: `runyard.zone` in its postgresql.conf. */
  zone: string | null
  /** From a question to its answer, the fastest of the last ones: how far away the server is, whatever else the machines do. */
  roundTripMs: number | null
}

interface WatchOptions {
  log: Log
  connect: () => Client
  /** Called when the database goes away. */
  onAway?: () => void
  /** Called after each ping that failed: another host may be the primary. */
  onMissed?: () => void
  /** How long an answer to a ping may take. */
  pingTimeoutMs?: number
  pingEveryMs?: number
}

const usualPingEveryMs = 500
/** Everybody waits for the answer. */
const awayPingEveryMs = 200
/** Long enough for a machine that is busy with everything else, short enough to answer within 2 s of the last good ping. */
const usualPingTimeoutMs = 1250
/** A tiny commit this often proves that commits succeed; while they fail, every ping tries one. */
const writeEveryMs = 5000
/** A synchronous standby that lives confirms a commit within milliseconds. */
const confirmedWithinMs = 1500

/** With half a second between two answers these are ten seconds: one of them met neither a busy machine nor a collection of garbage. */
const timedAnswers = 20

/** SQLSTATEs which say that the server cannot write, whatever the statement is. */
const writeProblems: Record<string, string> = {
  '25006': 'the database is read-only',
  '53100': 'the database cannot write, because its disk is full',
  '58030': 'the database cannot write, because its disk fails',
}

/** Why the server cannot write now, for any client; undefined when this error does not say so. */
export function writeProblemOf(error: unknown): string | undefined {
  return error instanceof DatabaseError && error.code !== undefined ? writeProblems[error.code] : undefined
}

/**
 * A connection that breaks is noticed by its own error. What is not noticed is a server that hangs (stopped, or its machine
 * gone): its sockets stay open, queries wait, and new connections are accepted by the kernel but never answered. So the watch asks on
 * a connection of its own, and when no answer comes it cuts the sockets of all clients, connected or not yet, which makes their
 * queries fail. A standby counts as away: nothing that we do works there, and a
 * connection to it must not stay open after the primary is back under the same name.
 */
export function watchDatabase(options: WatchOptions): DatabaseWatch {
  const watch: Watch = {
    ...options,
    clients: new Set(),
    awayBecause: undefined,
    writeProblem: undefined,
    unconfirmed: undefined,
    writtenAt: performance.now(),
    zone: null,
    roundTripsMs: [],
    isClosed: false,
    probe: undefined,
    timer: undefined,
    pinging: Promise.resolve(),
  }
  pingLater(watch)
  return {
    isPresent: () => watch.awayBecause === undefined,
    problems: () =>
      [watch.awayBecause ?? watch.writeProblem ?? (watch.unconfirmed?.isTold ? unconfirmedProblem : undefined)].filter(
        (problem) => problem !== undefined,
      ),
    server: () => ({
      zone: watch.zone,
      roundTripMs: watch.roundTripsMs.length === 0 ? null : Math.min(...watch.roundTripsMs),
    }),
    whilePresent: (work) =>
      watch.awayBecause === undefined ? work() : Promise.reject(new DatabaseAway(watch.awayBecause)),
    include(client) {
      if (watch.awayBecause !== undefined) throw new DatabaseAway(watch.awayBecause)
      watch.clients.add(client)
      client.once('end', () => watch.clients.delete(client))
    },
    noteFailure(error) {
      const problem = writeProblemOf(error)
      if (problem !== undefined) turnWriting(watch, problem)
    },
    async close() {
      watch.isClosed = true
      clearTimeout(watch.timer)
      await watch.pinging
      await watch.probe?.end()
    },
  }
}

interface Watch extends WatchOptions {
  clients: Set<Client>
  awayBecause: string | undefined
  writeProblem: string | undefined
  /** Our commit that has waited for a synchronous standby for the longest time: which, since when we see it, and whether the log has it. */
  unconfirmed: { commit: string; since: number; isTold: boolean } | undefined
  writtenAt: number
  zone: string | null
  /** The newest last. */
  roundTripsMs: number[]
  isClosed: boolean
  /** The watch's own connection. */
  probe: Client | undefined
  timer: NodeJS.Timeout | undefined
  pinging: Promise<void>
}

function pingLater(watch: Watch): void {
  watch.timer = setTimeout(
    () => {
      watch.pinging = pingInTime(watch)
    },
    watch.awayBecause === undefined ? (watch.pingEveryMs ?? usualPingEveryMs) : awayPingEveryMs,
  )
  watch.timer.unref()
}

async function pingInTime(watch: Watch): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const stopWaiting = awakeTimer(() => reject(new DatabaseAway()), watch.pingTimeoutMs ?? usualPingTimeoutMs)
  try {
    await Promise.race([ping(watch), late])
    turn(watch, undefined)
  } catch (error) {
    if (watch.probe) cut(watch.probe)
    watch.probe = undefined
    const reason = error instanceof DatabaseAway ? error.message : 'the database does not answer'
    if (!watch.isClosed) {
      turn(watch, reason, error)
      watch.onMissed?.()
    }
  } finally {
    stopWaiting()
  }
  if (!watch.isClosed) pingLater(watch)
}

interface Answer {
  is_standby: boolean
  is_read_only: boolean
  zone: string | null
  unconfirmed: string | null
}

/** Each server of a cluster has its own; whichever answers, directly or behind a proxy, says where it is. As long as our own may be. */
const zoneOfServer = `left(nullif(current_setting('runyard.zone', true), ''), 63)`

async function ping(watch: Watch): Promise<void> {
  const probe = watch.probe ?? (await openProbe(watch))
  const askedAt = performance.now()
  const { rows } = await probe.query<Answer>(
    `select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only,
       ${zoneOfServer} as zone, ${oldestUnconfirmed} as unconfirmed`,
  )
  const tookMs = performance.now() - askedAt
  const { is_standby, is_read_only, zone, unconfirmed } = firstRow(rows)
  if (is_standby) throw new DatabaseAway('the database is a standby, which only reads')
  watch.zone = zone
  watch.roundTripsMs = [...watch.roundTripsMs.slice(1 - timedAnswers), tookMs]
  noteUnconfirmed(watch, unconfirmed)
  if (is_read_only) return turnWriting(watch, writeProblems['25006'])
  if (watch.writeProblem !== undefined || performance.now() - watch.writtenAt > writeEveryMs) await write(watch, probe)
}

/**
 * The oldest commit of our role that waits for a synchronous standby: its session and when it was sent. PostgreSQL lets a commit wait for ever
 * when its standby is away, without an error. A server without synchronous standbys is not asked for its sessions.
 */
const oldestUnconfirmed = `case when current_setting('synchronous_standby_names') <> '' then (
  select pid || ' ' || query_start from pg_stat_activity
  where wait_event = 'SyncRep' and usename = current_user order by query_start limit 1) end`

const unconfirmedProblem = 'commits wait for a synchronous standby that does not answer'

/** One commit may be slow. The same one, seen again and again, waits for a standby that is not there. */
function noteUnconfirmed(watch: Watch, commit: string | null): void {
  const before = watch.unconfirmed
  if (commit === null || commit !== before?.commit) {
    watch.unconfirmed = commit === null ? undefined : { commit, since: performance.now(), isTold: false }
    if (before?.isTold) watch.log.info('the commits that waited for a synchronous standby are confirmed')
    return
  }
  if (before.isTold || performance.now() - before.since < confirmedWithinMs) return
  before.isTold = true
  watch.log.error(
    `${unconfirmedProblem}; what waits is acknowledged when the standby is back, or when synchronous_standby_names no longer names it`,
  )
}

async function openProbe(watch: Watch): Promise<Client> {
  const fresh = watch.connect()
  // we register it at once, so that it is cut when it does not get through
  watch.probe = fresh
  fresh.on('error', (error) => watch.log.debug({ err: error }, 'the watch lost its connection'))
  fresh.on('end', () => {
    // an idle connection that somebody closed says nothing about the server: the next ping opens another
    if (watch.probe === fresh) watch.probe = undefined
  })
  await fresh.connect()
  return fresh
}

/**
 * In quiet times this commits without a row: a record in the write-ahead log, flushed. After a failure it fills a table and rolls it
 * back, since a full disk lets a commit through as long as no file has to grow.
 */
async function write(watch: Watch, probe: Client): Promise<void> {
  try {
    if (watch.writeProblem === undefined) {
      // it proves that this server writes. It does not wait for standbys: a ping that hung would look like a server that is away
      await probe.query(
        `select set_config('synchronous_commit', 'local', true), pg_logical_emit_message(true, 'runyard', 'writes')`,
      )
      // a statement failed meanwhile, and knows more
      if (watch.writeProblem !== undefined) return
    } else {
      const name = `runyard_write_probe_${randomBytes(4).toString('hex')}`
      await probe.query(
        `begin; create table ${name} as select repeat(md5(n::text), 200) as filler from generate_series(1, 20) n; rollback`,
      )
    }
    watch.writtenAt = performance.now()
    turnWriting(watch, undefined)
  } catch (error) {
    await probe.query('rollback')
    turnWriting(watch, writeProblemOf(error) ?? `the database refuses to write: ${(error as Error).message}`)
  }
}

function turnWriting(watch: Watch, problem: string | undefined): void {
  if (problem === watch.writeProblem) return
  watch.writeProblem = problem
  if (problem === undefined) watch.log.info('the database writes again')
  else watch.log.error(`${problem}; the process is not ready until it writes`)
}

function turn(watch: Watch, reason: string | undefined, error?: unknown): void {
  const wasPresent = watch.awayBecause === undefined
  watch.awayBecause = reason
  if (wasPresent === (reason === undefined)) return
  if (reason === undefined) return watch.log.info('the database answers again')
  // the server that answers next may be another one
  watch.zone = null
  watch.roundTripsMs = []
  watch.log.error({ err: error }, `${reason}; requests fail until it is back`)
  for (const client of watch.clients) cut(client)
  watch.onAway?.()
}
