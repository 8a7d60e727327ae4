// Restores a backup: rebuilds the schema as it was, loads the rows, migrates forward; one transaction, all or nothing.
import { pipeline } from 'node:stream/promises'
import type { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { firstRow } from '../rows.ts'
import { lockNotAvailable, sqlOn, sqlState, type DatabaseAddress, type Sql } from '../db.ts'
import { migrationLock } from '../locks.ts'
import {
  applyMigration,
  checkHistory,
  ensureHistoryTable,
  migrateJobEngine,
  readHistory,
  readMigrations,
  requireVersion,
  type Migration,
} from '../migrate.ts'
import type { ArchiveEnd, ArchiveSection } from './archive.ts'
import { dropAll, readForeignKeys, readSequenceNames, readTables, readTriggers } from './catalog.ts'
import { emptyJobEngine, holdJobEngineList, placeJobEngineList } from './jobEngine.ts'
import { ArchiveRefused, passOver, readArchive, verifyArchive, type WholeArchive } from './readArchive.ts'
import { withCopySession } from './session.ts'

/** The backup cannot be restored into this database. The operator gets the message unchanged. */
export class RestoreRefused extends Error {}

/** A whole backup whose schema these migrations can bring up to date. */
interface RestorableArchive extends WholeArchive {
  file: string
  migrations: Migration[]
}

/** Reads the file to its end, before any database is asked for. */
export async function openArchive(
  file: string,
  options: { migrations?: Migration[]; signal?: AbortSignal } = {},
): Promise<RestorableArchive> {
  const migrations = options.migrations ?? (await readMigrations())
  const archive = await verifyArchive(file, options.signal)
  checkHistory(archive.header.migrations, migrations, 'backup')
  return { ...archive, file, migrations }
}

export interface RestoreOptions {
  address: DatabaseAddress
  archive: RestorableArchive
  /** Replace what the database holds; it is lost. */
  replace?: boolean
  /** Called with the migration lock held and before anything is changed; throws to refuse the database. */
  acceptTarget?: (sql: Sql) => Promise<void>
  /** Called inside the transaction when everything is loaded; throws to undo it all. */
  acceptResult?: (sql: Sql) => Promise<void>
  onLoaded?: (section: string, rows: number) => void | Promise<void>
  signal?: AbortSignal
}

export interface Restored {
  rows: Record<string, number>
  /** Tables in the backup that no migration makes: they are somebody's own, and are not restored. */
  passedOver: string[]
  /** Migrations that the backup did not have yet. */
  migrated: string[]
}

export function restoreBackup(options: RestoreOptions): Promise<Restored> {
  return withCopySession(options.address, 'runyard restore', async (client) => {
    await requireVersion(client)
    await takeMigrationLock(client)
    let restored: Restored
    try {
      restored = await replaceContent(client, options)
    } catch (error) {
      // so that the next attempt need not wait until the server notices that we are gone; should this fail, it will
      await client.query('rollback').catch((failed: Error) => failed)
      await client.query('select pg_advisory_unlock($1)', [migrationLock]).catch((failed: Error) => failed)
      if (sqlState(error) !== lockNotAvailable) throw error
      throw new RestoreRefused('Another session is using this database. End it, then restore again.', { cause: error })
    }
    await client.query('analyze')
    return restored
  })
}

async function replaceContent(client: Client, options: RestoreOptions): Promise<Restored> {
  const before = await requireTarget(client, options.replace ?? false)
  await options.acceptTarget?.(sqlOn(client))
  // graphile-worker migrates in transactions of its own; that changes no data, and every start does it too
  await migrateJobEngine(options.address)
  await client.query(`set lock_timeout = '10s'`)
  await client.query('begin')
  const restored = await rebuild(client, options)
  await refuseToDropOthers(client, before, options.archive)
  await client.query('commit')
  return restored
}

async function takeMigrationLock(client: Client): Promise<void> {
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [migrationLock])
  if (firstRow(rows).held) return
  throw new RestoreRefused(
    'Another process is migrating, backing up or restoring this database. Try again when it is done.',
  )
}

interface Target {
  tables: string[]
  migrations: number
}

/** Nothing in it, or a Runyard without teams; with `replace` any Runyard, but never somebody else's tables. */
async function requireTarget(client: Client, replace: boolean): Promise<Target> {
  const tables = await readTables(client)
  if (tables.length === 0) return { tables: [], migrations: 0 }
  const history = tables.find(({ name }) => name === 'schema_migrations')
  if (!history?.columns.includes('sha256')) {
    throw new RestoreRefused('This database holds tables that are not Runyard’s. Restore into one of its own.')
  }
  if (!replace && tables.some(({ name }) => name === 'teams')) {
    const { rows } = await client.query<{ teams: boolean }>('select exists (select from teams) as teams')
    if (firstRow(rows).teams) {
      throw new RestoreRefused(
        'This database has teams in it. Restore into an empty one, or say --replace to give up what it holds.',
      )
    }
  }
  return { tables: tables.map(({ name }) => name), migrations: (await readHistory(client)).at(-1)?.number ?? 0 }
}

/**
 * Tables that neither these migrations nor the backup know are somebody's own. In a database of a newer Runyard they are
 * that one's, and going back to an older one is what --replace is for.
 */
async function refuseToDropOthers(
  client: Client,
  before: Target,
  { header, migrations }: RestorableArchive,
): Promise<void> {
  if (before.migrations > migrations.length) return
  const ours = new Set([
    ...(await readTables(client)).map(({ name }) => name),
    ...header.sections.map(({ name }) => name),
  ])
  const others = before.tables.filter((name) => !ours.has(name))
  if (others.length === 0) return
  throw new RestoreRefused(
    `This database also holds tables that are not Runyard’s (${others.join(', ')}) and would be lost. Move them out of schema public first.`,
  )
}

async function rebuild(client: Client, options: RestoreOptions): Promise<Restored> {
  const { header, migrations } = options.archive
  const level = header.migrations.length
  await dropAll(client)
  await ensureHistoryTable(client)
  for (const migration of migrations.slice(0, level)) await applyMigration(client, migration)
  const loaded = await load(client, options)
  const missing = migrations.slice(level)
  for (const migration of missing) await applyMigration(client, migration)
  await options.acceptResult?.(sqlOn(client))
  return { ...loaded, migrated: missing.map(({ name }) => name) }
}

/**
 * Foreign keys are dropped for the load and checked as a whole when they are added again, instead of loading in the order of their
 * dependencies: tables may refer to each other in a circle, and PostgreSQL would hold one pending check per row in memory. Triggers are
 * off, so that rows arrive as they were, and so that what migrations have seeded can be removed.
 */
async function load(client: Client, options: RestoreOptions): Promise<Pick<Restored, 'rows' | 'passedOver'>> {
  const tables = (await readTables(client)).filter(({ name }) => name !== 'schema_migrations')
  const toggles = [...(await readTriggers(client)), ...(await readForeignKeys(client))]
  for (const { off } of toggles) await client.query(off)
  if (tables.length > 0) {
    await client.query(`truncate ${tables.map(({ name }) => client.escapeIdentifier(name)).join(', ')}`)
  }
  await emptyJobEngine(client)
  const loaded = await copyAll(client, options, new Set(tables.map(({ name }) => name)))
  await setSequences(client, options.archive.end.sequences)
  for (const { on } of toggles.toReversed()) await client.query(on)
  return loaded
}

async function copyAll(
  client: Client,
  { archive, signal, onLoaded }: RestoreOptions,
  tables: Set<string>,
): Promise<Pick<Restored, 'rows' | 'passedOver'>> {
  const { file } = archive
  const rows: Record<string, number> = {}
  const passedOver: string[] = []
  const again = await readArchive(
    file,
    async (section, content) => {
      if (section.of === 'table' && !tables.has(section.name)) {
        passedOver.push(section.name)
        return passOver(content)
      }
      const count = await copyOne(client, section, content)
      if (count !== archive.end.rows[section.name]) {
        throw new ArchiveRefused(
          `${file} promises ${archive.end.rows[section.name]} rows of ${section.name}; ${count} came.`,
        )
      }
      rows[section.name] = count
      await onLoaded?.(section.name, count)
      return undefined
    },
    signal,
  )
  if (again.sha256 !== archive.sha256) throw new ArchiveRefused(`${file} was changed while it was being restored.`)
  return { rows, passedOver }
}

async function copyOne(client: Client, section: ArchiveSection, content: AsyncIterable<Buffer>): Promise<number> {
  const ofJobEngine = section.of === 'job_engine'
  const target = ofJobEngine
    ? await holdJobEngineList(client, section)
    : `public.${client.escapeIdentifier(section.name)}`
  const columns = section.columns.map((column) => client.escapeIdentifier(column)).join(', ')
  const copy = client.query(copyFrom(`copy ${target} (${columns}) from stdin`))
  await pipeline(content, copy)
  if (ofJobEngine) await placeJobEngineList(client, section)
  return copy.rowCount
}

/** A sequence of the backup that a migration has since dropped, or that was somebody's own, is not restored. */
async function setSequences(client: Client, sequences: ArchiveEnd['sequences']): Promise<void> {
  const present = new Set(await readSequenceNames(client))
  for (const { name, last_value, is_called } of sequences.filter((one) => present.has(one.name))) {
    await client.query('select setval($1::regclass, $2::bigint, $3)', [
      `public.${client.escapeIdentifier(name)}`,
      last_value,
      is_called,
    ])
  }
}
