// Where an event stands in its team's stream: a position, given after the event's commit by whoever reads that stream.
import { type Database, one, part, type Sql } from '../base/db.ts'
import { positionLockClass } from '../base/locks.ts'

/**
 * Ids and times are made before a commit, so an event with an older id may become visible after one with a newer id, and
 * "everything after the last id that I saw" would lose it. Positions are given under a lock of the team to events that are
 * visible already: whoever sees a position sees every smaller one too. Only teams with streams pay for them.
 */

/** How long a stream can be resumed. */
const kept = part`interval '24 hours'`
/** No transaction of ours is open for longer: what was created before this is visible by now, or never will be. */
const transactionMaxS = 120
const daySeconds = 86_400
const batch = 10_000

/** A team's events from here on get positions. */
const lineStart = part`greatest(l.since, now() - ${kept})`

/** Gives positions to what has none, in those teams that nobody else does it for right now. True: there is more to do. */
export async function givePositions(db: Database, teamIds: string[]): Promise<boolean> {
  const waiting = await db.sql<{ team_id: string }>`
    select l.team_id from event_lines l
    where l.team_id = any(${teamIds}::uuid[]) and exists (
      select 1 from events e where e.team_id = l.team_id and e.position is null and e.created_at >= ${lineStart})`
  if (waiting.length === 0) return false
  return db.transaction(async (sql) => {
    const ours = await sql<{ team_id: string }>`
      select team_id from unnest(${waiting.map(({ team_id }) => team_id)}::uuid[]) as t (team_id)
      where pg_try_advisory_xact_lock(${positionLockClass}, hashtext(team_id::text))`
    if (ours.length === 0) return false
    const ids = ours.map(({ team_id }) => team_id)
    return giveBatch(sql, ids)
  })
}

/**
 * Statements of their own after the lock was taken, so that they see what the last holder of the lock committed. Events of one
 * run go by their sequence, and otherwise by time: each counts as late as the latest that stands before it in its run. A large
 * backlog is cut by time, and those just behind the cut are looked at too, for they may stand before one that is within. True:
 * it was cut.
 */
async function giveBatch(sql: Sql, teamIds: string[]): Promise<boolean> {
  const due = await sql<{ id: string; is_cut: boolean }>`
    with line as materialized (
      select l.team_id, ${lineStart} as since, coalesce(last.created_at, 'infinity') as until
      from event_lines l left join lateral (
        select e.created_at from events e
        where e.team_id = l.team_id and e.position is null and e.created_at >= ${lineStart}
        order by e.created_at offset ${batch - 1} limit 1) last on true
      where l.team_id = any(${teamIds}::uuid[])
    ),
    waiting as materialized (
      select e.id, e.team_id, e.sequence, l.until,
        max(e.created_at) over (partition by e.team_id, coalesce(e.run_id, e.id) order by e.sequence) as at
      from line l join events e on e.team_id = l.team_id and e.position is null and e.created_at >= l.since
        and e.created_at <= l.until + make_interval(secs => ${transactionMaxS})
    ),
    cut as materialized (
      select id, sequence, at, until, at <= greatest(until, min(at) over (partition by team_id)) as is_within from waiting
    )
    select id, until < 'infinity' as is_cut from cut where is_within order by at, sequence, id`
  // apart from the statement above, where the planner takes a handful for a ninth of the table and reads all of it
  await sql`
    with next as materialized (
      select id, nextval('event_positions') as position
      from (select id from unnest(${due.map(({ id }) => id)}::uuid[]) with ordinality as d (id, place) order by place) in_order
    )
    update events e set position = next.position
    from next where e.id = next.id and e.team_id = any(${teamIds}::uuid[])`
  return due.some(({ is_cut }) => is_cut)
}

export interface Opened {
  /** The stream continues after this position. */
  after: number
  /** True when some events between the position asked for and this one are no longer stored. */
  isGap: boolean
}

/** Where a stream begins: now, or behind the event that its reader had last. */
export async function openLine(db: Database, teamId: string, lastEventId: number | undefined): Promise<Opened> {
  for (;;) {
    const opened = await db.transaction(async (sql) => {
      await sql`select pg_advisory_xact_lock(${positionLockClass}, hashtext(${teamId}::text))`
      if (lastEventId !== undefined) return resume(sql, teamId, lastEventId)
      await holdLine(sql, teamId, transactionMaxS)
      // what is visible now gets its position before the stream's first, however much that is
      if (await giveBatch(sql, [teamId])) return undefined
      return { after: await lastPosition(sql), isGap: false }
    })
    if (opened) return opened
  }
}

async function resume(sql: Sql, teamId: string, lastEventId: number): Promise<Opened> {
  const lineAfter = await holdLine(sql, teamId, daySeconds)
  if (lastEventId < lineAfter) return { after: lineAfter, isGap: true }
  const [next] = await sql<{ is_old: boolean }>`
    select created_at <= now() - ${kept} as is_old from events
    where team_id = ${teamId} and position > ${lastEventId} order by position limit 1`
  const newest = await lastPosition(sql)
  // a position that was never assigned would hide all events up to it
  if (!next?.is_old) return { after: Math.min(lastEventId, newest), isGap: false }
  const [oldestKept] = await sql<{ position: number }>`
    select position from events
    where team_id = ${teamId} and position > ${lastEventId} and created_at > now() - ${kept} order by position limit 1`
  return { after: oldestKept ? oldestKept.position - 1 : newest, isGap: true }
}

/**
 * From its start on, a line has no gaps. If nobody read it for as long as events are stored, no reader can hold a valid position of it:
 * then a new line begins, and the events in between get no positions. Answers with the position after which the line begins.
 */
async function holdLine(sql: Sql, teamId: string, backSeconds: number): Promise<number> {
  const [held] = await sql<{ after_position: number }>`
    update event_lines set looked_at = now() where team_id = ${teamId} and looked_at > now() - ${kept}
    returning after_position`
  if (held) return held.after_position
  // a position that no event gets, so that every older one lies before it
  const begun = await one(sql<{ after_position: number }>`
    insert into event_lines (team_id, since, after_position)
    values (${teamId}, now() - make_interval(secs => ${backSeconds}), nextval('event_positions'))
    on conflict (team_id) do update
      set since = excluded.since, after_position = excluded.after_position, looked_at = excluded.looked_at
    returning after_position`)
  return begun.after_position
}

/** Notes that positions of these lines are still read. */
export async function renewLines(sql: Sql, teamIds: string[]): Promise<void> {
  await sql`update event_lines set looked_at = now() where team_id = any(${teamIds}::uuid[])`
}

async function lastPosition(sql: Sql): Promise<number> {
  const last = await one(sql<{ position: number }>`
    select case when is_called then last_value else 0 end as position from event_positions`)
  return last.position
}
