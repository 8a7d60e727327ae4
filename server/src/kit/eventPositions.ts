// Where an event stands in its team's stream: by the transaction that wrote it, then by its number in its run.
import { newId, timeOfId } from '../base/ids.ts'
import { one, part, type Part, type Sql } from '../base/db.ts'
import { placesOf } from './event.ts'

/**
 * Ids and times are made before a commit, so an event with an older id may become visible after one with a newer id, and
 * "everything after the last id that I saw" would lose it. So a stream goes by transactions, and only as far as the oldest one that is
 * still open: before it, everything is visible that ever will be. Nothing is written for that, whether somebody reads or not. The price:
 * an open transaction holds back the events of all later ones. Ours are short.
 */
export interface Position {
  /** The number of the transaction (event_xid). */
  xid: number
  /** The last sequence of its batch; 0 for events of no run. */
  last: number
  /** Its place in its batch. */
  place: number
  /** The id of its batch. Its time is that of the position. */
  id: string
}

/** How long a stream can be resumed. */
const keptMs = 24 * 3_600_000
const kept = part`make_interval(secs => ${keptMs / 1000})`

const form = /^(\d{1,15})-(\d{1,15})-(\d{1,5})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** The id that a reader gets with an event. */
export const positionText = ({ xid, last, place, id }: Position): string => `${xid}-${last}-${place}-${id}`

/** Undefined: no stream ever gave it. */
export function readPosition(text: string): Position | undefined {
  const [, xid, last, place, id] = form.exec(text) ?? []
  return id === undefined ? undefined : { xid: Number(xid), last: Number(last), place: Number(place), id }
}

/** Larger than every sequence: whatever its transaction wrote stands before it. */
const lastSequence = 2_147_483_647

/** Behind all transactions before this one. */
const justBefore = (xid: number): Position => ({ xid: xid - 1, last: lastSequence, place: 0, id: newId() })

/** SQL of where a batch `b` stands, in the order of the stream. */
export const batchPosition = part`b.xid, coalesce(b.last, 0), b.id`

/** Batches of a team that stand behind this position. The transaction is named by itself, so that the index finds it. */
const behind = (teamId: string, { xid, last, id }: Position): Part => part`b.team_id = ${teamId} and b.xid >= ${xid}
  and (${batchPosition}) > (${xid}::bigint, ${last}::bigint, ${id}::uuid)`

/**
 * The oldest transaction that may still write events, or the next one if none is open: a statement that begins after this sees all
 * events of older ones. Other databases of the cluster do not count, nor do other users, who cannot write here. Never inside a
 * transaction: it would get what it was told before.
 *
 * A session has the lower half of its transaction's number; numbers that were given after the snapshot look far away, and do not count.
 */
export async function oldestOpen(sql: Sql): Promise<OldestOpen> {
  const { is_any_open, anywhere, ...oldest } = await one(sql<{
    xid: number
    is_any_open: boolean
    anywhere: number | null
  }>`
    select c.base + next.xid - coalesce(max((next.xid - a.backend_xid::text::bigint) & 4294967295), 0) as xid, count(a.pid) > 0 as is_any_open,
      c.base + nullif(next.oldest, next.xid) as anywhere
    from event_clock c cross join (
      select pg_snapshot_xmax(s)::text::bigint as xid, pg_snapshot_xmin(s)::text::bigint as oldest from pg_current_snapshot() s
    ) next
    left join pg_stat_activity a on a.datname = current_database() and a.backend_type = 'client backend' and a.backend_xid is not null
      and (next.xid - a.backend_xid::text::bigint) & 4294967295 < 2147483648
    group by c.base, next.xid, next.oldest`)
  return { ...oldest, isAnyOpen: is_any_open, anywhere: anywhere ?? undefined }
}

interface OldestOpen {
  xid: number
  isAnyOpen: boolean
  /** The oldest one that is open in any database. */
  anywhere: number | undefined
}

/**
 * The same for the statement that it is part of, as a row with `xid` and `is_any_open`: the oldest transaction that its own snapshot does
 * not see as ended. It costs nothing and needs no statement before, but a transaction of another database counts too.
 */
export const oldestOfSnapshot = part`(
    select c.base + pg_snapshot_xmin(s)::text::bigint as xid, pg_snapshot_xmin(s) < pg_snapshot_xmax(s) as is_any_open
    from event_clock c, pg_current_snapshot() s)`

export interface Opened {
  /** The stream continues behind it. */
  after: Position
  /** Some events after the position that was asked for are not stored any more. */
  isGap: boolean
  /** Events behind `after` that were there before the stream was opened: not part of it. */
  had: Set<string>
}

/** Where a stream begins: now, or behind the event that its reader had last. */
export async function beginStream(sql: Sql, teamId: string, last: Position | undefined): Promise<Opened> {
  const { xid: oldest } = await oldestOpen(sql)
  if (!last) return beginNow(sql, teamId, oldest)
  // no stream gave it before the database was set back to an earlier time, and what follows it would be hidden until then
  if (last.xid >= oldest) return { ...(await beginNow(sql, teamId, oldest)), isGap: true }
  if (timeOfId(last.id) > Date.now() - keptMs) return { after: last, isGap: false, had: new Set() }
  return resumeLate(sql, teamId, last)
}

/** For a reader who comes from before streams had such positions: what was written since. */
export const openAfterUpgrade = (sql: Sql, teamId: string): Promise<Opened> =>
  resumeLate(sql, teamId, { ...justBefore(1), id: '00000000-0000-7000-8000-000000000000' })

async function beginNow(sql: Sql, teamId: string, oldest: number): Promise<Opened> {
  const there = await sql<{ id: string }>`
    select e.id from ${placesOf(part`event_batches`)} where b.team_id = ${teamId} and b.xid >= ${oldest}`
  return { after: justBefore(oldest), isGap: false, had: new Set(there.map(({ id }) => id)) }
}

/** A reader of more than a day ago: what is older than that is passed over. */
async function resumeLate(sql: Sql, teamId: string, last: Position): Promise<Opened> {
  const { is_stored, is_next_old } = await one(sql<{ is_stored: boolean; is_next_old: boolean | null }>`
    select exists (select from event_batches where id = ${last.id} and team_id = ${teamId}) as is_stored,
      (select b.created_at <= now() - ${kept} from event_batches b where ${behind(teamId, last)}
       order by ${batchPosition} limit 1) as is_next_old`)
  // what stood behind it may have been erased together with it
  const isGap = is_next_old === true || !is_stored
  if (!is_next_old) return { after: last, isGap, had: new Set() }
  const [first] = await sql<{ xid: number }>`
    select b.xid from event_batches b where ${behind(teamId, last)} and b.created_at > now() - ${kept}
    order by b.xid limit 1`
  const { xid: oldest } = await oldestOpen(sql)
  return { after: justBefore(first ? Math.min(first.xid, oldest) : oldest), isGap, had: new Set() }
}
