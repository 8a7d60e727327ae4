// Reads the state of the whole installation, for admins of the team that runs it.
import { shownSettings } from '../../base/config.ts'
import { one } from '../../base/db.ts'
import type { Sql } from '../../base/db.ts'
import { runyardVersion } from '../../base/version.ts'
import type { Context } from '../../kit/context.ts'
import { readGrowth } from '../../kit/growth.ts'
import { operation } from '../../kit/operation.ts'
import { holdsItsLock } from '../../kit/presence.ts'
import type { ProcessReport } from '../../kit/processReport.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../kit/schema.ts'
import { requireInstallation } from './installation.ts'
import { ObjectStoreState, readObjectStore } from './objectStore.ts'
import { Report } from './report.ts'
import { readWaitingWork } from './waitingWork.ts'

const Bytes = Type.Integer({ minimum: 0 })

const SystemProcess = named(
  'SystemProcess',
  Type.Object({
    id: Id,
    role: Type.String({ examples: ['worker'] }),
    host: Type.String(),
    pid: Type.Integer({ minimum: 0 }),
    started_at: Time,
    is_answering: Type.Boolean({ description: 'Whether it gave this answer.' }),
    reported_at: nullable(Time),
    report: nullable(Report),
  }),
)

const StoredSize = named(
  'StoredSize',
  Type.Object({
    what: Type.String({ examples: ['events'] }),
    bytes: Bytes,
    rows: Type.Integer({ minimum: 0, description: 'As PostgreSQL last estimated them.' }),
    oldest_at: nullable(Time),
    bytes_a_day: nullable(
      Type.Integer({
        description: 'By how much it grew a day since `measured_at`; null while that is less than a day ago.',
      }),
    ),
    grown_bytes: nullable(
      Type.Integer({ description: 'By how much it grew since `measured_at`; null if it was not measured before.' }),
    ),
    measured_at: nullable(Time),
  }),
)

const ShownSetting = named(
  'ShownSetting',
  Type.Object({
    name: Type.String({ examples: ['RUNYARD_MODEL'] }),
    says: Type.String(),
    unset: Type.String({ description: 'What holds where it is not set, in words.' }),
    is_secret: Type.Boolean(),
    is_set: Type.Boolean(),
    value: nullable(Type.String({ description: 'Null for a secret, and where there is none.' })),
  }),
)

export const getSystem = operation({
  id: 'getSystem',
  client: 'system.get',
  route: 'GET /v2/system',
  summary: 'Get the state of the installation',
  description:
    'Version, database, object store, living processes with what they report every five seconds, the oldest work that waits, sizes of tables and their ' +
    'growth, and the settings of the process that answers, of secrets only whether they are set. Only for admins of the teams that ' +
    '`RUNYARD_SYSTEM_TEAMS` names, or of the oldest team: it says nothing about what teams do, but everything about how the service runs.',
  scope: 'system:read',
  status: 200,
  answer: Type.Object({
    version: Type.String({ examples: ['1.0.0'] }),
    node_version: Type.String({ examples: ['24.0.0'] }),
    base_url: Type.String(),
    now: Time,
    database: Type.Object({
      version: Type.String({ examples: ['18.1'] }),
      bytes: Bytes,
      is_embedded: Type.Boolean(),
      connections: Type.Integer({ minimum: 0, description: 'Open connections, of everybody who uses the server.' }),
      connections_max: Type.Integer({ minimum: 0 }),
    }),
    object_store: ObjectStoreState,
    processes: Type.Array(SystemProcess),
    waiting_work: Type.Array(
      Type.Object({
        what: Type.String({ examples: ['runs'] }),
        since: nullable(Time),
      }),
      { description: 'Since when the oldest work of each kind is due without anybody having begun it.' },
    ),
    sizes: Type.Array(StoredSize),
    settings: Type.Array(ShownSetting),
  }),
  errors: ['forbidden'],
  tool: false,
  async handler({ team, sql, context }) {
    await requireInstallation(sql, context, team.id)
    const processes = await readProcesses(sql, context.lifecycle.processId)
    return {
      version: runyardVersion,
      node_version: process.versions.node,
      base_url: context.baseUrl(),
      now: context.clock.now(),
      // one after the other: a page that is looked at all day takes one connection
      database: await readDatabase(sql, context),
      object_store: await readObjectStore(
        context,
        processes.filter(({ is_answering }) => !is_answering).map(({ report }) => report?.object_store),
      ),
      processes,
      waiting_work: await readWaitingWork(sql),
      sizes: await readSizes(sql),
      settings: shownSettings(context.config),
    }
  },
})

const readDatabase = (sql: Sql, { config }: Context) =>
  one(sql<{ version: string; bytes: number; is_embedded: boolean; connections: number; connections_max: number }>`
    select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
      ${config.databaseUrl === undefined}::boolean as is_embedded, current_setting('max_connections')::int as connections_max,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections`)

type Row = Omit<Static<typeof SystemProcess>, 'started_at' | 'reported_at' | 'report'> & {
  started_at: Date
  reported_at: Date | null
  report: ProcessReport | null
}

const readProcesses = (sql: Sql, answering: string | undefined): Promise<Row[]> => sql<Row>`
  select p.id, p.role, p.host, p.pid, p.started_at, p.id = ${answering ?? null}::uuid is true as is_answering, p.reported_at, p.report
  from processes p where ${holdsItsLock} order by p.started_at, p.id`

const dayMs = 86_400_000

/** Compared with the oldest size of the last week: a day alone says little. */
async function readSizes(sql: Sql) {
  const sizes = await readGrowth(sql)
  const before = await sql<{ what: string; bytes: number; measured_at: Date; age_ms: number }>`
    select distinct on (what) what, bytes, measured_at, greatest(extract(epoch from now() - measured_at) * 1000, 0)::float8 as age_ms
    from stored_sizes where day >= (now() at time zone 'utc')::date - 7 order by what, day`
  return sizes.map(({ what, bytes, rows, oldest }) => {
    const then = before.find((row) => row.what === what)
    return {
      what,
      bytes,
      rows,
      oldest_at: oldest,
      bytes_a_day: then && then.age_ms >= dayMs ? Math.round((bytes - then.bytes) / (then.age_ms / dayMs)) : null,
      grown_bytes: then ? bytes - then.bytes : null,
      measured_at: then?.measured_at ?? null,
    }
  })
}
