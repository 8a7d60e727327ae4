// What a process reports about itself, as callers see it.
import { named, nullable, Time, Type } from '../../kit/schema.ts'

const Count = (description?: string) => Type.Integer({ minimum: 0, ...(description && { description }) })

const LoopReport = named(
  'LoopReport',
  Type.Object({
    name: Type.String({ examples: ['schedules tick'] }),
    turns: Count(),
    failures: Count(),
    last_at: nullable(Time),
    late_ms: Count('How much later than planned the last turn began.'),
    took_ms: Count('How long the last whole turn took.'),
    under_way_ms: nullable(Count('How long the present turn has been; null between two turns.')),
  }),
)

const LaneReport = named(
  'LaneReport',
  Type.Object({
    name: Type.String({ examples: ['apply'] }),
    commits: Count(),
    operations: Count('Writes that shared these commits.'),
    mean_ms: Count('How long a commit took on average.'),
    waiting: Count('Writes that wait for the next commit.'),
  }),
)

const PoolReport = named(
  'PoolReport',
  Type.Object({
    name: Type.String({ examples: ['file transfers'] }),
    size: Count(),
    taken: Count(),
    waiting: Count(),
    per_team: nullable(Count('How many slots one team may hold; null where teams do not share it by slots.')),
  }),
)

export const Report = named(
  'ProcessReport',
  Type.Object({
    version: Type.Optional(
      Type.String({ examples: ['1.0.0'], description: 'The version of the process; older ones do not say it.' }),
    ),
    migrations: Type.Optional(Count('How many migrations the process knows.')),
    memory_bytes: Count(),
    cpu_percent: Count('Of one core, since the report before.'),
    zone: Type.Optional(
      nullable(Type.String({ examples: ['eu-central-1a'], description: 'Where the process runs (`RUNYARD_ZONE`).' })),
    ),
    database: Type.Optional(
      Type.Object(
        {
          zone: nullable(
            Type.String({
              description: 'Where the server of the database says it runs (`runyard.zone` in its settings).',
            }),
          ),
          round_trip_ms: nullable(
            Type.Number({ minimum: 0, description: 'The fastest answer of the last ten seconds.' }),
          ),
        },
        { description: 'The database as the process sees it; without values while it is away.' },
      ),
    ),
    object_store: Type.Optional(
      nullable(
        Type.Object(
          {
            answered_at: nullable(Time),
            failed_at: nullable(Time),
            failure: nullable(Type.String()),
            is_answering: Type.Boolean({ description: 'When it was last asked; a refusal is an answer.' }),
          },
          { description: 'What the process saw of the object store since it started; null: it never asked.' },
        ),
      ),
    ),
    own_channel: Type.Optional(
      nullable(
        Type.String({ description: 'The channel of PostgreSQL on which it is called alone when a run is ready.' }),
      ),
    ),
    worker_pools: Type.Optional(
      nullable(
        Type.Object(
          {
            names: Type.Optional(Type.Array(Type.String({ examples: ['heavy'] }))),
            teams: Type.Array(Type.String()),
            except_teams: Type.Array(Type.String()),
          },
          { description: 'Which runs a worker takes (`RUNYARD_WORKER_POOLS`); null: all.' },
        ),
      ),
    ),
    loops: Type.Array(LoopReport),
    lanes: Type.Array(LaneReport),
    pools: Type.Array(PoolReport),
  }),
)
