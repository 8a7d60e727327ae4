// The tool operations_queues: cases by status, and how long those that wait have been waiting.
import { joined, one, part, word, type Part, type Sql } from '../../base/db.ts'
import { isId } from '../../base/ids.ts'
import { Type } from '../../kit/schema.ts'
import { caseStatuses, type CaseStatus } from '../../kit/states.ts'
import { figures, rowsMax, sumOf } from './answer.ts'
import { earliest, oldestWaiting, Unfit } from './span.ts'

/** Ages of waiting cases: the column of each, and its name for people. */
const ages = [
  { column: 'under_1h', age: '< 1 h' },
  { column: 'under_4h', age: '1–4 h' },
  { column: 'under_1d', age: '4–24 h' },
  { column: 'under_3d', age: '1–3 days' },
  { column: 'older', age: '> 3 days' },
] as const
type AgeColumn = (typeof ages)[number]['column']

export const operationsQueues = figures({
  name: 'operations_queues',
  description:
    'Read this team’s queues as they are now. `rows` has one flat object for each queue, the most waiting first: {queue_id, queue, pending, in_progress, ' +
    'needs_input, postponed, completed, failed, open, oldest_waiting_at, oldest_waiting_s, under_1h, under_4h, under_1d, under_3d, older}. A case waits while ' +
    'it is pending; its age counts from its creation, and the last five columns are how many have which age (each without the younger ones). open: neither ' +
    'completed nor failed. `ages` adds up the ages of the rows: {age, cases}. `totals` adds up the rows. With labels true, `labels` lists the labels with ' +
    'the most open cases: {queue, label, open, cases}. Times are UTC. At most 500 rows; left_out says how many more queues there are.',
  input: Type.Object(
    {
      queue: Type.Optional(
        Type.String({ minLength: 1, maxLength: 100, description: 'Only this queue: its name or its id.' }),
      ),
      labels: Type.Optional(
        Type.Boolean({ description: 'Whether to list labels too. false unless given.', default: false }),
      ),
    },
    { additionalProperties: false },
  ),
  async read({ sql, teamId, input, now }) {
    const queueId = await queueIdOf(sql, teamId, input.queue)
    const { found, queues } = await readQueues(sql, { teamId, queueId, now })
    const rows = found.map((row) => shown(row, now))
    const columns = [...caseStatuses, 'open' as const, ...ages.map(({ column }) => column)]
    const totals = Object.fromEntries(columns.map((name) => [name, sumOf(rows, (row) => row[name])]))
    const oldest = earliest(found.map(({ oldest_waiting_at }) => oldest_waiting_at))
    return {
      at: now.toISOString(),
      time_zone: 'UTC',
      rows,
      left_out: queues - rows.length,
      ages: ages.map(({ age, column }) => ({ age, cases: sumOf(rows, (row) => row[column]) })),
      totals: { queues, ...totals, ...oldestWaiting(oldest, now) },
      ...(input.labels === true && {
        labels: await readLabels(sql, teamId, idsOf(rows)),
      }),
    }
  },
})

async function queueIdOf(sql: Sql, teamId: string, asked: string | undefined): Promise<string | null> {
  if (asked === undefined) return null
  const [found] = await sql<{ id: string }>`
    select id from queues where team_id = ${teamId} and (name = ${asked} or id = ${isId(asked) ? asked : null}::uuid)
    order by name = ${asked} desc limit 1`
  if (!found) throw new Unfit(`There is no queue with the name or id ${JSON.stringify(asked)}.`)
  return found.id
}

interface QueueRow extends Record<CaseStatus, number>, Record<AgeColumn, number> {
  queue_id: string
  queue: string
  oldest_waiting_at: Date | null
}

const ofStatus = (status: CaseStatus): Part =>
  part`coalesce(sum(n.cases) filter (where n.display_status = ${status}), 0)::bigint as ${word(status)}`

/** How many waiting cases are at least `from` and less than `below` seconds old. */
const ofAge = (now: Date, from: number, below: number): Part => {
  const before = (seconds: number, none: string) =>
    Number.isFinite(seconds) ? new Date(now.getTime() - seconds * 1000).toISOString() : none
  return part`count(*) filter (where c.created_at <= ${before(from, 'infinity')}::timestamptz
    and c.created_at > ${before(below, '-infinity')}::timestamptz)`
}

/**
 * The counts are sums of differences (case_counts), exact at any moment. The waiting cases of the queues that are shown are read once, in the index
 * alone; a condition on their times would tempt the planner to walk all cases of a time.
 */
async function readQueues(sql: Sql, { teamId, queueId, now }: { teamId: string; queueId: string | null; now: Date }) {
  const own = part`q.team_id = ${teamId} and (${queueId}::uuid is null or q.id = ${queueId})`
  const { queues } = await one(sql<{ queues: number }>`select count(*) as queues from queues q where ${own}`)
  const found = await sql<QueueRow>`
    with counted as (
      select q.id, q.name, n.*
      from queues q, lateral (select ${joined(caseStatuses.map(ofStatus))} from case_counts n where n.queue_id = q.id) n
      where ${own} order by n.pending desc, q.name limit ${rowsMax}
    )
    select q.id as queue_id, q.name as queue, ${joined(caseStatuses.map((status) => part`q.${word(status)}`))}, waiting.*
    from counted q, lateral (
      select min(c.created_at) as oldest_waiting_at, ${ofAge(now, -Infinity, 3600)} as under_1h, ${ofAge(now, 3600, 4 * 3600)} as under_4h,
        ${ofAge(now, 4 * 3600, 86_400)} as under_1d, ${ofAge(now, 86_400, 3 * 86_400)} as under_3d, ${ofAge(now, 3 * 86_400, Infinity)} as older
      from cases c where c.queue_id = q.id and c.display_status = 'pending') waiting
    order by q.pending desc, q.name`
  return { found, queues }
}

function shown(row: QueueRow, now: Date) {
  const open = row.pending + row.in_progress + row.needs_input + row.postponed
  return { ...row, open, ...oldestWaiting(row.oldest_waiting_at, now) }
}

const idsOf = (rows: { queue_id: string }[]): string[] => rows.map(({ queue_id }) => queue_id)

/** How many labels an answer lists. */
const labelsMax = 100

const readLabels = (sql: Sql, teamId: string, queueIds: string[]) => sql<{
  queue: string
  label: string
  open: number
  cases: number
}>`
  select q.name as queue, l.key || ': ' || l.value as label, n.open, n.cases
  from labels l join queues q on q.id = l.queue_id, lateral (
    select coalesce(sum(cases), 0)::bigint as cases,
      coalesce(sum(cases) filter (where display_status not in ('completed', 'failed')), 0)::bigint as open
    from label_counts where label_id = l.id) n
  where l.queue_id = any(${queueIds}::uuid[]) and l.team_id = ${teamId} and n.cases > 0
  order by n.open desc, n.cases desc, label limit ${labelsMax}`
