// runyard migrate --check: what a migration would do, and who lives on the database, without changing anything.
import type { Client } from 'pg'
import { one, sqlOn, type Sql } from '../base/db.ts'
import {
  checkHistory,
  isOutside,
  MigrationRefused,
  readHistory,
  readMigrations,
  refusalFor,
  type Migration,
} from '../base/migrate.ts'
import { workOf, type TableWork } from '../base/migrationWork.ts'
import { olderCodeIn, readCodeSince } from '../base/olderCode.ts'
import { runyardVersion } from '../base/version.ts'
import type { Call } from './command.ts'
import { withDatabase } from './joinDatabase.ts'
import { readLivingProcesses, type LivingProcess } from './livingProcesses.ts'

interface PlannedWork extends TableWork {
  /** The estimate of PostgreSQL; null if it has not counted yet. */
  rows: number | null
  bytes: number
}

interface PlannedMigration {
  name: string
  /** It has no transaction of its own, and others work beside it. */
  is_outside: boolean
  /** Whether processes of the release before work on the schema that it makes. */
  older_code_works: boolean
  work: PlannedWork[]
}

interface OtherProcess extends Omit<LivingProcess, 'id' | 'zone' | 'seconds'> {
  /** Compared with this version. */
  is: 'older' | 'newer' | 'silent'
}

export interface MigrationPlan {
  state: 'up_to_date' | 'to_do' | 'refused'
  /** Why it is refused. */
  reason: string | null
  version: string
  /** How many this version knows. */
  migrations: number
  /** How many the database has. */
  done: number
  missing: PlannedMigration[]
  /** Living processes that know more or fewer migrations than this version, or do not say how many. */
  processes: OtherProcess[]
}

export const planOf = ({ config, log }: Pick<Call, 'config' | 'log'>, known?: Migration[]): Promise<MigrationPlan> =>
  withDatabase({ config, log, role: 'migrate', onlyLooks: true }, async ({ client }) => {
    // whatever the code below does, the database refuses to be changed by it
    await client.query('set default_transaction_read_only = on')
    return readPlan(client, known ?? (await readMigrations()))
  })

async function readPlan(client: Client, known: Migration[]): Promise<MigrationPlan> {
  const sql = sqlOn(client)
  const table = await one(sql<{ present: boolean }>`select to_regclass('schema_migrations') is not null as present`)
  const history = table.present ? await readHistory(client) : []
  const living = await readLivingProcesses(sql)
  const done = history.at(-1)?.number ?? 0
  const missing = known.slice(done)
  const work: PlannedMigration[] = []
  for (const migration of missing) work.push(await planned(sql, migration))
  const plan: MigrationPlan = {
    state: missing.length > 0 ? 'to_do' : 'up_to_date',
    reason: null,
    version: runyardVersion,
    migrations: known.length,
    done,
    missing: work,
    processes: living.flatMap(({ role, host, pid, version, migrations }) => {
      const is = comparedWith(known.length, migrations)
      return is ? [{ role, host, pid, version, migrations, is }] : []
    }),
  }
  try {
    checkHistory(history, known, 'database', table.present ? await readCodeSince(client) : 0)
  } catch (error) {
    if (!(error instanceof MigrationRefused)) throw error
    return { ...plan, state: 'refused', reason: error.message }
  }
  const reason = refusalFor(living, missing)
  return reason === undefined ? plan : { ...plan, state: 'refused', reason }
}

const comparedWith = (known: number, migrations: number | null): OtherProcess['is'] | undefined =>
  migrations === null ? 'silent' : migrations < known ? 'older' : migrations > known ? 'newer' : undefined

async function planned(sql: Sql, migration: Migration): Promise<PlannedMigration> {
  const work: PlannedWork[] = []
  for (const found of workOf(migration)) {
    const [size] = await sql<{ rows: number | null; bytes: number }>`
      select nullif(reltuples, -1)::float8 as rows, pg_total_relation_size(oid)::float8 as bytes
      from pg_class where oid = to_regclass(quote_ident(${found.table})) and relkind in ('r', 'p', 'm')`
    // a table that another missing migration makes is empty
    if (size) work.push({ ...found, ...size })
  }
  return {
    name: migration.name,
    is_outside: isOutside(migration),
    older_code_works: olderCodeIn(migration.text) === 'works',
    work,
  }
}

/** Work on less than this is over before anybody notices. */
const smallBytes = 10_000_000

export function planLines(plan: MigrationPlan): string[] {
  const { state, reason, migrations, done, missing, processes } = plan
  const lines = [
    done > migrations
      ? `The database has ${done} migrations, and this version knows ${migrations}. It may still run on it.`
      : `This version knows ${migrations} migrations, and the database has ${done}.`,
  ]
  if (done === 0 && missing.length > 0) lines.push('The database is empty: the first start makes the tables.')
  else lines.push(...missing.flatMap(linesOf))
  if (processes.length > 0) {
    lines.push('Processes of another version:', ...processes.map(processLine))
  }
  if (state === 'refused') return [...(done > migrations ? [] : lines), reason ?? '']
  return [...lines, state === 'to_do' ? 'Apply them with: runyard migrate' : 'There is nothing to do.']
}

function linesOf({ name, is_outside, older_code_works, work }: PlannedMigration): string[] {
  const how = is_outside ? 'while others work, outside transactions' : 'in one transaction'
  const stops = older_code_works ? '' : '; does not say that older processes work after it'
  const large = work.filter(({ bytes }) => bytes > smallBytes)
  return [
    `  ${name}: ${how}${stops}`,
    ...large.map(
      ({ work: what, table, rows, bytes, locks }) =>
        `    ${what}: ${table} (${rows === null ? 'not counted' : `about ${rows.toLocaleString('en')} rows`}, ` +
        `${Math.round(bytes / 1e6).toLocaleString('en')} MB)${locks ? ', whose writers wait for it' : ''}`,
    ),
  ]
}

const processLine = ({ role, host, pid, version, migrations, is }: OtherProcess): string =>
  `  ${role}, process ${pid} on ${host}: ` +
  (is === 'silent'
    ? 'does not say its version, as older ones'
    : `${is}, version ${version ?? 'unknown'}, knows ${migrations} migrations`)
