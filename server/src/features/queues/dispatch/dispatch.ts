// Dispatch: gives the next cases of a queue to its agents, each with a run of its own, in one transaction.
import { part, type Sql } from '../../../base/db.ts'
import { newId } from '../../../base/ids.ts'
import type { CaseFacts } from '../../../drivers/model/model.ts'
import type { NewRun } from '../../../engine/starting/createRun.ts'
import { engineOf } from '../../../engine/engine.ts'
import type { Context } from '../../../kit/context.ts'
import { insertEvents } from '../../../kit/event.ts'
import { caseEventData } from '../cases/caseEventData.ts'
import { isFree, isPending, moves, priorityName, setOf } from '../cases/caseLifecycle.ts'
import { dueCases } from '../cases/dueCases.ts'

/** How many cases one transaction dispatches. It holds its team's slots until it commits, and other starts wait for them. */
const casesMax = 100

interface Trigger {
  id: string
  team_id: string
  agent_id: string
  user_id: string | null
  changed_by: string | null
  concurrency: number | null
  queue_concurrency: number | null
  places: number
}

interface NextCase {
  id: string
  title: string
  data: string
  priority: string
  attempts: number
  for_agent_id: string | null
  labels: { key: string; value: string }[]
}

/** Returns how many cases got a run. If another process dispatches the same queue, nothing happens here. */
export async function dispatchQueue(context: Context, queueId: string): Promise<number> {
  for (const fresh of [false, true]) {
    try {
      return await context.db.transaction((sql) => dispatchIn(context, sql, queueId, fresh))
    } catch (error) {
      // the cached agent has changed: tried again with what is true now
      if (!(error instanceof AgentChanged) || fresh) throw error
    }
  }
  return 0
}

class AgentChanged extends Error {}

async function dispatchIn(context: Context, sql: Sql, queueId: string, fresh: boolean): Promise<number> {
  // only one process at a time has the queue's row; cases can be added at the same time
  const [queue] = await sql`select id from queues where id = ${queueId} for no key update skip locked`
  if (!queue) return 0
  const rooms = await roomsOf(sql, queueId)
  const total = Math.min(
    rooms[0]?.ofQueue ?? 0,
    rooms.reduce((sum, { room }) => sum + room, 0),
  )
  if (total <= 0 || engineOf(context).refusedLately(rooms[0]!.trigger.team_id)) return 0
  const agents = rooms.filter(({ room }) => room > 0).map(({ trigger }) => trigger.agent_id)
  const cases = await nextCases(sql, queueId, agents, Math.min(total, casesMax))
  const given = share(cases, rooms)
  const wanted = await runsFor(context, sql, queueId, given, fresh)
  // past a monthly limit of the team the others stay as they are
  const { fitting: runs } = await engineOf(context).fitting(sql, wanted)
  if (runs.length === 0) return 0
  await claimFor(sql, runs)
  const created = await engineOf(context).create(sql, runs)
  if (created.length < runs.length) throw new AgentChanged()
  return runs.length
}

interface Room {
  trigger: Trigger
  /** How many cases its agent may take now. */
  room: number
  /** How many all agents of the queue together may take. */
  ofQueue: number
}

/**
 * A statement after the lock: its counts stay true but for cases that end, which only makes room. Only agents that can start now have room: what
 * another one was given would wait, while those that could take it get nothing.
 */
async function roomsOf(sql: Sql, queueId: string): Promise<Room[]> {
  const rows = await sql<Trigger & { held: number; held_of_queue: number }>`
    with held as materialized (
      select claimed_by_agent_id as agent_id, count(*) as cases from cases
      where queue_id = ${queueId} and display_status = 'in_progress' group by claimed_by_agent_id
    )
    select t.id, t.team_id, t.agent_id, t.user_id, t.changed_by, t.concurrency, q.concurrency as queue_concurrency, coalesce(a.places, 1) as places,
      coalesce((select cases from held where held.agent_id = t.agent_id), 0)::int as held,
      coalesce((select sum(cases) from held), 0)::int as held_of_queue
    from case_triggers t join queues q on q.id = t.queue_id left join admission a on a.team_id = t.team_id
    where t.queue_id = ${queueId} and t.enabled
      and not exists (select from agents g where g.id = t.agent_id and g.paused_at is not null)
      and exists (select from builds b where b.agent_id = t.agent_id and b.status = 'live')
    order by t.created_at, t.id`
  return rows.map(({ held, held_of_queue, ...trigger }) => {
    const { concurrency, queue_concurrency, places } = trigger
    const ofQueue = (queue_concurrency ?? places) - held_of_queue
    const own = (concurrency ?? queue_concurrency ?? places) - held
    return { trigger, room: Math.max(0, Math.min(ofQueue, own)), ofQueue }
  })
}

const nextColumns = part`
  c.id, c.title, c.data, ${priorityName} as priority, c.attempts, c.for_agent_id,
  array(select json_build_object('key', l.key, 'value', l.value) from case_labels cl join labels l on l.id = cl.label_id
    where cl.case_id = c.id order by l.key, l.value) as labels`

/** Handed over to one of these, or to nobody who works the queue any more. */
const isFor = (agentIds: string[]) => part`
  (c.for_agent_id is null or c.for_agent_id = any(${agentIds}::uuid[]) or not exists (
    select from case_triggers t where t.agent_id = c.for_agent_id and t.queue_id = c.queue_id and t.enabled))`

/** Due postponed ones first, then by priority, then the oldest. */
async function nextCases(sql: Sql, queueId: string, agentIds: string[], max: number): Promise<NextCase[]> {
  const where = part`c.queue_id = ${queueId} and ${isFor(agentIds)}`
  const due = await sql<NextCase>`
    with ${dueCases({ columns: nextColumns, where, max })}
    select id, title, data, priority, attempts, for_agent_id, labels from due`
  if (due.length === max) return due
  const pending = await sql<NextCase>`
    select ${nextColumns} from cases c
    where ${where} and ${isPending}
    order by c.priority desc, c.created_at, c.id limit ${max - due.length} for update of c skip locked`
  return [...due, ...pending]
}

interface Given {
  next: NextCase
  trigger: Trigger
}

/**
 * Assigns cases in their order, each to the agent with the most room left. A case that was handed over goes only to its agent, while that
 * agent works the queue.
 */
function share(cases: NextCase[], rooms: Room[]): Given[] {
  const left = new Map(rooms.map(({ trigger, room }) => [trigger, room]))
  const isOfQueue = (id: string) => rooms.some(({ trigger }) => trigger.agent_id === id)
  return cases.flatMap((next) => {
    const wanted = next.for_agent_id !== null && isOfQueue(next.for_agent_id) ? next.for_agent_id : null
    const able = [...left].filter(([{ agent_id }, room]) => room > 0 && (wanted ?? agent_id) === agent_id)
    const [most] = able.toSorted((a, b) => b[1] - a[1])
    if (!most) return []
    left.set(most[0], most[1] - 1)
    return [{ next, trigger: most[0] }]
  })
}

/** An agent that lost its live build or was paused since rooms were counted takes nothing: its cases wait. */
async function runsFor(context: Context, sql: Sql, queueId: string, given: Given[], fresh: boolean): Promise<NewRun[]> {
  const engine = engineOf(context)
  const runs: NewRun[] = []
  const ids = given.map(({ next }) => next.id)
  const speakers = ids.length > 0 ? await speakersOf(sql, ids) : new Map<string, string[]>()
  for (const [trigger, own] of Map.groupBy(given, (one) => one.trigger)) {
    const { team_id, agent_id, user_id, changed_by } = trigger
    const target = await engine.startTargets.find(sql, team_id, agent_id, null, fresh)
    if (!target || target.paused !== null) continue
    for (const { next } of own) {
      runs.push(
        await engine.prepare({
          teamId: team_id,
          agentId: agent_id,
          buildId: target.buildId,
          source: 'case_trigger',
          userId: user_id,
          actsFor: unique([changed_by ?? user_id, ...(speakers.get(next.id) ?? [])]),
          message: messageOf(queueId, next),
          title: next.title.slice(0, 300),
          metadata: {},
          limits: target.config.limits,
          callbackUrl: null,
          sandboxId: null,
          parentRunId: null,
          retryOfRunId: null,
          depth: 0,
          case: { id: next.id, queueId, title: next.title },
          isCapped: target.config.max_concurrent_runs !== null,
          seen: target.seen,
        }),
      )
    }
  }
  return runs
}

/** Stands for a run that made or moved a case and was erased since: nobody knows any more whom it acted for. */
const somebody = '00000000-0000-0000-0000-000000000000'

/**
 * The run of a case acts for the members who made or changed the case, and for those on whose behalf runs did so. A run that only took it
 * does not count.
 */
async function speakersOf(sql: Sql, caseIds: string[]): Promise<Map<string, string[]>> {
  const rows = await sql<{ case_id: string; members: string[] }>`
    select e.case_id, array_agg(distinct s.member) as members
    from case_events e left join runs r on r.id = e.run_id and r.team_id = e.team_id,
      lateral unnest(case when e.user_id is not null then array[e.user_id]
        when r.id is not null then r.acts_for when e.run_id is not null then array[${somebody}::uuid] end) as s (member)
    where e.case_id = any(${caseIds}::uuid[]) and (e.user_id is not null or e.type <> 'claimed') group by e.case_id`
  return new Map(rows.map(({ case_id, members }) => [case_id, members]))
}

const unique = (members: (string | null)[]): string[] => [...new Set(members.filter((one) => one !== null))]

/** What a model reads of its case, and a runbook as `case`. */
const messageOf = (
  queueId: string,
  { id, title, data, priority, attempts, labels }: NextCase,
): { case: CaseFacts } => ({
  case: { id, queue_id: queueId, title, data, priority, labels, attempts: attempts + 1 },
})

const eventOfClaim = caseEventData({
  eventId: part`w.event_id`,
  shown: part`shown`,
  runId: part`w.run_id`,
  agentId: part`w.agent_id`,
  event: part`'queue.case.claimed'`,
})

const setOfClaim = setOf(moves.claimed)

/** The rows are locked, so each is still free; if one is not, nothing is dispatched. */
async function claimFor(sql: Sql, runs: NewRun[]): Promise<void> {
  const rows = runs.map(({ id, agentId, teamId, case: one }) => {
    return { case_id: one!.id, run_id: id, agent_id: agentId, team_id: teamId, event_id: newId(), timeline_id: newId() }
  })
  const claimed = await sql`
    with wanted as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as w (
        case_id uuid, run_id uuid, agent_id uuid, user_id uuid, team_id uuid, event_id uuid, timeline_id uuid)
    ),
    claimed as (
      update cases c set ${setOfClaim}
      from wanted w
      where c.id = any(${rows.map(({ case_id }) => case_id)}::uuid[]) and c.id = w.case_id and c.team_id = w.team_id and (${isFree}) is true
      returning w.case_id, c as shown
    ),
    timeline as (
      insert into case_events (id, team_id, case_id, type, run_id)
      select w.timeline_id, w.team_id, w.case_id, 'claimed', w.run_id from claimed join wanted w using (case_id)
    )
    ${insertEvents(part`
      select w.event_id, w.team_id, 'queue.case.claimed',
        ${eventOfClaim}
      from claimed join wanted w using (case_id)`)}
    returning 1`
  if (claimed.length < rows.length) throw new Error('a case was dispatched that is not free any more')
}
