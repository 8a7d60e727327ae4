// Writes a backup: everything that Runyard stores in a database, as of one moment, streamed into one file.
import { lstat, link, open, rename, rm } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Client } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { mustHave } from '../mustHave.ts'
import { firstRow } from '../rows.ts'
import { sqlOn, sqlState, type DatabaseAddress } from '../db.ts'
import { readKnownKeys } from '../encryptionKey.ts'
import { migrationLock } from '../locks.ts'
import { lockMigrations, readHistory, readUnfinished } from '../migrate.ts'
import { syncFolder } from '../atomicFolder.ts'
import { runyardVersion } from '../version.ts'
import {
  archiveCompression,
  archiveLine,
  endOfData,
  formatVersion,
  sealed,
  type ArchiveEnd,
  type ArchiveHeader,
  type ArchiveSection,
} from './archive.ts'
import { readSequenceNames, readTables } from './catalog.ts'
import { jobEngineRead, jobEngineSections } from './jobEngine.ts'
import { withCopySession } from './session.ts'

/** The backup cannot be made as asked. The operator gets the message unchanged. */
export class BackupRefused extends Error {}

/** Rows of living processes, and the record that running the migrations makes again. */
const leftOut = new Set(['processes', 'schema_migrations'])

const undefinedTable = '42P01'

interface BackupOptions {
  address: DatabaseAddress
  file: string
  /** Replace a file that is there already. */
  force?: boolean
  signal?: AbortSignal
  /** Called when the moment of the backup is fixed; what is committed later is not in it. */
  onSnapshot?: () => Promise<void>
}

interface Backup {
  header: ArchiveHeader
  end: ArchiveEnd
  bytes: number
}

export async function writeBackup({
  address,
  file,
  force = false,
  signal,
  onSnapshot,
}: BackupOptions): Promise<Backup> {
  const path = resolve(file)
  if (!force) await refuseIfThere(path)
  return withCopySession(address, 'runyard backup', async (client) => {
    const header = await openSnapshot(client)
    await onSnapshot?.()
    let end: ArchiveEnd | undefined
    const content = contentOf(client, header, (complete) => (end = complete))
    const bytes = await writeFileWhole(path, force, sealed(content), signal)
    await client.query('commit')
    return { header, end: mustHave(end, 'the end of the archive'), bytes }
  })
}

async function refuseIfThere(path: string): Promise<void> {
  try {
    await lstat(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  throw new BackupRefused(`${path} is there already. Name another file, or say --force to replace it.`)
}

/**
 * Fixes the moment. The migration lock is held, shared, only until every table is locked against changes of its shape:
 * a process that starts at the same time waits for milliseconds and not for the backup.
 */
async function openSnapshot(client: Client): Promise<ArchiveHeader> {
  await lockMigrations(client, '_shared')
  const { rows: found } = await client.query<{ present: boolean; version: string }>(
    `select to_regclass('schema_migrations') is not null as present, current_setting('server_version') as version`,
  )
  if (!firstRow(found).present)
    throw new BackupRefused('This database has no Runyard in it: there is nothing to back up.')
  await refuseIfUnfinished(client)
  const tables = await lockTables(client)
  const header: ArchiveHeader = {
    runyard_backup: formatVersion,
    created_at: new Date().toISOString(),
    runyard_version: runyardVersion,
    postgres_version: firstRow(found).version,
    migrations: await readHistory(client),
    encryption_key_ids: tables.some(({ name }) => name === 'encryption_keys')
      ? (await readKnownKeys(sqlOn(client))).map(({ key_id }) => key_id)
      : [],
    sections: [
      ...tables.map(({ name, columns }): ArchiveSection => ({ name, of: 'table', columns })),
      ...(await jobEngineSections(client)),
    ],
  }
  await client.query('select pg_advisory_unlock_shared($1)', [migrationLock])
  return header
}

/** A restore rebuilds the tables from the migrations that are recorded, and rows of a migration that is not would not fit them. */
async function refuseIfUnfinished(client: Client): Promise<void> {
  const name = await readUnfinished(client)
  if (name === undefined) return
  throw new BackupRefused(
    `Migration ${name} was begun on this database and has not finished, so a backup of it could not be restored. ` +
      'Run npx runyard migrate, in the version that began it, then back up again.',
  )
}

const tablesOf = async (client: Client) =>
  (await readTables(client)).filter(({ name, unlogged }) => !unlogged && !leftOut.has(name))

const namesOf = (tables: { name: string }[]): string[] => tables.map(({ name }) => name)

/**
 * Begins the transaction, with every table locked before its snapshot is taken, which LOCK TABLE does not do. A snapshot that waited for a lock
 * would not have what the other moved meanwhile: the rows that are kept of a partition that is dropped would be in neither place.
 */
async function lockTables(client: Client): ReturnType<typeof tablesOf> {
  for (;;) {
    const names = namesOf(await tablesOf(client))
    await client.query('begin isolation level repeatable read read only')
    if (await lockAll(client, names)) {
      const tables = await tablesOf(client)
      if (isDeepStrictEqual(namesOf(tables), names)) return tables
    }
    // somebody made or dropped one in between
    await client.query('rollback')
  }
}

/** False: one of them is gone. */
async function lockAll(client: Client, names: string[]): Promise<boolean> {
  if (names.length === 0) return true
  const list = names.map((name) => `public.${client.escapeIdentifier(name)}`)
  try {
    await client.query(`lock table ${list.join(', ')} in access share mode`)
    return true
  } catch (error) {
    if (sqlState(error) !== undefinedTable) throw error
    return false
  }
}

async function* contentOf(
  client: Client,
  header: ArchiveHeader,
  done: (end: ArchiveEnd) => void,
): AsyncGenerator<Buffer> {
  yield archiveLine(header)
  const copies: [string, { rowCount: number }][] = []
  for (const section of header.sections) {
    yield archiveLine({ section: section.name })
    const copy = client.query(copyTo(`copy (${selectOf(client, section)}) to stdout`))
    for await (const chunk of copy) yield chunk as Buffer
    yield endOfData
    copies.push([section.name, copy])
  }
  // sequences know no snapshots, but they only grow: read now, they are past every row above
  const sequences = await readSequences(client)
  // a copy knows its count once the statement after it was answered
  const end: ArchiveEnd = {
    rows: Object.fromEntries(copies.map(([name, { rowCount }]) => [name, rowCount])),
    sequences,
  }
  done(end)
  yield archiveLine(end)
}

/** A select and not the table itself, since COPY takes no partitioned table. */
function selectOf(client: Client, section: ArchiveSection): string {
  if (section.of === 'job_engine') return jobEngineRead(section)
  const columns = section.columns.map((column) => client.escapeIdentifier(column)).join(', ')
  return `select ${columns} from public.${client.escapeIdentifier(section.name)}`
}

async function readSequences(client: Client): Promise<ArchiveEnd['sequences']> {
  const sequences: ArchiveEnd['sequences'] = []
  for (const name of await readSequenceNames(client)) {
    const { rows } = await client.query<{ last_value: string; is_called: boolean }>(
      `select last_value::text, is_called from public.${client.escapeIdentifier(name)}`,
    )
    sequences.push({ name, ...firstRow(rows) })
  }
  return sequences
}

/** Written under another name, flushed, then renamed: half a backup never has the final name. */
async function writeFileWhole(
  path: string,
  force: boolean,
  content: AsyncIterable<Buffer>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const aside = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.partial`)
  try {
    const handle = await open(aside, 'wx', 0o600)
    try {
      await handle.chmod(0o600)
      // not its createWriteStream, which never releases the handle when it is asked to leave it open
      const write = (compressed: AsyncIterable<Buffer>) => handle.writeFile(compressed)
      await pipeline(content, archiveCompression(), write, { ...(signal && { signal }) })
      await handle.sync()
      const { size } = await handle.stat()
      await putInPlace(aside, path, force)
      await syncFolder(dirname(path))
      return size
    } finally {
      await handle.close()
    }
  } finally {
    await rm(aside, { force: true })
  }
}

/** link(2), unlike rename(2), replaces nothing, however late the other file came. */
async function putInPlace(aside: string, path: string, force: boolean): Promise<void> {
  if (force) return rename(aside, path)
  try {
    await link(aside, path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // file systems without hard links
    if (code === undefined || !['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) {
      if (code === 'EEXIST') await refuseIfThere(path)
      throw error
    }
    await refuseIfThere(path)
    await rename(aside, path)
  }
}
