// The cluster on disk: initdb once, then the runtime role and its database.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type pg from 'pg'
import type { Binaries } from './binaries.ts'
import type { Facts } from './facts.ts'
import type { Account } from '../accounts.ts'
import { makeWholeFolder } from '../atomicFolder.ts'

const run = promisify(execFile)

/**
 * PostgreSQL's programs get a bare environment: PG* variables would change what they do, and the service's own secrets must not be in a
 * process that outlives it. PATH is for initdb, which calls postgres through a shell.
 */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'SystemRoot', 'SystemDrive', 'TEMP', 'TMP'] // Windows programs do not run without the last four
  return {
    LC_ALL: 'C',
    ...Object.fromEntries(kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
  }
}

/**
 * Locale: the builtin provider's C.UTF-8 sorts by code point (memcmp, the fastest there is) yet knows Unicode's upper
 * and lower case, and belongs to PostgreSQL: unlike libc's and ICU's, its order cannot change under an index when the
 * machine's C library is upgraded. libc's own locale is C, which every machine has.
 */
export async function makeCluster(
  binaries: Binaries,
  cluster: string,
  facts: Facts,
  account: Account | undefined,
): Promise<boolean> {
  return makeWholeFolder(cluster, async (staging) => {
    const passwordFile = `${staging}.password` // a file beside it, since initdb wants an empty folder; it is removed with the leftovers
    try {
      await writeFile(passwordFile, facts.superuser_password, { mode: 0o600, flag: 'wx' })
      await chmod(staging, 0o700)
      if (account) {
        await chown(staging, account.uid, account.gid)
        await chown(passwordFile, account.uid, account.gid)
      }
      await run(
        binaries.initdb,
        [
          ['--pgdata', staging],
          ['--username', facts.superuser],
          ['--pwfile', passwordFile],
          ['--auth', 'scram-sha-256'],
          ['--encoding', 'UTF8'],
          ['--locale-provider', 'builtin'],
          ['--builtin-locale', 'C.UTF-8'],
          ['--locale', 'C'],
          ['--data-checksums'],
        ].flat(),
        { env: bareEnvironment(), cwd: dirname(staging), ...account },
      )
    } catch (cause) {
      if (existsSync(cluster)) return // another process was faster and swept our staging folder away
      const { stderr } = cause as { stderr?: string }
      throw new Error(
        `initdb could not make the database in ${cluster}: ${stderr?.trim() || String(cause)}\n` +
          'If PostgreSQL cannot run on this machine, set DATABASE_URL to a server of your own.',
        { cause },
      )
    } finally {
      await rm(passwordFile, { force: true })
    }
  })
}

/**
 * Makes what is missing of the runtime role and its database: a start that was cut off is completed by the next. The
 * role owns its database and nothing else.
 */
export async function ensureRoleAndDatabase(superuser: pg.Client, facts: Facts): Promise<void> {
  const missing = async (query: string, name: string) => (await superuser.query(query, [name])).rowCount === 0
  const roleMissing = () => missing('select from pg_roles where rolname = $1', facts.user)
  const databaseMissing = () => missing('select from pg_database where datname = $1', facts.database)
  if (!(await roleMissing()) && !(await databaseMissing())) return

  // A session's lock, because create database cannot run in a transaction. The server releases it when we disconnect or die.
  await superuser.query(`select pg_advisory_lock(hashtext('runyard role and database'))`)
  // A failed statement would be written to the log as it is, with the password in it.
  await superuser.query(`set log_min_error_statement = 'panic'`)
  if (await roleMissing()) {
    const [role, password] = [superuser.escapeIdentifier(facts.user), superuser.escapeLiteral(facts.password)]
    await superuser.query(`create role ${role} login nosuperuser nocreaterole nocreatedb password ${password}`)
  }
  if (await databaseMissing()) {
    const [database, owner] = [facts.database, facts.user].map((name) => superuser.escapeIdentifier(name))
    await superuser.query(`create database ${database} owner ${owner}`)
  }
}
