// Checks of the database: reachable, of the right version and schema, with the right key, role and clock, and who lives on it.
import { DatabaseRefused } from '../../base/databaseRefused.ts'
import { one, type DatabaseAddress } from '../../base/db.ts'
import {
  encryptionKeySource,
  isProved,
  sourceOfProvedKey,
  readEncryptionKey,
  readKnownKeys,
} from '../../base/encryptionKey.ts'
import { nextKeyFile } from '../../base/keyFiles.ts'
import { createLog } from '../../base/log.ts'
import { checkHistory, MigrationRefused, readHistory, readMigrations } from '../../base/migrate.ts'
import { readCodeSince } from '../../base/olderCode.ts'
import { requirePooler } from '../../base/pooler.ts'
import { createKeyring } from '../../base/secrets.ts'
import { findPooler } from '../../database.ts'
import { readLivingProcesses } from '../livingProcesses.ts'
import { ok, problem, warning, type Check, type DatabaseCheck } from './check.ts'

const majorMin = 15

export const reachable: Check = {
  name: 'database',
  async run({ config, database, databaseFailure }) {
    if (databaseFailure !== undefined) return problem(databaseFailure)
    if (!database) return ok(`none yet; the first start makes an embedded one in ${config.dataDir}`)
    const server = await one(database.sql<{ version: string; number: number; zone: string | null }>`
      select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
        nullif(current_setting('runyard.zone', true), '') as zone`)
    const where = database.embedded
      ? `embedded, in ${database.embedded.place}`
      : `of DATABASE_URL${hostIn(database.address)}`
    const zone = server.zone === null ? '' : `, in zone ${server.zone}`
    const says = `PostgreSQL ${server.version}, ${where}${zone}`
    return server.number >= majorMin * 10_000 ? ok(says) : problem(`${says}: Runyard needs ${majorMin} or newer.`)
  },
}

/** Which of several hosts it is. */
const hostIn = (address: DatabaseAddress): string =>
  typeof address === 'object' && 'url' in address ? `: ${new URL(address.url).host} is the primary` : ''

/** Checked as at the start of the service. */
export const pooler: DatabaseCheck = {
  name: 'pooler',
  async runOn({ client }, { config }) {
    try {
      const found = await findPooler(config, createLog('silent'))
      if (!found) return ok('none')
      await requirePooler(found.address(), client)
      return ok('of DATABASE_POOL_URL, with the settings that statements rely on')
    } catch (error) {
      if (error instanceof DatabaseRefused) return problem(error.message)
      throw error
    }
  },
}

export const migrations: DatabaseCheck = {
  name: 'migrations',
  async runOn({ client, sql }) {
    const known = await readMigrations()
    const table = await one(sql<{ present: boolean }>`select to_regclass('schema_migrations') is not null as present`)
    try {
      const done = table.present
        ? checkHistory(await readHistory(client), known, 'database', await readCodeSince(client))
        : 0
      if (done === known.length) return ok(`up to date, ${done} of ${known.length}`)
      if (done > known.length)
        return warning(
          `${done - known.length} newer than this version, which may still run on it: update this one too.`,
        )
      return warning(`${done} of ${known.length}: the next start runs the rest, or npx runyard migrate.`)
    } catch (error) {
      if (error instanceof MigrationRefused) return problem(error.message)
      throw error
    }
  },
}

export const encryptionKey: DatabaseCheck = {
  name: 'encryption key',
  async runOn({ sql }, { config: { dataDir, encryptionKey: given, newEncryptionKey: givenNext } }) {
    const source = encryptionKeySource({ dataDir, given })
    const key = await readEncryptionKey({ dataDir, given })
    const table = await one(sql<{ present: boolean }>`select to_regclass('encryption_keys') is not null as present`)
    const known = table.present ? await readKnownKeys(sql) : []
    const right = await sourceOfProvedKey({ dataDir, given, givenNext }, known)
    if (!given && right === nextKeyFile(dataDir)) {
      return warning(
        `A change of the key was cut off when it was all but done: the next start moves ${right} to ${source}.`,
      )
    }
    const [first] = known
    if (!key) {
      if (!first) return ok('none yet; the first start makes one')
      return problem(
        `The database was written with the key ${first.key_id}, which is not here: set RUNYARD_ENCRYPTION_KEY, or put ${source} back.`,
      )
    }
    const keyring = createKeyring(key)
    if (!first) return ok(`${keyring.keyId}, ${source}; the database has none yet`)
    if (isProved(keyring, known)) return ok(`${keyring.keyId}, ${source}; it opens what the database keeps of it`)
    return problem(
      `${source} holds the key ${keyring.keyId}, but the database was written with ${first.key_id}: ` +
        (right === undefined ? 'use that one.' : `put in the one that is in ${right}.`),
    )
  },
}

export const role: DatabaseCheck = {
  name: 'database role',
  async runOn({ sql }) {
    const found = await one(sql<{ name: string; superuser: boolean; creates: boolean }>`
      select rolname as name, rolsuper as superuser, has_schema_privilege(current_user, 'public', 'create') as creates
      from pg_roles where rolname = current_user`)
    const { name, superuser, creates } = found
    if (!creates) return problem(`${name} may not create tables in schema public: make it the owner of the database.`)
    if (superuser) return warning(`${name} is a superuser: give Runyard a role of its own that only owns its database.`)
    return ok(`${name}, no superuser`)
  },
}

/** PostgreSQL lets a commit wait without an error for as long as its synchronous standby is away. */
export const commits: DatabaseCheck = {
  name: 'commits',
  async runOn({ sql }) {
    const waiting = await one(sql<{ count: number; names: string }>`
      select count(*)::int as count, current_setting('synchronous_standby_names') as names from pg_stat_activity
      where wait_event = 'SyncRep' and usename = current_user and query_start < clock_timestamp() - interval '1.5 s'`)
    if (waiting.names === '') return ok('wait for no standby')
    if (waiting.count === 0) return ok(`are confirmed by synchronous standbys (${waiting.names})`)
    return problem(
      `${waiting.count} wait for a synchronous standby that does not answer: start it, or take it out of synchronous_standby_names.`,
    )
  },
}

/** Leases, schedules and expiry go by the database's clock, signatures and logs by ours. */
export const clock: DatabaseCheck = {
  name: 'clock',
  async runOn({ sql }) {
    const before = Date.now()
    const database = await one(sql<{ now: Date }>`select clock_timestamp() as now`)
    const now = database.now.getTime()
    // it was read somewhen between the two looks at ours, which a busy machine makes far apart
    const differenceS = (now - Math.min(Math.max(now, before), Date.now())) / 1000
    const says = `the database’s is ${Math.abs(differenceS).toFixed(1)} s ${differenceS < 0 ? 'behind' : 'ahead of'} ours`
    if (Math.abs(differenceS) >= 30) return problem(`${says}: synchronise both machines (NTP).`)
    if (Math.abs(differenceS) >= 2) return warning(`${says}: synchronise both machines (NTP).`)
    return ok(says)
  },
}

const inZone = (zone: string | null): string => (zone === null ? '' : `, zone ${zone}`)

export const processes: DatabaseCheck = {
  name: 'processes',
  async runOn({ sql, presence }) {
    const others = (await readLivingProcesses(sql)).filter(({ id }) => id !== presence?.processId)
    if (others.length === 0) return ok('none besides this one')
    return ok(
      others.map(({ role: what, pid, host, zone }) => `${what} (process ${pid} on ${host}${inZone(zone)})`).join(', '),
    )
  },
}
