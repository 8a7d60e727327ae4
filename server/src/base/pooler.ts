// A transaction pooler in front of the database: what must be so for our statements to go through it, checked before the first of them does.
import type { Client } from 'pg'
import { poolLimits } from './db.ts'
import { connectOrTell, DatabaseRefused } from './databaseRefused.ts'
import { poolerLock } from './locks.ts'
import { firstRow } from './rows.ts'
import { cut, PooledClient, pooledSettings, type DatabaseAddress } from './session.ts'

/** How often two connections are compared; a pooler nearly always shows itself the first time. */
const rounds = 3
/** A pooler with a single session lets the second connection wait. */
const answerMs = 2000

/** Refuses a DATABASE_URL that leads to a transaction pooler: locks and notifications would get lost there without an error. */
export async function requireSessions(address: DatabaseAddress): Promise<void> {
  const first = await connectOrTell(address, 'runyard looking')
  first.on('error', () => undefined) // the statement that fails says it
  try {
    // a server tells a client the number of its own process; a pooler tells another number
    const { processID } = first as unknown as { processID: number }
    if ((await sessionOf(first)) === processID) return
    const second = await connectOrTell(address, 'runyard looking')
    second.on('error', () => undefined)
    const late = setTimeout(() => [first, second].forEach(cut), answerMs)
    try {
      for (let round = 0; round < rounds; round++) await requireOwnSession(first, second)
    } finally {
      clearTimeout(late)
      cut(second)
    }
  } finally {
    cut(first)
  }
}

/** Two clients that share a session, or one whose session changes, are behind a transaction pooler. */
async function requireOwnSession(first: Client, second: Client): Promise<void> {
  let isOwn = false
  try {
    const before = await sessionOf(first)
    await second.query('begin')
    const other = await sessionOf(second)
    isOwn = before !== other && (await sessionOf(first)) === before
    await second.query('rollback')
  } catch (error) {
    // it refused a transaction, or did not answer the first client while the second had one
    throw new DatabaseRefused(isPooler, { cause: error })
  }
  if (!isOwn) throw new DatabaseRefused(isPooler)
}

const isPooler =
  'DATABASE_URL leads to a transaction pooler, where locks and notifications do not work. Set DATABASE_POOL_URL to the pooler, and ' +
  'DATABASE_URL to the database itself.'

async function sessionOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return firstRow(rows).pid
}

/**
 * Refuses a DATABASE_POOL_URL that leads elsewhere, or to sessions without the settings that our statements rely on. `direct` is a session of
 * DATABASE_URL: who sees a lock of it is on the same database.
 */
export async function requirePooler(address: DatabaseAddress, direct: Client): Promise<void> {
  const client = await connectOrTell(address, 'runyard looking', {
    setting: 'DATABASE_POOL_URL',
    OneClient: PooledClient,
  })
  client.on('error', () => undefined) // the statement that fails says it
  await direct.query('select pg_advisory_lock_shared($1)', [poolerLock])
  try {
    const found = await client.query<{ is_same: boolean; role: string; database: string; version: number }>(
      `select quote_ident(current_user) as role, quote_ident(current_database()) as database,
         current_setting('server_version_num')::int / 10000 as version,
         exists (select from pg_locks l where l.locktype = 'advisory' and l.pid = $1 and l.objid = $2::int8::oid
           and l.database = (select oid from pg_database where datname = current_database())) as is_same`,
      [await sessionOf(direct), poolerLock],
    )
    const { is_same, role, database, version } = firstRow(found.rows)
    if (!is_same) {
      throw new DatabaseRefused(
        'DATABASE_POOL_URL leads to another database than DATABASE_URL. Correct the one that is wrong.',
      )
    }
    const wanted = pooledSettings(poolLimits(), version)
    const { rows } = await client.query<{ name: string; setting: string }>(
      'select lower(name) as name, setting from pg_settings where lower(name) = any($1)',
      [Object.keys(wanted)],
    )
    const wrong = rows.filter(({ name, setting }) => !isAs(wanted[name], setting))
    if (wrong.length > 0) throw new DatabaseRefused(toSet(wrong, wanted, `${role} in database ${database}`))
  } finally {
    cut(client)
    await direct.query('select pg_advisory_unlock_shared($1)', [poolerLock])
  }
}

/** Debian calls the same zone by its longer name. */
const isAs = (wanted: string | undefined, setting: string): boolean =>
  setting === wanted || (wanted === 'UTC' && setting === 'Etc/UTC')

function toSet(wrong: { name: string; setting: string }[], wanted: Record<string, string>, whose: string): string {
  const seen = wrong.map(({ name, setting }) => `${name} is ${setting}`).join(', ')
  const lines = wrong.map(({ name }) => `alter role ${whose} set ${name} = '${wanted[name]}';`).join(' ')
  return (
    `The sessions behind DATABASE_POOL_URL do not have the settings that Runyard relies on: ${seen}. ` +
    `Run this in the database, and then RECONNECT in the pooler: ${lines}`
  )
}
