// Reads what is new for groups of readers: which of them have something, and the next batch of it.
import { mustHave } from '../base/mustHave.ts'
import { part, wordList, type Part, type Sql } from '../base/db.ts'
import type { EventName } from './event.ts'
import { batchPosition, oldestOfSnapshot, type Position } from './eventPositions.ts'
import { eventsOfBatch, type BatchRow, type EventOfBatch } from './eventsOfBatch.ts'
import { endedStatuses } from './states.ts'

/** SQL list for `status in …`. */
const endedList = wordList(endedStatuses)

/** How many batches of events are read for a group at a time. */
const batchesMax = 100
/** How many events and characters a group gets at a time; the first event always comes. After so many bytes no other batch is read. */
const eventsMax = 1000
const bytesMax = 1024 * 1024

/** What one group gets. */
export interface Batch<Place> {
  events: ReadEvent<Place>[]
  isMore: boolean
}

/** Where the readers of a run are: behind the event with this sequence. */
export interface InRun {
  teamId: string
  runId: string
  after: number
}

/** Where the readers of a team are. */
export interface InTeam {
  teamId: string
  after: Position
}

/** What the readers of one run get. */
export interface RunBatch extends Batch<number> {
  /** The sequence of the run's newest event. */
  newest: number
  /** Undefined: the run has not ended. */
  ended: Ended | undefined
}

export interface Ended {
  /** Null: the run was deleted. */
  status: string | null
}

export interface ReadEvent<Place> {
  /** Its sequence in the run, or its position in the team. */
  place: Place
  id: string
  event: EventName
  /** The only member who may read it; null: whoever may read this kind. Undefined for events of one run, which its reader found. */
  onlyFor?: string | null
  /** The envelope of events.md; there is no delivery here, so its id is the event's own. */
  text: string
}

/** The groups as rows `w`. An array that the planner does not see is as long as any other, so one plan serves them all. */
const runRows = (groups: InRun[]): Part => part`unnest((select ${groups.map(({ teamId }) => teamId)}::uuid[]),
      (select ${groups.map(({ runId }) => runId)}::uuid[]), (select ${groups.map(({ after }) => after)}::bigint[]))
      with ordinality as w (team_id, run_id, after, place)
    left join lateral (
      select id, event_seq, status from runs where id = w.run_id and team_id = w.team_id limit 1) r on true`

const hasMoved = part`(r.id is null or r.event_seq > w.after or r.status in ${endedList})`

/** The groups whose run has events behind the reader’s, has ended, or is gone. */
export async function runsThatMoved<G extends InRun>(sql: Sql, groups: G[]): Promise<G[]> {
  const moved = await sql<{ place: number }>`select w.place from ${runRows(groups)} where ${hasMoved}`
  return moved.map(({ place }) => mustHave(groups[place - 1], 'the group of a run that moved'))
}

/** The groups as rows `w`. */
const teamRows = (groups: InTeam[]): Part => part`unnest((select ${groups.map(({ teamId }) => teamId)}::uuid[]),
      (select ${groups.map(({ after }) => after.xid)}::bigint[]), (select ${groups.map(({ after }) => after.last)}::bigint[]),
      (select ${groups.map(({ after }) => after.id)}::uuid[]), (select ${groups.map(({ after }) => after.place)}::int[]))
      with ordinality as w (team_id, xid, last, id, after, place)`

/** The batches `b` of the team of `w` that have events behind its position, before the transaction `until`. */
const behindTeam = (until: Part): Part => part`b.team_id = w.team_id and b.xid >= w.xid and b.xid < ${until}
      and (${batchPosition}) >= (w.xid, w.last, w.id) and (b.id <> w.id or length(b.kinds) > w.after + 1)`

/** The groups whose team has events behind the reader's, from transactions before `until`. */
export async function teamsThatMoved<G extends InTeam>(sql: Sql, groups: G[], until: number): Promise<G[]> {
  const moved = await sql<{ place: number }>`
    select w.place from ${teamRows(groups)}
    where exists (select 1 from event_batches b where ${behindTeam(part`${until}`)})`
  return moved.map(({ place }) => mustHave(groups[place - 1], 'the group of a team that moved'))
}

interface Row extends BatchRow {
  /** The place of its group among the groups. */
  place: number
  xid: number
  only_for?: string | null
  /** Another batch of the group was found, which may not come with this one. */
  has_next: boolean | null
}

/**
 * SQL for the next batches of a group, as they are stored: those `b` that `of` finds. Each comes whole, and so does the one that goes
 * beyond the bytes.
 */
const nextOf = (of: Part, order: Part): Part => part`
  select id, team_id, run_id, agent_id, case_id, last, xid, created_at, kinds, entries, has_next
  from (
    select b.*, lead(true) over so_far as has_next, sum(octet_length(b.entries)) over so_far - octet_length(b.entries) as bytes_before
    from (
      select id, team_id, run_id, agent_id, case_id, last, xid, created_at, kinds, entries::text as entries
      from event_batches b where ${of} order by ${order} limit ${batchesMax}
    ) b window so_far as (order by ${order} rows unbounded preceding)
  ) b where bytes_before <= ${bytesMax}::bigint`

interface RowOfRun extends Row {
  newest: number | null
  status: string | null
  has_ended: boolean
}

/**
 * A run that has not moved has no row. One that has moved has a row without a batch if its events were erased. Those of a deleted run are not
 * read: they are about to be.
 */
export async function runEvents(sql: Sql, groups: InRun[]): Promise<RunBatch[]> {
  // found by the run alone: where nothing is known of the tables yet, all batches of its team would be looked at too
  const next = nextOf(part`b.run_id = w.run_id and b.last > w.after`, part`b.last`)
  const rows = await sql<RowOfRun>`
    select w.place, r.event_seq as newest, r.status, coalesce(r.status in ${endedList}, true) as has_ended, e.*
    from ${runRows(groups)} left join lateral (${next}) e on e.team_id = w.team_id and r.id is not null
    where ${hasMoved} order by w.place, e.last`
  const runs = new Map(rows.map((row) => [row.place, row]))
  const batches = batchesOf(groups, rows.filter(isBatch), firstInRun, sequenceOf)
  return groups.map(({ after }, index) => {
    const run = runs.get(index + 1)
    const ended = run?.has_ended ? { status: run.status } : undefined
    return { ...mustHave(batches[index], 'the events of a run'), newest: run?.newest ?? after, ended }
  })
}

/** A row that only tells something else has no batch. */
const isBatch = ({ id }: { id: string | null }): boolean => id !== null

const firstInRun = ({ last, kinds }: Row, { after }: InRun): number => after - (last ?? 0) + kinds.length
const sequenceOf = (_: Row, { sequence }: EventOfBatch): number => sequence

/** Stands for nobody, as in artifact_reader. */
const nobody = '00000000-0000-0000-0000-000000000000'

/**
 * SQL for the next batches of teams, from transactions before `until`. The readers of a team share what is read. So each event comes with who
 * may read it, as its run is now. Of a deleted run nobody knows that any more, and its events are about to be erased.
 */
const nextOfTeams = (groups: InTeam[], until: Part): Part => part`
    select w.place, e.*, case when r.source = 'artifact' then artifact_reader(r.agent_id)
      when e.run_id is not null and r.id is null then ${nobody}::uuid end as only_for
    from ${teamRows(groups)} cross join lateral (${nextOf(behindTeam(until), batchPosition)}) e
    left join lateral (select id, source, agent_id from runs where id = e.run_id limit 1) r on true`

const teamOrder = part`e.place, e.xid, coalesce(e.last, 0), e.id`

export async function teamEvents(sql: Sql, groups: InTeam[], until: number): Promise<Batch<Position>[]> {
  const rows = await sql<Row>`select * from (${nextOfTeams(groups, part`${until}`)}) e order by ${teamOrder}`
  return batchesOf(groups, rows, firstInTeam, positionOf)
}

/** What a statement that went by its own snapshot found. */
export interface SurelyRead {
  batches: Batch<Position>[]
  /** The oldest open transaction of any database; undefined: none is open. */
  oldest: number | undefined
  /** Newer transactions than that have written events of these teams, which come when it has ended. */
  isHeld: boolean
}

/** The same as far as the statement itself can be sure of it. */
export async function surelyTeamEvents(sql: Sql, groups: InTeam[]): Promise<SurelyRead> {
  const rows = await sql<Row & { oldest: number; is_any_open: boolean; is_held: boolean }>`
    select s.xid as oldest, s.is_any_open, s.is_any_open and exists (
        select from unnest((select ${groups.map(({ teamId }) => teamId)}::uuid[])) t (id)
        where exists (select from event_batches b where b.team_id = t.id and b.xid >= s.xid)) as is_held, e.*
    from ${oldestOfSnapshot} s left join lateral (${nextOfTeams(groups, part`s.xid`)}) e on true order by ${teamOrder}`
  const { oldest, is_any_open, is_held } = mustHave(rows[0], 'what the statement went by')
  const batches = batchesOf(groups, rows.filter(isBatch), firstInTeam, positionOf)
  return { batches, oldest: is_any_open ? oldest : undefined, isHeld: is_held }
}

const firstInTeam = ({ id }: Row, { after }: InTeam): number => (id === after.id ? after.place + 1 : 0)
const positionOf = ({ xid, last, id }: Row, { place }: EventOfBatch): Position => ({ xid, last: last ?? 0, place, id })

/** `firstOf` says which place of a batch is the first behind the group. */
function batchesOf<G, Place>(
  groups: G[],
  rows: Row[],
  firstOf: (row: Row, group: G) => number,
  placeOf: (row: Row, event: EventOfBatch) => Place,
): Batch<Place>[] {
  const rowsOf = Map.groupBy(rows, ({ place }) => place)
  return groups.map((group, index) => {
    const own = rowsOf.get(index + 1) ?? []
    const events: ReadEvent<Place>[] = []
    let length = 0
    for (const row of own) {
      for (const event of eventsOfBatch(row, Math.max(0, firstOf(row, group)))) {
        length += event.text.length
        if (events.length > 0 && (events.length === eventsMax || length > bytesMax)) return { events, isMore: true }
        const { id, event: name, text } = event
        const onlyFor = row.only_for
        events.push({ place: placeOf(row, event), id, event: name, ...(onlyFor !== undefined && { onlyFor }), text })
      }
    }
    return { events, isMore: own.at(-1)?.has_next === true || own.length === batchesMax }
  })
}
