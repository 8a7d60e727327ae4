// Databases for the tests of backup and restore: made in one stroke, filled with trouble, compared row by row.
import { hash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { Client } from 'pg'
import { openArchive, restoreBackup, type Restored, type RestoreOptions } from '../../src/base/backup/restore.ts'
import { connectionSettings, type Address } from '../../src/base/db.ts'
import { migrate, readMigrations, type Migration } from '../../src/base/migrate.ts'
import { template, testServer } from './postgres.ts'

export const migrations = await readMigrations()
/** How many migrations make the tables of `fillTeams` and those that each process needs. */
export const firstCount = 6
/** A restore runs every migration, so a test that is not about the tables has these alone (measured: 0.2 s instead of 0.9 s a restore). */
export const firstMigrations = migrations.slice(0, firstCount)

/** One more than there are. */
export function withExtra(text: string, before: Migration[] = migrations): Migration[] {
  const number = before.length + 1
  const name = `${String(number).padStart(4, '0')}_extra`
  return [...before, { number, name, text, sha256: hash('sha256', text) }]
}

export const folder = await mkdtemp(join(tmpdir(), 'runyard backup test '))
after(() => rm(folder, { recursive: true }))
export const fileNamed = (name: string): string => join(folder, name)

export async function query<Row extends object>(
  address: Address,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client(connectionSettings(address))
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

const made: string[] = []
after(async () => {
  const { superuser } = await testServer()
  for (const name of made) await query(superuser, `drop database ${name} with (force)`)
})

async function create(from: string): Promise<Address> {
  const { superuser, runtime } = await testServer()
  const name = `backup_${randomBytes(6).toString('hex')}`
  await query(superuser, `create database ${name} template ${from} owner ${runtime.user}`)
  made.push(name)
  return { ...runtime, database: name }
}

async function migrateTo(address: Address, to: Migration[]): Promise<Address> {
  await migrate({ address, migrations: to })
  return address
}

let first: Promise<Address> | undefined

/** The name of a database with the first migrations and no rows, which is made once. */
async function firstTemplate(): Promise<string> {
  first ??= create('template1').then((address) => migrateTo(address, firstMigrations))
  return (await first).database
}

/** A database of its own: without anything, or with the schema of these migrations. */
export async function newDatabase(schema?: Migration[]): Promise<Address> {
  if (!schema) return create('template1')
  if (schema === migrations) return create(template)
  if (schema === firstMigrations) return create(await firstTemplate())
  return migrateTo(await create(schema.length < migrations.length ? await firstTemplate() : template), schema)
}

/** Every row of every table as text, hashed table by table: by one statement, since each connection costs more than most tables. */
export async function contentOf(address: Address, except: string[] = []): Promise<Record<string, string>> {
  const tables = await query<{ name: string }>(
    address,
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and not relispartition and relname <> all($1) order by 1`,
    [['processes', 'schema_migrations', ...except]],
  )
  const hashes = tables.map(
    ({ name }) =>
      `select '${name}' as name, count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as hash from "${name}" t`,
  )
  const rows = await query<{ name: string; hash: string }>(address, hashes.join(' union all '))
  return Object.fromEntries(rows.map(({ name, hash: its }) => [name, its]))
}

export const nasty = [
  'Zürich 東京 🦊 ‮right‬ e\u0301',
  '',
  ' ',
  '\\',
  '\\N',
  '\\.',
  'a\nb\r\nc\td\\ne',
  '\n\\.\n',
  '{"a":"b\\\\c"}',
  '\u0001\u001f\u007f',
  'NULL',
  'x'.repeat(300_000),
]

export async function fillTeams(address: Address): Promise<void> {
  await query(
    address,
    `with t as (
       insert into teams (id, name, created_at)
       select gen_random_uuid(), name, timestamptz '2026-01-01 00:00:00.123+00' + number * interval '1 day'
       from unnest($1::text[]) with ordinality as given (name, number) returning id, name
     ), m as (
       insert into members (id, team_id, name, email, role)
       select gen_random_uuid(), id, name, null, 'admin' from t returning id, team_id
     ), k as (
       insert into api_keys (id, team_id, member_id, name, hint, secret_hash, scopes, expires_at)
       select gen_random_uuid(), team_id, id, 'k', '', sha256(id::text::bytea), array['*', 'a,b', '{"q"}', ''], 'infinity'
       from m
     ), i as (
       insert into idempotency_keys (team_id, key, request_hash, status, reply, expires_at)
       select id, 'key', decode('00ff0a5c09', 'hex'), null, decode(repeat('5c2e0a00', 1000), 'hex'), now() from t
     ), a as (
       insert into audit_log (id, team_id, credential_type, operation, request_id, status)
       select gen_random_uuid(), id, 'api_key', 'createTeam', 'r', 201 from t
     )
     insert into events (id, team_id, run_id, sequence, event, data)
     select gen_random_uuid(), id, null, null, 'connection.updated', jsonb_build_object('text', name, 'n', 1e30, 'none', null) from t`,
    [nasty],
  )
}

type RestoreFile = Omit<RestoreOptions, 'archive'> & { file: string; migrations?: Migration[] }

export async function restoreFile({ file, migrations: to = migrations, ...options }: RestoreFile): Promise<Restored> {
  return restoreBackup({ ...options, archive: await openArchive(file, { migrations: to }) })
}
