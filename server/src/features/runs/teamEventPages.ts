// Pages through the events of a team, newest first. Events with a position in the team's stream and those without have an index each, and no
// index has both: every event would pay for a third one. So both are read, and merged by their time.
import { empty, part, type Part, type Sql } from '../../base/db.ts'
import { isVisibleTo } from '../../engine/ledger/visibleRuns.ts'

/** How many events of each index one page looks through: a rare kind is found in steps. */
export const lookedMax = 10_000

/** Where the next page begins, in each index; undefined: at its newest. What is read to its end begins at 0. */
interface Cursor {
  position?: number | undefined
  /** The time and the id of the last event without a position. */
  ms?: number | undefined
  id?: string | undefined
}

export const cursorPattern = '^[0-9]{0,15}_[0-9]{0,15}_([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?$'

const numberOf = (digits: string): number | undefined => (digits === '' ? undefined : Number(digits))

export function readCursor(text: string): Cursor {
  const [position = '', ms = '', id = ''] = text.split('_')
  return { position: numberOf(position), ms: numberOf(ms), id: id === '' ? undefined : id }
}

export const writeCursor = ({ position, ms, id }: Cursor): string => `${position ?? ''}_${ms ?? ''}_${id ?? ''}`

interface Head {
  id: string
  created_at: Date
  position: number | null
}

interface Looked {
  found: Head[]
  /** The last of those that were looked through, where there may be more behind it. */
  end: Head | undefined
}

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

export async function nextIds(sql: Sql, wanted: Wanted, cursor: Cursor): Promise<IdPage> {
  const positioned = await look(sql, wanted, {
    where: part`position is not null ${cursor.position === undefined ? empty : part`and position < ${cursor.position}`}`,
    order: part`position desc`,
  })
  const others = await look(sql, wanted, {
    where: part`position is null ${
      cursor.ms === undefined
        ? empty
        : part`and (created_at, id) < (${new Date(cursor.ms)}::timestamptz, ${cursor.id ?? zero}::uuid)`
    }`,
    order: part`created_at desc, id desc`,
  })
  // behind the place up to which one of them was read nothing of the other may come yet
  const edge = Math.max(edgeOf(positioned, wanted.limit), edgeOf(others, wanted.limit))
  const isNear = ({ created_at }: Head) => created_at.getTime() >= edge
  const near = { positioned: positioned.found.filter(isNear), others: others.found.filter(isNear) }
  const page = merged(near.positioned, near.others).slice(0, wanted.limit)
  const given = new Set(page.map(({ id }) => id))
  const toPositioned = placeAfter(positioned, given, wanted.limit)
  const toOthers = placeAfter(others, given, wanted.limit)
  const next: Cursor = {
    position: toPositioned === 'same' ? cursor.position : (toPositioned?.position ?? 0),
    ...(toOthers === 'same'
      ? { ms: cursor.ms, id: cursor.id }
      : { ms: toOthers?.created_at.getTime() ?? 0, id: toOthers?.id }),
  }
  const isOver = toPositioned === undefined && toOthers === undefined
  return {
    ids: page.map(({ id }) => id),
    next: isOver ? undefined : next,
    lookedUntil: !isOver && page.length < wanted.limit ? new Date(edge) : null,
  }
}

const zero = '00000000-0000-0000-0000-000000000000'

async function look(sql: Sql, wanted: Wanted, { where, order }: { where: Part; order: Part }): Promise<Looked> {
  const { teamId, memberId, event, withheld, since, runId, limit } = wanted
  // those of a run are found by the run alone: they are few among those of the team
  const events =
    runId === undefined ? part`events` : part`(select * from events where run_id = ${runId} offset 0) events`
  const rows = await sql<Head & { is_end: boolean }>`
    with looked as materialized (
      select *, row_number() over () as place from (
        select id, event, run_id, created_at, position from ${events} where team_id = ${teamId} and ${where}
        order by ${order} limit ${lookedMax}) newest
    ),
    found as (
      select e.id, e.created_at, e.position, e.place from (
        select * from looked where event <> all(${withheld}::text[])
          ${event === undefined ? empty : part`and event = ${event}`}
          ${since === undefined ? empty : part`and created_at >= ${since}::timestamptz`}
        order by place) e
      left join lateral (select * from runs where id = e.run_id limit 1) r on true
      where e.run_id is null or (r.id is not null and ${isVisibleTo(memberId, part`r`)})
      order by e.place limit ${limit}
    )
    select id, created_at, position, place, false as is_end from found
    union all
    select id, created_at, position, place, true from looked where place = ${lookedMax}
      ${since === undefined ? empty : part`and created_at >= ${since}::timestamptz`}
    order by is_end, place`
  return { found: rows.filter(({ is_end }) => !is_end), end: rows.find(({ is_end }) => is_end) }
}

/** The time behind which nothing of it is known; before all times where it was read to its end. */
function edgeOf({ found, end }: Looked, limit: number): number {
  const last = found.length === limit ? found.at(-1) : end
  return last?.created_at.getTime() ?? -Infinity
}

/** Each in its own order: positions are those of the stream, which is nearly that of the times. */
function merged(ones: Head[], others: Head[]): Head[] {
  const all: Head[] = []
  for (let one = 0, other = 0; one < ones.length || other < others.length;) {
    const [a, b] = [ones[one], others[other]]
    const isOne = a !== undefined && (b === undefined || a.created_at.getTime() >= b.created_at.getTime())
    all.push((isOne ? a : b)!)
    if (isOne) one += 1
    else other += 1
  }
  return all
}

/** Where the next page begins in it: `same` where none of it was given, undefined where it was read and given to its end. */
function placeAfter({ found, end }: Looked, given: Set<string>, limit: number): Head | 'same' | undefined {
  const taken = found.filter(({ id }) => given.has(id))
  if (taken.length < found.length) return taken.at(-1) ?? 'same'
  return found.length === limit ? found.at(-1) : end
}
