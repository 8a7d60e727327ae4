// Counts the open cases of a queue by their age, so that one sees what lies too long.
import { literals } from '../../../base/db.ts'
import { operation } from '../../../kit/operation.ts'
import { Id, nullable, Time, Type } from '../../../kit/schema.ts'
import { caseStatuses, endedCaseStatuses } from '../../../kit/states.ts'

const hour = 3600
/** Where one age ends and the next begins, in seconds; the last age has no end. */
const ends = [hour, 4 * hour, 24 * hour, 3 * 24 * hour, 7 * 24 * hour, 30 * 24 * hour]
const isEnded = (status: string): boolean => endedCaseStatuses.some((one) => one === status)
const open = caseStatuses.filter((status) => !isEnded(status))
const Count = Type.Integer({ minimum: 0 })

interface Row {
  age: number
  display_status: string
  cases: number
  oldest: Date
}

export const getCaseAges = operation({
  id: 'getCaseAges',
  client: 'cases.ages',
  route: 'GET /v2/queues/:queue_id/ages',
  summary: 'Get the ages of open cases',
  description:
    'How many open cases there are of each age since their creation, by status. `oldest_at`: when the oldest open case was made.',
  scope: 'queues:read',
  status: 200,
  answer: Type.Object({
    queue_id: Id,
    oldest_at: nullable(Time),
    ages: Type.Array(
      Type.Object({
        from_seconds: Count,
        until_seconds: nullable(Type.Integer({ description: 'Null: any age from `from_seconds` on.' })),
        pending: Count,
        in_progress: Count,
        needs_input: Count,
        postponed: Count,
      }),
    ),
  }),
  async handler({ queue, sql }) {
    // by the index of statuses alone: open cases are few beside those that have ended
    const rows = await sql<Row>`
      select width_bucket(extract(epoch from now() - created_at)::float8, ${ends}::float8[]) as age, display_status,
        count(*)::int as cases, min(created_at) as oldest
      from cases where queue_id = ${queue.id} and display_status in (${literals(open)}) group by 1, 2`
    const oldest = rows.map((row) => row.oldest.getTime())
    const of = (age: number, status: string): number =>
      rows.find((row) => row.age === age && row.display_status === status)?.cases ?? 0
    return {
      queue_id: queue.id,
      oldest_at: oldest.length === 0 ? null : new Date(Math.min(...oldest)),
      ages: [0, ...ends].map((from, age) => ({
        from_seconds: from,
        until_seconds: ends[age] ?? null,
        pending: of(age, 'pending'),
        in_progress: of(age, 'in_progress'),
        needs_input: of(age, 'needs_input'),
        postponed: of(age, 'postponed'),
      })),
    }
  },
})
