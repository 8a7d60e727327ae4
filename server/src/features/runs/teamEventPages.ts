// Pages through the events of a team, newest first: by their transactions, as the stream has them, and by their time within one.
import { empty, part, type Part, type Sql } from '../../base/db.ts'
import { isVisibleTo } from '../../engine/ledger/visibleRuns.ts'

/** How many events one page looks through: a rare kind is found in steps. */
export const lookedMax = 10_000

/** The last event of the page before. */
interface Cursor {
  xid: number
  created_at: Date
  sequence: number
  id: string
}

export const cursorPattern = '^[0-9]{1,15}_[0-9]{1,15}_[0-9]{1,15}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

export function readCursor(text: string): Cursor {
  const [xid = '', ms = '', sequence = '', id = ''] = text.split('_')
  return { xid: Number(xid), created_at: new Date(Number(ms)), sequence: Number(sequence), id }
}

export const writeCursor = ({ xid, created_at, sequence, id }: Cursor): string =>
  [xid, created_at.getTime(), sequence, id].join('_')

interface Wanted {
  teamId: string
  memberId: string
  event: string | undefined
  withheld: string[]
  since: string | undefined
  runId: string | undefined
  limit: number
}

/** The ids of the next page, where the page after it begins, and until when was looked where that is not the time of its last event. */
interface IdPage {
  ids: string[]
  next: Cursor | undefined
  lookedUntil: Date | null
}

/** The transaction is named by itself, so that the index finds it. */
const behind = ({ xid, created_at, sequence, id }: Cursor): Part => part`and xid <= ${xid}
  and (xid, created_at, coalesce(sequence, 0), id) < (${xid}::bigint, ${created_at}::timestamptz, ${sequence}::bigint, ${id}::uuid)`

export async function nextIds(sql: Sql, wanted: Wanted, cursor: Cursor | undefined): Promise<IdPage> {
  const { teamId, memberId, event, withheld, since, runId, limit } = wanted
  // those of a run are found by the run alone: they are few among those of the team
  const events =
    runId === undefined ? part`events` : part`(select * from events where run_id = ${runId} offset 0) events`
  const isSince = since === undefined ? empty : part`and created_at >= ${since}::timestamptz`
  const rows = await sql<Cursor & { is_end: boolean }>`
    with looked as materialized (
      select *, row_number() over () as place from (
        select id, event, run_id, created_at, xid, coalesce(sequence, 0) as sequence from ${events}
        where team_id = ${teamId} ${cursor ? behind(cursor) : empty}
        order by xid desc, created_at desc, coalesce(sequence, 0) desc, id desc limit ${lookedMax}) newest
    ),
    found as (
      select e.* from (
        select * from looked where event <> all(${withheld}::text[])
          ${event === undefined ? empty : part`and event = ${event}`} ${isSince}
        order by place) e
      left join lateral (select * from runs where id = e.run_id limit 1) r on true
      where e.run_id is null or (r.id is not null and ${isVisibleTo(memberId, part`r`)})
      order by e.place limit ${limit}
    )
    select id, created_at, xid, sequence, place, false as is_end from found
    union all
    select id, created_at, xid, sequence, place, true from looked where place = ${lookedMax} ${isSince}
    order by is_end, place`
  const found = rows.filter(({ is_end }) => !is_end)
  // a full page ends at its last event; another one where the look ended, if there may be more behind that
  const isFull = found.length === limit
  const next = isFull ? found.at(-1) : rows.find(({ is_end }) => is_end)
  return { ids: found.map(({ id }) => id), next, lookedUntil: isFull ? null : (next?.created_at ?? null) }
}
