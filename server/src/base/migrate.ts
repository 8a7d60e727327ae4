// Brings a database to the schema of this code: numbered plain SQL files under one advisory lock, one transaction each or none.
import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { runMigrations } from 'graphile-worker'
import { Pool, type Client, type ClientConfig } from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'
import { firstRow } from './rows.ts'
import { lockNotAvailable, sqlState } from './db.ts'
import { connectOrTell } from './databaseRefused.ts'
import { migrationLock } from './locks.ts'
import { createLog, type Log } from './log.ts'
import { codeSince, isSilentService, namesOf, readCodeSince, tooOld, type LivingCode } from './olderCode.ts'
import { connectionSettings, SessionClient, type DatabaseAddress } from './session.ts'

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

let counted: Promise<number> | undefined

/** How many this code knows. The files of a running process do not change. */
export const countMigrations = (): Promise<number> =>
  (counted ??= readdir(folder).then((files) => files.filter((file) => file.endsWith('.sql')).length))

interface MigrateOptions {
  address: DatabaseAddress
  log?: Log
  migrations?: Migration[]
  /** Who works on this database now. If one of them could not work on the new schema, nothing is changed. */
  living?: (client: Client) => Promise<LivingCode[]>
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
    const applied = await applyMissing(client, { ...options, migrations, log })
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

/**
 * How many migrations have run on it. Refuses a database that a changed Runyard has migrated, or a newer one, unless code that knows as much as
 * this one may run on it (`since`).
 */
export function checkHistory(
  done: MigrationHistory,
  migrations: Migration[],
  whose: 'database' | 'backup',
  since = Infinity,
): number {
  const newest = done.at(-1)
  if (newest && newest.number > migrations.length && since > migrations.length) {
    throw new MigrationRefused(
      `This ${whose} was made by a newer Runyard (migration ${newest.name}` +
        `${since < newest.number ? `, for code that knows at least ${since}` : ''}); this one knows ${migrations.length} migrations. ` +
        (whose === 'database'
          ? 'Start the newer version, or restore a backup made by this one.'
          : 'Restore it with the newer version.'),
    )
  }
  for (const { number, name, sha256 } of done.slice(0, migrations.length)) {
    const known = migrations[number - 1]
    if (known && (known.sha256 === sha256 || formerTexts(known).includes(sha256))) continue
    throw new MigrationRefused(
      whose === 'database'
        ? `Migration ${name} was changed after it ran on this database. Restore the file; put changes into a new migration.`
        : `Migration ${name} of this backup is not the one this Runyard has. Restore it with the version that made it.`,
    )
  }
  return done.length
}

/** The hashes of texts that it had before, which led to the same schema: it says so where its way there had to be repaired. */
const formerTexts = ({ text }: Migration): string[] =>
  [...text.matchAll(/^-- Same result as: ([0-9a-f]{64})$/gm)].map(([, sha256]) => sha256!)

export async function readHistory(client: Client): Promise<MigrationHistory> {
  const { rows } = await client.query<MigrationHistory[number]>(
    'select number, name, sha256 from schema_migrations order by number',
  )
  return rows
}

/** Columns that a table of an older release does not have. */
const addedColumns = { code_since: 'int', next_begun: 'text' }

export async function ensureHistoryTable(client: Client): Promise<void> {
  await client.query(
    `create table if not exists schema_migrations
       (number int primary key, name text not null, sha256 text not null, applied_at timestamptz(3) not null default now())`,
  )
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = 'schema_migrations'::regclass`,
  )
  // asked first: to add one locks the table, also where it is there, and a backup reads that table until it ends
  for (const [column, type] of Object.entries(addedColumns)) {
    if (rows.some(({ name }) => name === column)) continue
    await client.query(`alter table schema_migrations add column if not exists ${column} ${type}`)
  }
}

/** The migration outside transactions that was begun on this database and has not finished, if there is one. */
export async function readUnfinished(client: Client): Promise<string | undefined> {
  // through JSON: a database that only older code has migrated has no such column
  const { rows } = await client.query<{ name: string | null }>(
    `select to_jsonb(m) ->> 'next_begun' as name from schema_migrations m order by number desc limit 1`,
  )
  return rows[0]?.name ?? undefined
}

/** Written into the row before: it needs no end, since the row of the migration itself follows. Older code reads on as if it were not there. */
const noteBegun = (client: Client, { number, name }: Migration) =>
  client.query('update schema_migrations set next_begun = $2 where number = $1', [number - 1, name])

/** The first line of a migration says that it has no transaction of its own. */
export const isOutside = ({ text }: Migration): boolean => /^-- owner: [\w/]+\. Outside transactions: /.test(text)

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
    await noteBegun(client, migration)
    for (const statement of statementsOf(migration.text)) await runRepeatable(client, statement)
  })

/** PostgreSQL ends whoever looks first, after 1 s of waiting: a migration that waits for less is never met by the work of others that way. */
const lockMs = 400
/** Others have their turn before the next try. */
const giveWayMs = 100
/** Somebody's transaction may last longer than all of these tries: then the migration waits for its locks. */
const givesWayMax = 50

/**
 * A migration locks tables in an order of its own. Work that has locked one of them, and wants another, would wait for the migration and the
 * migration for it, until PostgreSQL ends one of the two: 0092 changes events and then runs, while a change of a run is written the other way
 * round. So a migration that does not get a lock soon gives back those that it has, and begins again.
 */
async function applyGivingWay(client: Client, migration: Migration): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await inTransaction(client, async () => {
        if (tries <= givesWayMax) await client.query(`set local lock_timeout = ${lockMs}`)
        await applyMigration(client, migration)
      })
    } catch (error) {
      const state = error instanceof Error ? sqlState(error.cause) : undefined
      if ((state !== lockNotAvailable && state !== '40P01') || tries === givesWayMax + triesMax) throw error
      await sleep(giveWayMs)
    }
  }
}

const triesMax = 5

/** Whether a statement wants a table for itself for a moment, and does not see to it by itself that others go on. */
const takesTable = (statement: string): boolean =>
  /\b(?:alter table|create (?:or replace )?trigger)\b/.test(statement) && !/\bcommit;/.test(statement)

/** Every statement of such a migration can be repeated. It is, when PostgreSQL ends it for a deadlock with somebody's work, or when it gave way. */
async function runRepeatable(client: Client, statement: string): Promise<void> {
  const index = /create (?:unique )?index concurrently if not exists (\w+)/.exec(statement)?.[1]
  const givesWay = takesTable(statement)
  const most = givesWay ? givesWayMax + triesMax : triesMax
  for (let tries = 1; ; tries++) {
    if (index !== undefined) await dropUnfinished(client, index)
    try {
      if (givesWay) await client.query(`set lock_timeout = ${tries <= givesWayMax ? lockMs : 0}`)
      await client.query(statement)
      if (givesWay) await client.query('set lock_timeout = 0')
      return
    } catch (error) {
      const state = sqlState(error)
      if ((state !== '40P01' && !(givesWay && state === lockNotAvailable)) || tries === most) throw error
      await sleep(giveWayMs)
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

async function recorded(client: Client, migration: Migration, apply: () => Promise<void>): Promise<void> {
  const { number, name, sha256 } = migration
  try {
    await apply()
    await client.query('insert into schema_migrations (number, name, sha256, code_since) values ($1, $2, $3, $4)', [
      number,
      name,
      sha256,
      codeSince(migration),
    ])
  } catch (error) {
    throw new Error(`migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

interface Applying extends Pick<MigrateOptions, 'living'> {
  migrations: Migration[]
  log: Log
}

async function applyMissing(client: Client, { migrations, log, living }: Applying): Promise<string[]> {
  await ensureHistoryTable(client)
  const known = checkHistory(await readHistory(client), migrations, 'database', await readCodeSince(client))
  if (known > migrations.length)
    log.warn({ newer: known - migrations.length }, 'the database is newer than this version, which may still run on it')
  const missing = migrations.slice(known)
  if (missing.length === 0) return []
  const refusal = refusalFor(await readReported(async () => (await living?.(client)) ?? []), missing)
  if (refusal !== undefined) throw new MigrationRefused(refusal)
  for (const migration of missing) {
    if (isOutside(migration)) await applyOutside(client, migration)
    else await applyGivingWay(client, migration)
    // a new database gets all of them, which is one thing for whoever reads the log
    if (known > 0) log.info({ migration: migration.name }, 'migration applied')
  }
  if (known === 0 && missing.length > 0) log.info({ migrations: missing.length }, 'made the tables')
  return missing.map(({ name }) => name)
}

/** A process reports itself moments after its start; on a busy machine it may need so long. */
const firstReportS = 5
const reportEveryMs = 100

/** The living processes, when those that have just started have said what they know. */
async function readReported(read: () => Promise<LivingCode[]>): Promise<LivingCode[]> {
  for (const endsAt = performance.now() + firstReportS * 1000; ; await sleep(reportEveryMs)) {
    const living = await read()
    const isNew = living.some((one) => isSilentService(one) && one.seconds < firstReportS)
    // a service that starts again and again is new each time
    if (!isNew || performance.now() > endsAt) return living
  }
}

/** Why these migrations cannot be applied while these processes live, if so. */
export function refusalFor(living: LivingCode[], missing: Migration[]): string | undefined {
  for (const migration of missing) {
    const stopped = tooOld(living, codeSince(migration))
    if (stopped.length > 0)
      return `Processes of an older version use this database and could not after migration ${migration.name}: ${namesOf(stopped)}. Stop them first.`
  }
  return undefined
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
export async function migrateJobEngine(address: DatabaseAddress): Promise<void> {
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
