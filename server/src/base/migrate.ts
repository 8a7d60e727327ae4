// Brings a database to the schema of this code: numbered plain SQL files under one advisory lock, one transaction each or none.
import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { runMigrations } from 'graphile-worker'
import { Pool, type Client, type ClientConfig } from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'
import { firstRow } from './rows.ts'
import { sqlState } from './db.ts'
import { connectOrTell } from './databaseRefused.ts'
import { migrationLock } from './locks.ts'
import { createLog, type Log } from './log.ts'
import { connectionSettings, SessionClient, type Address } from './session.ts'

const folder = new URL('../../migrations/', import.meta.url)

export interface Migration {
  number: number
  name: string
  text: string
  sha256: string
}

/** The database does not fit this code. The operator gets one sentence; nothing is repaired by guessing. */
export class MigrationRefused extends Error {}

export async function readMigrations(from: URL = folder): Promise<Migration[]> {
  const files = (await readdir(from)).filter((file) => file.endsWith('.sql')).sort()
  const migrations = await Promise.all(
    files.map(async (file): Promise<Migration> => {
      const text = await readFile(new URL(file, from), 'utf8')
      return { number: Number.parseInt(file, 10), name: file.slice(0, -4), text, sha256: hash('sha256', text) }
    }),
  )
  migrations.forEach(({ number, name }, index) => {
    if (number !== index + 1) throw new Error(`migration ${name} should have number ${index + 1}`)
  })
  return migrations
}

interface MigrateOptions {
  address: string | Address
  log?: Log
  migrations?: Migration[]
  /** Runs under the same lock after the schema is there: what must happen once for all processes (keys, first team). */
  afterwards?: (client: Client) => Promise<void>
}

/** Any number of processes may call this at once: one works, the others wait and find it done. */
export async function migrate(options: MigrateOptions): Promise<{ applied: string[] }> {
  const log = options.log ?? createLog('warn')
  const migrations = options.migrations ?? (await readMigrations())
  const client = await connectOrTell(options.address, 'runyard migrate')
  // the statement that needed the connection reports its loss
  client.on('error', () => undefined)
  try {
    await requireVersion(client)
    await lockMigrations(client)
    const applied = await applyMissing(client, migrations, log)
    await migrateJobEngine(options.address)
    if (applied.length > 0) await client.query('analyze')
    await options.afterwards?.(client)
    return { applied }
  } finally {
    // ending the session also gives the lock back
    await client.end()
  }
}

const lockEveryMs = 50

/**
 * Waits for the lock by asking again and again. A session that waits inside a statement would have a snapshot, and an index that is built
 * concurrently under that lock waits for all older snapshots: both would wait for each other.
 */
export async function lockMigrations(client: Client, mode: '' | '_shared' = ''): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ held: boolean }>(`select pg_try_advisory_lock${mode}($1) as held`, [
      migrationLock,
    ])
    if (firstRow(rows).held) return
    await sleep(lockEveryMs)
  }
}

export async function requireVersion(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: string; is_standby: boolean; is_read_only: boolean }>(
    `select current_setting('server_version_num') as number, pg_is_in_recovery() as is_standby,
       current_setting('transaction_read_only') = 'on' as is_read_only`,
  )
  const { is_standby, is_read_only } = firstRow(rows)
  if (is_standby)
    throw new MigrationRefused('This PostgreSQL is a standby, which only reads. Give the URL of the primary.')
  if (is_read_only)
    throw new MigrationRefused(
      'This database is read-only (default_transaction_read_only). Allow writes, then start again.',
    )
  const major = Math.floor(Number(rows[0]?.number) / 10_000)
  if (major < 15) throw new MigrationRefused(`PostgreSQL ${major} is too old: Runyard needs version 15 or newer.`)
}

/** What a database, or a backup of one, records: the migrations that ran on it, in order. */
export type MigrationHistory = Pick<Migration, 'number' | 'name' | 'sha256'>[]

/** How many of this code's migrations have run on it. Refuses a database that a newer or a changed Runyard has migrated. */
export function checkHistory(done: MigrationHistory, migrations: Migration[], whose: 'database' | 'backup'): number {
  const newest = done.at(-1)
  if (newest && newest.number > migrations.length) {
    throw new MigrationRefused(
      `This ${whose} was made by a newer Runyard (migration ${newest.name}); this one knows ${migrations.length} migrations. ` +
        (whose === 'database'
          ? 'Start the newer version, or restore a backup made by this one.'
          : 'Restore it with the newer version.'),
    )
  }
  for (const { number, name, sha256 } of done) {
    if (migrations[number - 1]?.sha256 === sha256) continue
    throw new MigrationRefused(
      whose === 'database'
        ? `Migration ${name} was changed after it ran on this database. Restore the file; put changes into a new migration.`
        : `Migration ${name} of this backup is not the one this Runyard has. Restore it with the version that made it.`,
    )
  }
  return done.length
}

export async function readHistory(client: Client): Promise<MigrationHistory> {
  const { rows } = await client.query<MigrationHistory[number]>(
    'select number, name, sha256 from schema_migrations order by number',
  )
  return rows
}

export async function ensureHistoryTable(client: Client): Promise<void> {
  await client.query(
    `create table if not exists schema_migrations
       (number int primary key, name text not null, sha256 text not null, applied_at timestamptz(3) not null default now())`,
  )
}

/** The first line of a migration says that it has no transaction of its own. */
const isOutside = ({ text }: Migration): boolean => /^-- owner: [\w/]+\. Outside transactions: /.test(text)

/** Such a migration as one that runs inside a transaction, where nobody else uses the tables: a restore is all or nothing. */
const insideText = ({ text }: Migration): string =>
  statementsOf(text)
    .map((statement) => statement.replaceAll(/\bindex concurrently\b/g, 'index').replaceAll(/^\s*commit;$/gm, ''))
    .join(';\n')

/** The statements of a migration outside transactions are separated by empty lines. */
const statementsOf = (text: string): string[] => text.split(/\n\s*\n/)

/** Runs one migration and records it, inside the caller's transaction. */
export const applyMigration = (client: Client, migration: Migration): Promise<void> =>
  recorded(client, migration, async () => {
    await client.query(isOutside(migration) ? insideText(migration) : migration.text)
  })

/** Runs the statements of one migration, each by itself, and records it after the last one. */
const applyOutside = (client: Client, migration: Migration): Promise<void> =>
  recorded(client, migration, async () => {
    for (const statement of statementsOf(migration.text)) await runRepeatable(client, statement)
  })

const triesMax = 5

/** Every statement of such a migration can be repeated. It is, when PostgreSQL ends it for a deadlock with somebody's work. */
async function runRepeatable(client: Client, statement: string): Promise<void> {
  const index = /create (?:unique )?index concurrently if not exists (\w+)/.exec(statement)?.[1]
  for (let tries = 1; ; tries++) {
    if (index !== undefined) await dropUnfinished(client, index)
    try {
      await client.query(statement)
      return
    } catch (error) {
      if (sqlState(error) !== '40P01' || tries === triesMax) throw error
    }
  }
}

/** Drops an index whose build was cut off: it costs every write, and no query uses it. */
async function dropUnfinished(client: Client, name: string): Promise<void> {
  const { rows } = await client.query(
    'select from pg_index where indexrelid = to_regclass(quote_ident($1)) and not indisvalid',
    [name],
  )
  if (rows.length > 0) await client.query(`drop index concurrently ${name}`)
}

async function recorded(
  client: Client,
  { number, name, sha256 }: Migration,
  apply: () => Promise<void>,
): Promise<void> {
  try {
    await apply()
    await client.query('insert into schema_migrations (number, name, sha256) values ($1, $2, $3)', [
      number,
      name,
      sha256,
    ])
  } catch (error) {
    throw new Error(`migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

async function applyMissing(client: Client, migrations: Migration[], log: Log): Promise<string[]> {
  await ensureHistoryTable(client)
  const known = checkHistory(await readHistory(client), migrations, 'database')
  const missing = migrations.slice(known)
  for (const migration of missing) {
    if (isOutside(migration)) await applyOutside(client, migration)
    else await inTransaction(client, () => applyMigration(client, migration))
    // a new database gets all of them, which is one thing for whoever reads the log
    if (known > 0) log.info({ migration: migration.name }, 'migration applied')
  }
  if (known === 0 && missing.length > 0) log.info({ migrations: missing.length }, 'made the tables')
  return missing.map(({ name }) => name)
}

async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** graphile-worker has its own schema and its own migrations; they run under our lock too. */
export async function migrateJobEngine(address: string | Address): Promise<void> {
  class MigratingClient extends SessionClient {
    constructor(config?: ClientConfig) {
      super({ ...config, ...connectionSettings(address) })
    }
  }
  const pool = new Pool({ Client: MigratingClient, max: 1, application_name: 'runyard migrate jobs' })
  // the statement that needed the connection reports its loss
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  try {
    await runMigrations({ pgPool: pool })
  } finally {
    await pool.end()
  }
}
