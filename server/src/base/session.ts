// A database session of this service: it sets what our statements rely on as soon as it is connected, whatever the server's own defaults are.
import type { EventEmitter } from 'node:events'
import { callbackify } from 'node:util'
import { Client, type ClientBase, type ClientConfig } from 'pg'
import { DatabaseAway } from './databaseAway.ts'

export interface Address {
  host: string
  port: number
  user: string
  password: string
  database: string
}

/** One of several hosts of a DATABASE_URL (databaseHosts.ts). */
export interface HostAddress {
  readonly url: string
  /** Tells that this host does not let us in, or does not write: another one may. */
  refused(): void
  /** Calls the listener when a host is found that was promoted in the place of this one. Returns the function that stops listening. */
  onPromoted(listener: () => void): () => void
}

/** The URL of an external server, one of its hosts, or the embedded server. */
export type DatabaseAddress = string | HostAddress | Address

interface SessionConfig extends ClientConfig {
  /** Set for one of several hosts: one that only reads is refused, and the owner of the list is told. */
  ofSeveral?: HostAddress
}

/** Separate connection fields are the embedded server's, which has no TLS. We say so explicitly, since PGSSLMODE could ask for it. */
export function connectionSettings(address: DatabaseAddress): SessionConfig {
  if (typeof address === 'string') return { connectionString: address }
  if ('url' in address) return { connectionString: address.url, ofSeveral: address }
  return { ...address, ssl: false }
}

/**
 * The embedded server has most of these on its command line. An external server has the defaults of its distribution, and its operator
 * may have changed them for the role or the database. docs/decisions/0028 lists the settings that are left to the operator.
 */
const statementSettings = {
  // compiling a plan costs more than our longest statement: Debian's default made startRun take 3.4 s instead of 7 to 26 ms
  jit: 'off',
  plan_cache_mode: 'auto',
  default_transaction_isolation: 'read committed',
  timezone: 'UTC',
  // the driver reads these formats
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  // a commit that is not durable would let a call be made twice after a crash
  synchronous_commit: 'on',
}

/** What a session of its own needs besides: one that listens or holds a lock is idle for hours and must stay. */
const ownSettings = {
  idle_session_timeout: '0',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  // a machine that is gone does not close its connection: the server notices within 5 s and frees its locks
  tcp_keepalives_idle: '2',
  tcp_keepalives_interval: '1',
  tcp_keepalives_count: '3',
}

/** The same from our side: after 5 s of silence Node asks once a second, ten times. Otherwise a connection that only listens would hear nothing for two hours. */
const keptAlive: ClientConfig = { keepAlive: true, keepAliveInitialDelayMillis: 5000 }

const fromVersion17 = { transaction_timeout: '0' }

/** Names and values are ours, never a user's. */
type SessionSettings = Record<string, string>

/** What a session must have that a pooler gives us: with these limits of ours, on a server of this version. */
export const pooledSettings = (limits: SessionSettings, serverVersion: number): SessionSettings => ({
  ...statementSettings,
  ...(serverVersion >= 17 && fromVersion17),
  ...limits,
})

/**
 * Sends all settings in one round trip. They follow the start-up message and are not inside it (`options`), because a session pooler
 * does not accept start-up options.
 */
function settingsStatement(more: SessionSettings, serverVersion: number): string {
  return Object.entries({ ...statementSettings, ...ownSettings, ...(serverVersion >= 17 && fromVersion17), ...more })
    .map(([name, value]) => `set ${name} = '${value}'`)
    .join(';')
}

const unheard = (): void => undefined

/**
 * A pg client that counts as connected only after its settings are made. With PooledClient below it is the one kind of client that this
 * service opens. These sessions cannot go through a transaction pooler, and use DATABASE_URL also where DATABASE_POOL_URL is set:
 * migrations (base/migrate.ts: a session lock), presence (kit/presence.ts: a session lock), our notifications (kit/listener.ts: LISTEN),
 * those of the job engine (openDatabase: LISTEN), and the commands of the machine (cli/joinDatabase.ts: backup, restore, key rotation).
 */
export class SessionClient extends Client {
  readonly #more: SessionSettings
  readonly #timeoutMs: number
  readonly #host: HostAddress | undefined
  /** What the server tells of itself while a session starts. */
  readonly #told = new Map<string, string>()

  constructor({ ofSeveral, ...config }: SessionConfig, more: SessionSettings = {}) {
    super({ ...keptAlive, ...config })
    // pg passes it on by this event of its connection
    const { connection } = this as unknown as { connection: EventEmitter }
    connection.on('parameterStatus', (told: { parameterName: string; parameterValue: string }) => {
      this.#told.set(told.parameterName, told.parameterValue)
    })
    this.#host = ofSeveral
    this.#more = more
    this.#timeoutMs = config.connectionTimeoutMillis ?? 10_000
  }

  override connect(): Promise<Client>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<Client> | void {
    if (!callback) return this.#connect()
    // the pool calls it in this way
    callbackify(() => this.#connect())(callback)
  }

  /** Called before the first packet is sent; an error that it throws is the answer of `connect`. */
  protected beforeConnect(): void {}

  async #connect(): Promise<Client> {
    this.beforeConnect()
    // what was promoted in its place has all that is true now, and this host may go on writing what is lost
    const stopListening = this.#host?.onPromoted(() => cut(this))
    if (stopListening) this.once('end', stopListening)
    // if a connection breaks before its owner has it, the calls here that fail report it
    this.on('error', unheard)
    try {
      await super.connect()
    } catch (error) {
      this.#host?.refused()
      throw error
    }
    // 0: without a limit, as in pg itself
    const late = this.#timeoutMs > 0 ? setTimeout(() => cut(this), this.#timeoutMs) : undefined
    try {
      if (this.#host) await this.#requireWrites()
      await this.prepare()
    } catch (error) {
      cut(this)
      this.#host?.refused()
      throw error
    } finally {
      clearTimeout(late)
    }
    this.off('error', unheard)
    return this
  }

  /** Called when the server has let us in. */
  protected async prepare(): Promise<void> {
    await this.query(settingsStatement(this.#more, Number.parseInt(this.#told.get('server_version') ?? '', 10)))
  }

  /**
   * A server that writes takes no round trip: it tells both before its session begins, from version 14 on. One that says that it only reads is
   * asked, since a pooler repeats what its server told it when that was still a standby.
   */
  async #requireWrites(): Promise<void> {
    if (![this.#told.get('in_hot_standby'), this.#told.get('default_transaction_read_only')].includes('on')) return
    const { rows } = await this.query<{ is_standby: boolean; is_read_only: boolean }>(
      `select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only`,
    )
    const [found] = rows
    if (!found?.is_read_only) return
    throw new DatabaseAway(
      found.is_standby ? 'the database is a standby, which only reads' : 'the database is read-only',
    )
  }
}

/**
 * A client of a transaction pooler. Each transaction may have another session of the server, so it sets nothing: pooler.ts checks at the
 * start that the sessions are as they must be.
 */
export class PooledClient extends SessionClient {
  protected override async prepare(): Promise<void> {}

  /** Lets every statement go without its name: a pooler may give the next one to a session that does not know it. */
  forgetNames(): void {
    const query = this.query.bind(this) as (...words: unknown[]) => unknown
    this.query = ((first: unknown, ...others: unknown[]) =>
      query(isNamed(first) ? { ...first, name: undefined } : first, ...others)) as typeof this.query
  }
}

/** A query object of its own (a stream) is left as it is. */
const isNamed = (query: unknown): query is object =>
  typeof query === 'object' && query !== null && 'name' in query && !('submit' in query)

/** pg cannot cancel a query that hangs; closing its socket is the only way to end it (pg 8: connection.stream). */
export function cut(client: ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
}
