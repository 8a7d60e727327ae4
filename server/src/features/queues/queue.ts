// A queue: where cases wait to be worked on, in the order of its dispatch.
import { joined, literals, part, type Part } from '../../base/db.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../kit/schema.ts'
import { caseStatuses, type CaseStatus } from '../../kit/states.ts'

export const queueFields = {
  name: Type.String({ minLength: 1, maxLength: 100, examples: ['Invoices'] }),
  description: nullable(Type.String({ maxLength: 500 })),
  concurrency: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: 'How many of its cases may be in progress at once; null: as many as the team has slots.',
    }),
  ),
}

const Count = Type.Integer({ minimum: 0 })

export const Queue = named(
  'Queue',
  Type.Object({
    id: Id,
    team_id: Id,
    ...queueFields,
    counts: Type.Object({
      pending: Count,
      in_progress: Count,
      needs_input: Count,
      postponed: Count,
      completed: Count,
      failed: Count,
    } satisfies Record<CaseStatus, typeof Count>),
    created_at: Time,
    updated_at: Time,
  }),
)

export type Queue = Static<typeof Queue>

/** What handlers know of a queue that its id names: without its counts, which few of them need. */
type FoundQueue = Omit<Queue, 'counts'>

const ownColumns = part`q.id, q.team_id, q.name, q.description, q.concurrency, q.created_at, q.updated_at`

const countOf = (status: CaseStatus): Part => {
  const name = literals([status])
  return part`${name}, coalesce(sum(n.cases) filter (where n.display_status = ${name}), 0)`
}

/** The counts of `queues q` as JSON: sums of differences (case_counts), exact at any moment. */
const queueCounts = part`
  (select json_build_object(${joined(caseStatuses.map(countOf))})
    from case_counts n where n.queue_id = q.id)`

export const queueColumns = part`${ownColumns}, ${queueCounts} as counts`

export const takenName = (name: string): string =>
  `This team has a queue named ${JSON.stringify(name)} already. Choose another name.`

export const queueResource = resource(
  'queue',
  (sql, id, teamId) => sql<FoundQueue>`select ${ownColumns} from queues q where q.id = ${id} and q.team_id = ${teamId}`,
)

declare module '../../kit/resources.ts' {
  interface Resources {
    queue: FoundQueue
  }
}
