// Inserts cases, whoever makes them: row, labels, timeline and event, many in one statement, and each external_id once.
import { part, type Part, type Sql } from '../../../base/db.ts'
import { newId } from '../../../base/ids.ts'
import { insertEvents } from '../../../kit/event.ts'
import { priorities, type Priority } from '../../../kit/states.ts'
import { notifyOfQueue } from './announceQueue.ts'
import { caseEventData } from './caseEventData.ts'

interface NewCase {
  id: string
  team_id: string
  queue_id: string
  title: string
  data: string
  priority: Priority
  external_id: string | null
  created_by_user_id: string | null
  created_by_run_id: string | null
  /** Labels of its queue, locked by the caller. */
  label_ids?: string[]
}

export interface Inserted {
  id: string
  created_at: Date
  /** True if a case with its external_id existed already. */
  existing: boolean
}

/** Returns the cases in the order given; undefined: its queue is gone. The queue's agents are notified when the caller's transaction commits. */
export async function insertCases(sql: Sql, rows: NewCase[]): Promise<(Inserted | undefined)[]> {
  const there = new Map<string, Named>()
  let open = [...new Map(rows.toReversed().map((row) => [nameOf(row), row])).values()]
  // tries again for a case that existed and is being deleted: the first try has waited until it is gone
  for (let round = 0; round < 2 && open.length > 0; round++) {
    for (const one of await insert(sql, open)) there.set(nameOf(one), one)
    open = open.filter((row) => !there.has(nameOf(row)))
    for (const one of await existing(sql, open)) there.set(nameOf(one), one)
    open = open.filter((row) => !there.has(nameOf(row)))
  }
  return rows.map((row) => {
    const one = there.get(nameOf(row))
    return one && { id: one.id, created_at: one.created_at, existing: one.id !== row.id }
  })
}

type Named = Pick<NewCase, 'id' | 'queue_id' | 'external_id'> & { created_at: Date }

/** The key of a case: its external_id in its queue, or else its own id. */
const nameOf = ({ id, queue_id, external_id }: Omit<Named, 'created_at'>): string =>
  external_id === null ? id : `${queue_id} ${external_id}`

/** Returns the cases that were made. */
async function insert(sql: Sql, rows: NewCase[]): Promise<Named[]> {
  const hasLabels = rows.some(({ label_ids }) => label_ids && label_ids.length > 0)
  const wanted = JSON.stringify(
    rows.map((row) => ({
      ...row,
      priority: priorities.indexOf(row.priority),
      label_ids: row.label_ids ?? [],
      event_id: newId(),
      timeline_id: newId(),
    })),
  )
  const made = await sql<Named>`
    with wanted as materialized (
      select * from json_to_recordset(${wanted}::json) as w (
        id uuid, team_id uuid, queue_id uuid, title text, data text, priority smallint, external_id text, created_by_user_id uuid,
        created_by_run_id uuid, label_ids uuid[], event_id uuid, timeline_id uuid)
    ),
    queue as materialized (
      select id, team_id from queues where id = any(${[...new Set(rows.map(({ queue_id }) => queue_id))]}::uuid[]) for key share
    ),
    made as (
      insert into cases as c (id, team_id, queue_id, title, data, priority, external_id, created_by_user_id, created_by_run_id)
      select w.id, w.team_id, w.queue_id, w.title, w.data, w.priority, w.external_id, w.created_by_user_id, w.created_by_run_id
      from wanted w join queue q on q.id = w.queue_id and q.team_id = w.team_id
      -- in one order for everybody, so that two who bring the same ones do not wait for each other
      order by w.queue_id, w.external_id, w.id
      on conflict (queue_id, external_id) where external_id is not null do nothing
      returning c.id, c.queue_id, c.external_id, c.created_at, c as shown
    ),
    timeline as (
      insert into case_events (id, team_id, case_id, type, run_id, user_id)
      select w.timeline_id, w.team_id, w.id, 'created', w.created_by_run_id, w.created_by_user_id from made join wanted w using (id)
    ),
    ${hasLabels ? linked : toldAtOnce},
    called as (
      select ${notifyOfQueue(part`q.queue_id::text`)} from (select distinct queue_id from made) q
      where exists (select from case_triggers t where t.queue_id = q.queue_id and t.enabled)
    )
    select id, queue_id, external_id, created_at, (select count(*) from called) as called from made`
  if (hasLabels) await tellOfLabelled(sql, wanted, made)
  return made
}

const linked: Part = part`
    linked as (
      insert into case_labels (case_id, label_id, created_at)
      select made.id, label.id, made.created_at from made join wanted w on w.id = made.id, unnest(w.label_ids) as label (id)
      on conflict do nothing
    )`

const eventOfNew = caseEventData({
  eventId: part`w.event_id`,
  shown: part`made.shown`,
  runId: part`w.created_by_run_id`,
  agentId: part`r.agent_id`,
  event: part`'queue.case.created'`,
})

/** The event names the agent of the run that made the case. */
const tellOf = (made: Part): Part =>
  insertEvents(part`
      select w.event_id, w.team_id, 'queue.case.created',
        ${eventOfNew}
      from ${made} join wanted w on w.id = made.id left join runs r on r.id = w.created_by_run_id`)

const toldAtOnce: Part = part`told as (${tellOf(part`made`)})`

/** An event shows the labels, which only the next statement sees. */
async function tellOfLabelled(sql: Sql, wanted: string, made: Named[]): Promise<void> {
  await sql`
    with wanted as materialized (
      select * from json_to_recordset(${wanted}::json) as w (id uuid, team_id uuid, created_by_run_id uuid, event_id uuid)
    )
    ${tellOf(part`(select c.id, c as shown from cases c where c.id = any(${made.map(({ id }) => id)}::uuid[])) made`)}`
}

/** Locked against their deletion. */
async function existing(sql: Sql, rows: NewCase[]): Promise<Named[]> {
  const named = rows.filter(({ external_id }) => external_id !== null)
  if (named.length === 0) return []
  return sql<Named>`
    select c.* from unnest(${named.map(({ team_id }) => team_id)}::uuid[], ${named.map(({ queue_id }) => queue_id)}::uuid[],
      ${named.map(({ external_id }) => external_id)}::text[]) as w (team_id, queue_id, external_id), lateral (
      select c.id, c.queue_id, c.external_id, c.created_at from cases c
      where c.queue_id = w.queue_id and c.external_id = w.external_id and c.team_id = w.team_id limit 1 for key share) c`
}
