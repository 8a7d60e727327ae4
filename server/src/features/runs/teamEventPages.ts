// Pages through the events of a team, newest first: by their transactions, as the stream has them, and by their time within one.
import { empty, part, type Part, type Sql } from '../../base/db.ts'
import { isVisibleTo } from '../../engine/ledger/visibleRuns.ts'
import { placesOf } from '../../kit/event.ts'
import type { EventPlace } from './listedEvents.ts'

/** How many rows of events one page looks through: a rare kind is found in steps. */
const lookedMax = 10_000

/** The last event of the page before: where its batch stands, and its place in it. */
interface Cursor {
  xid: number
  created_at: Date
  last: number
  place: number
  id: string
}

export const cursorPattern =
  '^[0-9]{1,15}_[0-9]{1,15}_[0-9]{1,15}_[0-9]{1,5}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

export function readCursor(text: string): Cursor {
  const [xid = '', ms = '', last = '', place = '', id = ''] = text.split('_')
  return { xid: Number(xid), created_at: new Date(Number(ms)), last: Number(last), place: Number(place), id }
}

export const writeCursor = ({ xid, created_at, last, place, id }: Cursor): string =>
  [xid, created_at.getTime(), last, place, id].join('_')

interface Wanted {
  teamId: string
  memberId: string
  event: string | undefined
  withheld: string[]
  since: string | undefined
  runId: string | undefined
  limit: number
}

/** The events of the next page, where the page after it begins, and until when was looked where that is not the time of its last event. */
interface PlacePage {
  found: EventPlace[]
  next: Cursor | undefined
  lookedUntil: Date | null
}

/** The transaction is named by itself, so that the index finds it. */
const behind = ({ xid, created_at, last, id }: Cursor): Part => part`and xid <= ${xid}
  and (xid, created_at, coalesce(last, 0), id) <= (${xid}::bigint, ${created_at}::timestamptz, ${last}::bigint, ${id}::uuid)`

export async function nextPlaces(sql: Sql, wanted: Wanted, cursor: Cursor | undefined): Promise<PlacePage> {
  const { teamId, memberId, event, withheld, since, runId, limit } = wanted
  // those of a run are found by the run alone: they are few among those of the team
  const batches =
    runId === undefined
      ? part`event_batches`
      : part`(select * from event_batches where run_id = ${runId} offset 0) mine`
  const isSince = since === undefined ? empty : part`and created_at >= ${since}::timestamptz`
  const rows = await sql<Cursor & { is_end: boolean }>`
    with looked as materialized (
      select *, row_number() over () as batch from (
        select id, run_id, created_at, xid, coalesce(last, 0) as last, kinds from ${batches}
        where team_id = ${teamId} ${cursor ? behind(cursor) : empty}
        order by xid desc, created_at desc, coalesce(last, 0) desc, id desc limit ${lookedMax}) newest
    ),
    found as (
      select e.* from (
        select b.id, b.run_id, b.created_at, b.xid, b.last, b.batch, e.place from ${placesOf(part`looked`)}
        where e.event <> all(${withheld}::text[])
          ${event === undefined ? empty : part`and e.event = ${event}`} ${isSince}
          ${cursor ? part`and (b.id <> ${cursor.id} or e.place < ${cursor.place})` : empty}
        order by b.batch, e.place desc) e
      left join lateral (select * from runs where id = e.run_id limit 1) r on true
      where e.run_id is null or (r.id is not null and ${isVisibleTo(memberId, part`r`)})
      order by e.batch, e.place desc limit ${limit}
    )
    select id, created_at, xid, last, batch, place, false as is_end from found
    union all
    select id, created_at, xid, last, batch, 0, true from looked where batch = ${lookedMax} ${isSince}
    order by is_end, batch, place desc`
  const found = rows.filter(({ is_end }) => !is_end)
  // a full page ends at its last event; another one where the look ended, if there may be more behind that
  const isFull = found.length === limit
  const next = isFull ? found.at(-1) : rows.find(({ is_end }) => is_end)
  return { found, next, lookedUntil: isFull ? null : (next?.created_at ?? null) }
}
