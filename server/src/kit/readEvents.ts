// Reads what is new for groups of readers: which of them have something, and the next batch of it.
import { mustHave } from '../base/mustHave.ts'
import { part, wordList, type Part, type Sql } from '../base/db.ts'
import { eventText, type EventName } from './event.ts'
import { batchPosition, type Position } from './eventPositions.ts'
import { endedStatuses } from './states.ts'

/** SQL list for `status in …`. */
const endedList = wordList(endedStatuses)

/** How many batches of events are read for a group at a time. */
const batchesMax = 100
/** How many events and bytes a group gets at a time; the first event always comes. After so many bytes no other batch is read. */
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

export interface Moved<G extends InRun> {
  group: G
  /** The sequence of the run's newest event. */
  newest: number
  /** Null: the run was deleted. */
  status: string | null
  hasEnded: boolean
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

/** The groups whose run has events behind the reader’s, has ended, or is gone. */
export async function runsThatMoved<G extends InRun>(sql: Sql, groups: G[]): Promise<Moved<G>[]> {
  const moved = await sql<{ place: number; newest: number | null; status: string | null; has_ended: boolean }>`
    select w.place, r.event_seq as newest, r.status, coalesce(r.status in ${endedList}, true) as has_ended
    from unnest(${groups.map(({ teamId }) => teamId)}::uuid[], ${groups.map(({ runId }) => runId)}::uuid[],
      ${groups.map(({ after }) => after)}::bigint[]) with ordinality as w (team_id, run_id, after, place)
    left join lateral (
      select id, event_seq, status from runs where id = w.run_id and team_id = w.team_id limit 1) r on true
    where r.id is null or r.event_seq > w.after or r.status in ${endedList}`
  return moved.map(({ place, newest, status, has_ended }) => {
    const group = mustHave(groups[place - 1], 'the group of a run that moved')
    return { group, newest: newest ?? group.after, status, hasEnded: has_ended }
  })
}

/** The groups as rows `w`. */
const teamRows = (groups: InTeam[]): Part => part`unnest(${groups.map(({ teamId }) => teamId)}::uuid[],
      ${groups.map(({ after }) => after.xid)}::bigint[], ${groups.map(({ after }) => after.last)}::bigint[],
      ${groups.map(({ after }) => after.id)}::uuid[], ${groups.map(({ after }) => after.place)}::int[])
      with ordinality as w (team_id, xid, last, id, after, place)`

/** The batches `b` of the team of `w` that have events behind its position, before the transaction `until`. */
const behindTeam = (until: number): Part => part`b.team_id = w.team_id and b.xid >= w.xid and b.xid < ${until}
      and (${batchPosition}) >= (w.xid, w.last, w.id) and (b.id <> w.id or length(b.kinds) > w.after + 1)`

/** The groups whose team has events behind the reader's, from transactions before `until`. */
export async function teamsThatMoved<G extends InTeam>(sql: Sql, groups: G[], until: number): Promise<G[]> {
  const moved = await sql<{ place: number }>`
    select w.place from ${teamRows(groups)}
    where exists (select 1 from event_batches b where ${behindTeam(until)})`
  return moved.map(({ place }) => mustHave(groups[place - 1], 'the group of a team that moved'))
}

interface Row {
  /** The place of its group among the groups. */
  place: number
  xid: number
  last: number
  batch_id: string
  batch_place: number
  sequence: number
  id: string
  event: EventName
  created_at: Date
  data: string
  only_for?: string | null
  /** Whether more events were found than come at a time. */
  is_cut: boolean
}

/**
 * SQL for the next events of a group: of the batches `b` that `of` finds, those events `e` that `isNext` holds for. The size of a text is
 * known before it is sent.
 */
const nextOf = (of: Part, order: Part, isNext: Part): Part => part`
  select xid, last, batch_id, batch_place, sequence, id, run_id, event, created_at, data,
    bytes_after > ${bytesMax}::bigint or events_after > ${eventsMax}::int or batches_after < found or found = ${batchesMax} as is_cut
  from (
    select *, sum(octet_length(data)) over (order by batch, batch_place) as bytes_so_far, row_number() over (order by batch, batch_place) as number,
      sum(octet_length(data)) over () as bytes_after, count(*) over () as events_after, max(batch) over () as batches_after
    from (
      select b.xid, coalesce(b.last, 0) as last, b.id as batch_id, e.place as batch_place, coalesce(e.sequence, 0) as sequence, e.id, b.run_id, e.event,
        b.created_at, b.batch, b.found, ${eventText} as data
      from (
        select *, row_number() over size as batch, count(*) over () as found, sum(bytes) over size - bytes as bytes_before
        from (
          select b.*, octet_length(b.entries::text) as bytes from event_batches b where ${of} order by ${order} limit ${batchesMax}
        ) b window size as (order by ${order})
      ) b cross join lateral event_rows(b.id, b.last, b.kinds, b.entries) e where b.bytes_before <= ${bytesMax}::bigint and (${isNext})
    ) e
  ) e where number = 1 or (number <= ${eventsMax} and bytes_so_far <= ${bytesMax}::bigint)`

export async function runEvents(sql: Sql, groups: InRun[]): Promise<Batch<number>[]> {
  const rows = await sql<Row>`
    select w.place, e.*
    from unnest(${groups.map(({ teamId }) => teamId)}::uuid[], ${groups.map(({ runId }) => runId)}::uuid[],
      ${groups.map(({ after }) => after)}::bigint[]) with ordinality as w (team_id, run_id, after, place)
    cross join lateral (${nextOf(
      part`b.run_id = w.run_id and b.team_id = w.team_id and b.last > w.after`,
      part`b.last`,
      part`e.sequence > w.after`,
    )}) e
    order by w.place, e.sequence`
  return batchesOf(groups, rows, ({ sequence }) => sequence)
}

/** Stands for nobody, as in artifact_reader. */
const nobody = '00000000-0000-0000-0000-000000000000'

/**
 * The readers of a team share what is read. So each event comes with who may read it, as its run is now. Of a deleted run nobody knows
 * that any more, and its events are about to be erased.
 */
export async function teamEvents(sql: Sql, groups: InTeam[], until: number): Promise<Batch<Position>[]> {
  const rows = await sql<Row>`
    select w.place, e.*, case when r.source = 'artifact' then artifact_reader(r.agent_id)
      when e.run_id is not null and r.id is null then ${nobody}::uuid end as only_for
    from ${teamRows(groups)}
    cross join lateral (
      ${nextOf(behindTeam(until), batchPosition, part`b.id <> w.id or e.place > w.after`)}) e
    left join lateral (select id, source, agent_id from runs where id = e.run_id limit 1) r on true
    order by w.place, e.xid, e.last, e.batch_id, e.batch_place`
  return batchesOf(groups, rows, ({ xid, last, batch_place: place, batch_id: id }) => ({ xid, last, place, id }))
}

function batchesOf<Place>(groups: unknown[], rows: Row[], placeOf: (row: Row) => Place): Batch<Place>[] {
  const batches: Batch<Place>[] = groups.map(() => ({ events: [], isMore: false }))
  for (const row of rows) {
    const to = mustHave(batches[row.place - 1], 'the batch of an event')
    to.events.push(readEvent(row, placeOf(row)))
    to.isMore = row.is_cut
  }
  return batches
}

/** `data` is taken as the database writes it: parsing it only to write it again would be most of a stream's work. */
function readEvent<Place>({ id, event, created_at, data, only_for: onlyFor }: Row, place: Place): ReadEvent<Place> {
  const head = JSON.stringify({ id, event, created_at })
  return { place, id, event, ...(onlyFor !== undefined && { onlyFor }), text: `${head.slice(0, -1)},"data":${data}}` }
}
