// Brings a database to the schema of this code: numbered plain SQL files, one transaction each, under one advisory lock.
import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { runMigrations } from 'graphile-worker'
import { Pool, type Client, type ClientConfig } from 'pg'
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

/** The database is not for this code: told to the operator in one sentence, never repaired by guessing. */
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
    await client.query('select pg_advisory_lock($1)', [migrationLock])
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

export async function requireVersion(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: string; is_standby: boolean; is_read_only: boolean }>(
    `select current_setting('server_version_num') as number, pg_is_in_recovery() as is_standby,
       current_setting('transaction_read_only') = 'on' as is_read_only`,
  )
  const { is_standby, is_read_only } = rows[0]!
  if (is_standby)
    throw new MigrationRefused('This PostgreSQL is a standby, which only reads. Give the address of the primary.')
  if (is_read_only)
    throw new MigrationRefused(
      'This database is read-only (default_transaction_read_only). Allow writes, then start again.',
    )
  const major = Math.floor(Number(rows[0]?.number) / 10_000)
  if (major < 15) throw new MigrationRefused(`PostgreSQL ${major} is too old: Runyard needs version 15 or newer.`)
}

/** What a database, or a backup of one, says of itself: the migrations that ran on it, in order. */
export type MigrationHistory = Pick<Migration, 'number' | 'name' | 'sha256'>[]

/** How many of this code's migrations have run on it. Refuses what a newer or a changed Runyard has made. */
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

/** Runs one migration and records it, inside the caller's transaction. */
export async function applyMigration(client: Client, { number, name, text, sha256 }: Migration): Promise<void> {
  try {
    await client.query(text)
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
  const missing = migrations.slice(checkHistory(await readHistory(client), migrations, 'database'))
  for (const migration of missing) {
    await client.query('begin')
    try {
      await applyMigration(client, migration)
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw error
    }
    log.info({ migration: migration.name }, 'migration applied')
  }
  return missing.map(({ name }) => name)
}

/** graphile-worker keeps its own schema and its own migrations; they run under our lock too. */
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
