// Slots: a team runs only a number of runs at once. A run that finds no slot waits for one, woken runs before new ones.
import { empty, part, type Database, type Part, type Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { heldColumns, isOrdinary, startedEvents, type ClaimedRun } from './claim.ts'
import { lockedTeams, type TeamSlots } from './knownSlots.ts'
import { toRunning } from '../ledger/lifecycle.ts'
import { announceReady } from '../ledger/notifyChannels.ts'
import { seatsWithout, type FreeSeats } from './seat.ts'
import { isServed } from './workerPools.ts'

/** Makes sure that every team that starts runs has a row. Known teams are remembered, so that a start costs no statement. */
export function createAdmissionRows() {
  const known = new Set<string>()
  return async function ensureRows(sql: Sql, teamIds: string[]): Promise<void> {
    const fresh = teamIds.filter((id) => !known.has(id))
    if (fresh.length === 0) return
    await sql`insert into admission (team_id) select distinct unnest(${fresh}::uuid[]) on conflict do nothing`
    for (const id of fresh) known.add(id)
  }
}

export interface Admitted {
  admitted: number
  claimed: ClaimedRun[]
  teams: (TeamSlots & { admitted: number })[]
}

/** How many runs of its agent a build lets work at once, of `builds b`. */
const cap = part`(b.config #>> '{data,limits,max_concurrent_runs}')::int`

/** Whether a row of runs is of a build with a cap. Such a run gets its slot from the line alone, whoever starts or wakes it. */
export const isCapped = part`(select ${cap} is not null from builds b where b.id = build_id)`

/**
 * Gives free slots of these teams to the runs that wait for them, and claims as many as there are seats at once for their process. A run
 * of a build with a cap of its own is passed over while that many of its agent's runs hold slots.
 */
export async function admitNext(sql: Sql, teamIds: string[], seats?: FreeSeats): Promise<Admitted> {
  const all: Admitted = { admitted: 0, claimed: [], teams: [] }
  // one team at a time: its row stays locked only until its runs have their slots
  for (const teamId of [...new Set(teamIds)].sort()) {
    const left = seats && seatsWithout(seats, all.claimed)
    const rows = await admitOne(sql, teamId, left && { ...left, count: seatsFor(left, teamId) })
    const admitted = rows.filter(({ id }) => id !== null)
    all.admitted += admitted.length
    all.claimed.push(...admitted.filter(({ is_claimed }) => is_claimed))
    if (rows[0]) all.teams.push({ ...rows[0].team, admitted: admitted.length })
  }
  return all
}

/**
 * Asked by whoever starts or wakes runs, for the teams whose runs found no slot at once: the line decides about those with a cap, and slots may be
 * free although others wait. A worker is called if one of them is ready now, or was before (`isReady`).
 */
export async function serveLines(sql: Sql, teamIds: string[], isReady: boolean): Promise<void> {
  const { admitted } = await admitNext(sql, teamIds)
  if (isReady || admitted > 0) await announceReady(sql)
}

const seatsFor = ({ count, perTeam }: FreeSeats, teamId: string): number =>
  Math.max(0, Math.min(count, perTeam?.get(teamId) ?? count))

/** `is_cut`: as many runs were looked at as a look takes. `missed`: those that others had taken or locked meanwhile. */
type AdmittedRow = ClaimedRun & { is_claimed: boolean; team: TeamSlots & { is_cut: boolean; missed: string[] } }

/** How many runs of a line, or of one build in it, are looked at. It is text of the statement: with a parameter its plan would be a guess. */
const lookedAt = part`200`

/** Gives at least one row, with the team's slots as they are now; it has no run if nobody was admitted. */
async function admitOne(sql: Sql, teamId: string, seats: FreeSeats | undefined): Promise<AdmittedRow[]> {
  const first = await admitAmong(sql, teamId, seats, firstInLine(teamId))
  const team = first[0]?.team
  // slots are left, since runs that were looked at are capped, locked or gone: others may wait behind them
  if (!team || team.free <= 0 || !(team.is_cut || team.missed.length > 0)) return first
  const left = seats && { ...seats, count: seats.count - first.filter(({ is_claimed }) => is_claimed).length }
  const behind = await admitAmong(
    sql,
    teamId,
    left,
    team.is_cut ? firstOfEachBuild(teamId) : firstInLine(teamId, team.missed),
  )
  return [...behind, ...first]
}

/** The usual look, bounded and without locks: the first of the line, without those that were missed before. */
const firstInLine = (teamId: string, without: string[] = []): Part => part`
  candidate as materialized (
    select r.*, ${cap} as cap
    from place, lateral (
      select id, agent_id, build_id, is_woken, queued_at from runs
      where team_id = ${teamId} and queued_at is not null and place.free > 0${without.length > 0 ? part` and id <> all(${without}::uuid[])` : empty}
      order by is_woken desc, queued_at limit ${lookedAt}
    ) r join builds b on b.id = r.build_id
  ),
  -- once, not once a candidate; and only where some agent has a cap
  busy as materialized (${busyAgents(teamId, part`candidate`)})`

/**
 * The first of each build, as many as its cap has room for. It jumps from build to build, however many runs each has in the line. At most as many
 * agents as the team has slots are at their cap, so as a rule there are others among the first 1,000 builds.
 */
const firstOfEachBuild = (teamId: string): Part => part`
  waiting as materialized (
    with recursive next as (
      (select build_id from runs where team_id = ${teamId} and queued_at is not null order by build_id limit 1)
      union all
      select (
        select r.build_id from runs r
        where r.team_id = ${teamId} and r.queued_at is not null and r.build_id > next.build_id order by r.build_id limit 1
      ) from next where next.build_id is not null
    )
    select b.id as build_id, b.agent_id, ${cap} as cap
    from (select build_id from next limit 1000) n join builds b on b.id = n.build_id
  ),
  busy as materialized (${busyAgents(teamId, part`waiting`)}),
  candidate as materialized (
    select r.*, w.cap
    from place, waiting w left join busy on busy.agent_id = w.agent_id, lateral (
      select id, agent_id, build_id, is_woken, queued_at from runs
      where team_id = ${teamId} and queued_at is not null and build_id = w.build_id
      -- the order of runs_in_line_by_build alone: the planner would walk along the whole line otherwise
      order by is_woken desc nulls last, queued_at
      limit greatest(least(place.free, w.cap - coalesce(busy.places, 0), ${lookedAt}), 0)
    ) r
  )`

/**
 * The runs that hold slots, of the agents among these that have a cap. A function counts them, and only after `place` has the team's row: this
 * statement may have begun before others gave slots, and would not see it.
 */
const busyAgents = (teamId: string, among: Part): Part => part`
    select agent_id, count(*)::int as places, array_agg(id) as runs
    from runs_at_work(${teamId}, (select array_agg(distinct agent_id) from ${among}, place where cap is not null))
    group by agent_id`

/** `candidates` are runs of the line with their caps, and which slots the agents among them hold that have one. */
const admitAmong = (sql: Sql, teamId: string, seats: FreeSeats | undefined, candidates: Part) => sql<AdmittedRow>`
  with ${lockedTeams(part`select ${teamId}::uuid`)},
  place as materialized (
    select greatest(team.places - team.held + back.places, 0) as free, back.places as back from team, back
  ),
  ${candidates},
  allowed as materialized (
    select c.id from (
      select c.*, coalesce(b.places, 0)
        + row_number() over (partition by c.agent_id order by c.is_woken desc, c.queued_at) as would_be
      from candidate c left join busy b on b.agent_id = c.agent_id
      -- who got a slot since this statement began still looks as if it waited
      where b.runs is null or c.id <> all(b.runs)
    ) c where c.cap is null or c.would_be <= c.cap
    order by c.is_woken desc, c.queued_at limit (select free from place)
  ),
  -- whoever holds a run's row may want the team's, which we hold: such a run is passed over
  locked as materialized (
    select id, started_at is null as is_first, is_woken, queued_at, ${isOrdinary} and ${isServed(seats?.pools)} as may_sit from runs
    -- (… is true): by the key, not by a walk along the whole line
    where id = any(array(select id from allowed)) and (queued_at is not null) is true order by id for update skip locked
  ),
  -- as many as there are seats are claimed with it: those that got an id for their first event
  seated as (
    select a.id, a.is_first, e.event_id, e.event_id is not null as is_claimed
    from (
      -- a suspect gets its place and no seat beside others, and a run of another pool no seat here
      select *, case when may_sit then row_number() over (order by may_sit desc, is_woken desc, queued_at) end as place from locked
    ) a
    left join unnest(${Array.from({ length: seats?.count ?? 0 }, newId)}::uuid[]) with ordinality as e (event_id, place)
      on e.place = a.place
  ),
  r as (
    update runs r set admitted_at = now(), queued_at = null, ${toRunning.set(part`n.is_claimed`, seats?.workerId ?? null)}
    from seated n where r.id = n.id and r.id = any(array(select id from seated))
    returning r.*, n.is_claimed, n.is_first, n.event_id
  ),
  event as (${startedEvents(part`r where is_claimed and is_first`)}),
  counted as (
    update admission a set held = a.held - place.back + n.admitted, in_line = greatest(a.in_line - n.admitted, 0), granted = n.admitted
    from place, (select count(*)::int as admitted from r) n
    where a.team_id = ${teamId}
    returning a.team_id, a.places - a.held as free, a.in_line, (select count(*) >= ${lookedAt} from candidate) as is_cut,
      array(select id from allowed except select id from r) as missed
  )
  select ${heldColumns}, r.is_claimed, to_json(counted) as team from counted left join r on true`

/** Whether anybody waits is what counts, so a line is counted this far. Text of the statement, as above. */
const countedInLine = part`1000`

const lineOf = (teamId: Part): Part => part`
  (select count(*)::int from (
    select from runs where team_id = ${teamId} and queued_at is not null limit ${countedInLine}
  ) few)`

/** How long one round may take, since other work of the sweep waits for it. What is left then is for the next one. */
const recountMs = 250

/**
 * Finds the teams whose slots or waiting runs are miscounted, mends their counts, and answers with the teams that have both free slots and
 * waiting runs. So no crash between two statements loses a slot or forgets a run for long.
 */
export async function recount({ sql, transaction }: Pick<Database, 'sql' | 'transaction'>): Promise<string[]> {
  // one snapshot sees runs and counts as the same commits left them, so looking needs no lock
  const teams = await sql<{ team_id: string; is_off: boolean; may_start: boolean }>`
    with recursive next as (
      (select team_id from runs where queued_at is not null order by team_id limit 1)
      union all
      select (select r.team_id from runs r where r.queued_at is not null and r.team_id > next.team_id order by r.team_id limit 1)
      from next where next.team_id is not null
    ),
    line as materialized (select team_id, ${lineOf(part`next.team_id`)} as runs from next where team_id is not null),
    holding as materialized (select team_id, count(*)::int as runs from runs where admitted_at is not null group by team_id),
    seen as (
      select a.team_id, a.places, a.held, least(a.in_line, ${countedInLine}) as in_line, coalesce(h.runs, 0) as holds, coalesce(l.runs, 0) as waits,
        p.team_id is not null as has_left
      from admission a left join holding h on h.team_id = a.team_id left join line l on l.team_id = a.team_id
        left join (select distinct team_id from places_left) p on p.team_id = a.team_id
    )
    select team_id, is_off, may_start from (
      -- slots that runs left are in held until they are counted
      select *, has_left or (held, in_line) is distinct from (holds, waits) as is_off, waits > 0 and holds < places as may_start from seen
    ) s where is_off or may_start order by random()`
  const until = performance.now() + recountMs
  for (const { team_id, is_off } of teams) {
    if (is_off && performance.now() < until) await transaction((tx) => mend(tx, team_id))
  }
  return teams.filter(({ may_start }) => may_start).map(({ team_id }) => team_id)
}

/** It locks the row first and counts in a later statement; a team that is being written is left for the next time. */
async function mend(sql: Sql, teamId: string): Promise<void> {
  const locked = await sql`select from admission where team_id = ${teamId} for update skip locked`
  if (locked.length === 0) return
  await sql`
    with taken as (
      delete from places_left where team_id = ${teamId}
    ),
    counted as materialized (
      select (select count(*)::int from runs where team_id = ${teamId} and admitted_at is not null) as held,
        ${lineOf(part`${teamId}`)} as in_line
    )
    update admission a set held = c.held, in_line = case when c.in_line < ${countedInLine} then c.in_line else greatest(a.in_line, ${countedInLine}) end
    from counted c where a.team_id = ${teamId}`
}
