// Access to PostgreSQL: a pool, the `sql` tag with named prepared statements, and transactions.
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, Pool, types as builtInTypes } from 'pg'
import type { ClientBase, ClientConfig, CustomTypesConfig, QueryResultRow } from 'pg'
import { DatabaseAway } from './databaseAway.ts'
import { watchDatabase, writeProblemOf, type DatabaseWatch } from './databaseWatch.ts'
import type { Log } from './log.ts'
import { connectionSettings, PooledClient, SessionClient, type DatabaseAddress } from './session.ts'
import { flatten } from './sql.ts'
import { giveWarmFirst } from './warmFirst.ts'

export { firstRow, one } from './rows.ts'
export { connectionSettings, type Address, type DatabaseAddress } from './session.ts'
export { announcing, empty, joined, literals, part, word, wordList, type Part } from './sql.ts'

/** Runs one statement and gives its rows. Values become parameters, parts become text. */
export type Sql = <Row extends object = Record<string, unknown>>(
  strings: TemplateStringsArray,
  ...values: unknown[]
) => Promise<Row[]>

interface DatabaseOptions {
  /** Asked again for each connection: an embedded server may have moved to another port, and another host may be the primary. */
  address: () => DatabaseAddress
  log: Log
  connectionsMax?: number
  /** How long a caller waits for a connection. */
  connectWithinMs?: number
  /** What a statement may wait for a lock before it gives up (55P03). */
  lockTimeoutMs?: number
  statementTimeoutMs?: number
  applicationName?: string
  /** Called when the server does not answer, so that a supervisor can restart it. */
  onAway?: () => void
  /** Called each time when the server did not answer the watch in time. */
  onMissed?: () => void
  /** How long the server may take to answer the watch before it counts as away; undefined: short enough for an answer to a request within 2 s. */
  pingTimeoutMs?: number
  /** How often the watch asks. */
  pingEveryMs?: number
  /** A transaction pooler in front of the database: all statements and the watch go through it. */
  pooler?: Pooler | undefined
}

export interface Pooler {
  address: () => DatabaseAddress
  /** Whether it keeps prepared statements by their names. */
  keepsNames: boolean
}

export interface Database {
  /** The current address of the database itself, for sessions. */
  address: () => DatabaseAddress
  pool: Pool
  /** The same for the job engine, whose connection that listens is a session of its own. */
  jobPool: Pool
  /** How many connections the pool may open. */
  connectionsMax: number
  sql: Sql
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  watch: DatabaseWatch
  /** Calls the listener after each commit here of a statement with `announcing` that wrote something. */
  onAnnounced(listener: () => void): void
  close(): Promise<void>
}

/** Counts and sizes stay far below 2^53, so int8 becomes a number; numeric stays text, for money is never a float. */
const types: CustomTypesConfig = {
  getTypeParser: ((type: Parameters<typeof builtInTypes.getTypeParser>[0], format?: 'text' | 'binary') =>
    type === builtInTypes.builtins.INT8
      ? Number
      : builtInTypes.getTypeParser(type, format)) as typeof builtInTypes.getTypeParser,
}

/** The settings of the sessions that requests and runs use. A pooler must give us such sessions. */
export const poolLimits = ({ statementTimeoutMs = 30_000, lockTimeoutMs = 2000 }: Partial<DatabaseOptions> = {}) => ({
  statement_timeout: String(statementTimeoutMs),
  lock_timeout: String(lockTimeoutMs),
  idle_in_transaction_session_timeout: '60000',
  // every statement here has an index, and its plan is cached: a plan made while a table was small would scan the table for a minute
  // after it has grown (docs/decisions/0021)
  enable_seqscan: 'off',
})

type ClientClass = new (config?: ClientConfig) => SessionClient

/** The clients of one database: they connect to where it is now. */
function clientsOf(options: DatabaseOptions): { StatementClient: ClientClass; DirectClient: ClientClass } {
  const { pooler } = options
  const settings = poolLimits(options)
  class DirectClient extends SessionClient {
    constructor(config?: ClientConfig) {
      // statements go out at once and are answered in their order: a transaction does not wait for the answer to its `begin`
      super({ ...config, ...connectionSettings(options.address()), pipeline: true }, settings)
    }
  }
  if (!pooler) return { StatementClient: DirectClient, DirectClient }
  const { address, keepsNames } = pooler
  class ThroughPoolerClient extends PooledClient {
    constructor(config?: ClientConfig) {
      super({ ...config, ...connectionSettings(address()) })
      if (!keepsNames) this.forgetNames()
    }
  }
  return { StatementClient: ThroughPoolerClient, DirectClient }
}

/** A pool of clients that are cut when the database goes away. */
function watchedPool(
  options: DatabaseOptions,
  OneClient: ClientClass,
  state: { name: string; max: number; watch: () => DatabaseWatch; isClosing: () => boolean },
): Pool {
  class WatchedClient extends OneClient {
    protected override beforeConnect(): void {
      state.watch().include(this)
    }
  }
  const pool = new Pool({
    Client: WatchedClient,
    max: state.max,
    // also the longest wait for a free connection under load; when the database is away, the watch reports it long before
    connectionTimeoutMillis: options.connectWithinMs ?? 10_000,
    // more than a minute: the housekeeping of each minute would otherwise open several connections again, at 15 ms of processor time each
    idleTimeoutMillis: 120_000,
    application_name: state.name,
    types,
  })
  giveWarmFirst(pool)
  pool.on('error', (error) => {
    if (!state.isClosing()) options.log.warn({ err: error }, 'a database connection was lost')
  })
  // a connection can also break while somebody holds it between two statements; its next statement then fails
  pool.on('connect', (client) => {
    client.on('error', (error) => {
      if (!state.isClosing()) options.log.debug({ err: error }, 'a database connection broke while in use')
    })
  })
  return pool
}

/** graphile-worker asks for the connection that listens, and for no other, with a callback. */
function listeningApart(pool: Pool, sessions: Pool): Pool {
  const connect = (callback?: Parameters<Pool['connect']>[0]) =>
    callback ? sessions.connect(callback) : pool.connect()
  return new Proxy(pool, {
    get(target, name) {
      if (name === 'connect') return connect
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Lets the primary be looked for among the hosts of the database, and among those of its pooler. */
function lookForPrimary({ address, pooler }: DatabaseOptions): void {
  for (const found of [address(), pooler?.address()]) {
    if (typeof found === 'object' && 'url' in found) found.refused()
  }
}

export function openDatabase(options: DatabaseOptions): Database {
  const { StatementClient, DirectClient } = clientsOf(options)
  const connectionsMax = options.connectionsMax ?? 20
  let closing = false
  const state = { watch: () => watch, isClosing: () => closing }
  const name = options.applicationName ?? 'runyard'
  const pool = watchedPool(options, StatementClient, { ...state, name, max: connectionsMax })
  const sessions =
    options.pooler && watchedPool(options, DirectClient, { ...state, name: `${name} job listener`, max: 1 })
  const watch = watchDatabase({
    log: options.log,
    // without a limit of its own: the watch alone decides what is too late, and it does not count the time in which this process was busy
    connect: () => new StatementClient({ connectionTimeoutMillis: 0, application_name: 'runyard watch' }),
    ...(options.onAway && { onAway: options.onAway }),
    onMissed() {
      options.onMissed?.()
      lookForPrimary(options)
    },
    ...(options.pingTimeoutMs !== undefined && { pingTimeoutMs: options.pingTimeoutMs }),
    ...(options.pingEveryMs !== undefined && { pingEveryMs: options.pingEveryMs }),
  })
  /** Every statement of ours shows whether the server still writes. */
  async function noting<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      watch.noteFailure(error)
      // a pooler accepts connections while its server is down, and then fails their statements
      if (isConnectionTrouble(error) && !(error instanceof DatabaseAway)) lookForPrimary(options)
      throw error
    }
  }
  const listeners = new Set<() => void>()
  const announce = (): void => {
    for (const listener of listeners) listener()
  }
  return {
    address: options.address,
    pool,
    jobPool: sessions ? listeningApart(pool, sessions) : pool,
    connectionsMax,
    watch,
    sql: (strings, ...values) => noting(() => watch.whilePresent(() => run(pool, strings, values, announce))),
    transaction: (work) => noting(() => watch.whilePresent(() => inTransaction(pool, work, announce))),
    onAnnounced: (listener) => void listeners.add(listener),
    async close() {
      closing = true
      await watch.close()
      await Promise.all([pool.end(), sessions?.end()])
    },
  }
}

interface UnderWay {
  /** What the transaction is to write before its next statement. */
  putOff: (() => Promise<void>) | undefined
  waitsForNoTeam: boolean
}

/** The transactions of this process that are under way, by their `sql`. */
const underWay = new WeakMap<Sql, UnderWay>()

/** Whether all statements of this `sql` are of one transaction, so that what it has locked stays locked until its last one. */
export const isOfTransaction = (sql: Sql): boolean => underWay.has(sql)

/** Others wait for this transaction: a row that one team may have locked for long is taken at once or not at all (55P03). */
export function waitForNoTeam(sql: Sql): void {
  const transaction = underWay.get(sql)
  if (transaction) transaction.waitsForNoTeam = true
}

export const waitsForNoTeam = (sql: Sql): boolean => underWay.get(sql)?.waitsForNoTeam ?? false

/**
 * Lets a transaction write something just before its next statement, or else before its commit, so that more can join it until then. Nobody
 * sees the difference: whatever the transaction asks next, this comes first. So `write` is one statement and waits for nothing before it. A
 * second write takes the place of the first. Outside of a transaction it is written at once.
 */
export async function writeBeforeNext(sql: Sql, write: () => Promise<void>): Promise<void> {
  const transaction = underWay.get(sql)
  if (transaction) transaction.putOff = write
  else await write()
}

async function writePutOff(transaction: UnderWay): Promise<void> {
  const { putOff } = transaction
  transaction.putOff = undefined
  await putOff?.()
}

async function inTransaction<T>(pool: Pool, work: (sql: Sql) => Promise<T>, announce: () => void): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  let isAnnounced = false
  const noteAnnounced = (): void => {
    isAnnounced = true
  }
  const transaction: UnderWay = { putOff: undefined, waitsForNoTeam: false }
  const sql: Sql = async <Row extends object>(strings: TemplateStringsArray, ...values: unknown[]) => {
    // both are sent at once; if what was put off fails, so does the statement behind it, and the first failure is told
    const [, rows] = await Promise.all([writePutOff(transaction), run<Row>(client, strings, values, noteAnnounced)])
    return rows
  }
  underWay.set(sql, transaction)
  try {
    // sent together with the first statement, which does not wait for its answer; if it fails, so does what follows
    const begun = client.query('begin')
    begun.catch(() => undefined)
    const result = await work(sql)
    await writePutOff(transaction)
    await begun
    const { command } = await client.query('commit')
    // PostgreSQL answers the commit of a failed transaction with a quiet rollback; a failure that was caught must not pass for success
    if (command !== 'COMMIT') throw new Error('the transaction had failed before its commit')
    if (isAnnounced) announce()
    return result
  } catch (error) {
    // a connection that cannot even roll back is not given to anyone else
    await client.query('rollback').catch((failed: Error) => (broken = failed))
    throw error
  } finally {
    client.release(broken)
  }
}

async function run<Row extends object>(
  client: Pool | ClientBase,
  strings: TemplateStringsArray,
  values: unknown[],
  announce?: () => void,
): Promise<Row[]> {
  const { statement, parameters } = flatten(strings, values)
  const { text, name, isAnnounced } = statement
  const query = name === undefined ? { text, values: parameters } : { text, name, values: parameters }
  const result = await client.query<Row & QueryResultRow>(query)
  if (isAnnounced && result.rowCount) announce?.()
  return result.rows
}

/** For scripts and tests that hold a client of their own. */
export function sqlOn(client: ClientBase | Pool): Sql {
  return (strings, ...values) => run(client, strings, values)
}

/** The SQLSTATE of an error that PostgreSQL itself raised. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined
}

/** Whether the server or the connection failed, not the statement: the same statement may succeed in a moment. */
export function isConnectionTrouble(error: unknown): boolean {
  if (error instanceof DatabaseAway || writeProblemOf(error) !== undefined) return true
  const state = sqlState(error)
  // classes 08 (connection), 53 (resources), 57 (operator intervention: restart, shutdown)
  if (state !== undefined) return /^(08|53|57P)/.test(state)
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  return (
    (typeof code === 'string' && /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENET)/.test(code)) ||
    /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/.test(
      error.message,
    )
  )
}

/**
 * Use this for writes that must happen however long the database is away. It tries again after errors that pass, and throws every other one. Unless
 * `mayPass` is given, only the absence of the database passes.
 */
export async function untilWritten<T>(
  write: () => Promise<T>,
  signal?: AbortSignal,
  mayPass: (error: unknown) => boolean = isConnectionTrouble,
): Promise<T> {
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 2000)) {
    try {
      return await write()
    } catch (error) {
      if (!mayPass(error)) throw error
      signal?.throwIfAborted()
      await sleep(waitMs, undefined, signal && { signal })
    }
  }
}

/** Whether the error may pass by itself: the server was unreachable, a deadlock, or a lock that was not available. */
export function isPassing(error: unknown): boolean {
  return isConnectionTrouble(error) || /^(40|55P03)/.test(sqlState(error) ?? '')
}

export const uniqueViolation = '23505'
export const lockNotAvailable = '55P03'
/** PostgreSQL canceled a statement that ran past its time limit. */
export const queryCanceled = '57014'

const deadlock = '40P01'
const serializationFailure = '40001'

/** PostgreSQL ends one of two transactions that wait for each other: that one changed nothing and simply runs again. */
export async function retryingDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const state = sqlState(error)
      if (attempt === 3 || (state !== deadlock && state !== serializationFailure)) throw error
    }
  }
}
