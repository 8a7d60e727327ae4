// Wakes runs: what a run waited for has come, so it is due again. A run that nobody holds needs a slot and waits for it like a new one, but before it.
import { part, type Sql } from '../../base/db.ts'
import { isCapped, serveLines } from './admission.ts'
import { lockedTeams } from './knownSlots.ts'
import { mayWake } from '../ledger/lifecycle.ts'

const sleeps = part`(status = 'waiting' and admitted_at is null and queued_at is null)`

const fitting = part`least(s.open, greatest(a.places - a.held + back.places, 0))`

/**
 * Marks these runs due in the caller's transaction. A run that is held only gets its number raised: its holder sees that. One that waits
 * gets a slot where its team has one, otherwise it waits for a slot (`waiting_on.kind` becomes `capacity`). If its build has a cap, the line
 * decides, and is asked at once. Runs first, then teams: the one order of locks.
 */
export async function wakeRuns(sql: Sql, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  const rows = await sql<{ team_id: string; is_admitted: boolean; may_start: boolean }>`
    with run as materialized (
      select id, team_id, ${sleeps} as sleeps, ${sleeps} and ${isCapped} as is_capped
      from runs where id = any(${ids}::uuid[]) and ${mayWake} order by id for update
    ),
    ${lockedTeams(part`select team_id from run where sleeps`)},
    grant_ as (
      update admission a set granted = ${fitting}, held = a.held - back.places + ${fitting}, in_line = a.in_line + s.total - ${fitting}
      from (
        select team_id, count(*)::int as total, (count(*) filter (where not is_capped))::int as open from run where sleeps group by team_id
      ) s join back on back.team_id = s.team_id
      where a.team_id = s.team_id
      returning a.team_id, a.granted, a.places - a.held as free
    ),
    placed as (
      select run.id, run.sleeps, run.is_capped and coalesce(g.free, 0) > 0 as may_start, run.sleeps and not run.is_capped
        and row_number() over (partition by run.team_id, run.sleeps, run.is_capped order by run.id) <= coalesce(g.granted, 0) as is_admitted
      from run left join grant_ g on g.team_id = run.team_id
    )
    update runs r set wake_seq = r.wake_seq + 1, updated_at = now(),
      due_at = case when p.sleeps then null else r.due_at end,
      is_woken = r.is_woken or p.sleeps,
      admitted_at = case when p.is_admitted then now() else r.admitted_at end,
      queued_at = case when p.sleeps and not p.is_admitted then now() else r.queued_at end,
      waiting_on = case when p.sleeps and not p.is_admitted
        then jsonb_build_object('kind', 'capacity', 'since', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'detail', jsonb_build_object('after', r.waiting_on))
        else r.waiting_on end
    from placed p where r.id = p.id and r.id = any(${ids}::uuid[])
    returning r.team_id, p.is_admitted, p.may_start`
  const capped = rows.filter(({ may_start }) => may_start).map(({ team_id }) => team_id)
  const isReady = rows.some(({ is_admitted }) => is_admitted)
  await serveLines(sql, capped, isReady)
}

/** Wakes runs of a team whose time has come, some hundreds at a time, and answers how many. It waits for the slots of the team. */
export async function wakeDue(sql: Sql, max: number, teamId: string): Promise<number> {
  const due = await sql<{ id: string }>`
    select id from runs where due_at <= now() and team_id = ${teamId} order by due_at limit ${max} for update skip locked`
  return wakeAll(sql, due)
}

/** The same of all teams whose slots nobody has locked: nothing waits for one team while it holds the slots of others. */
export async function wakeDueUnlocked(sql: Sql, max: number): Promise<number> {
  const due = await sql<{ id: string }>`
    select r.id from admission a join runs r on r.team_id = a.team_id
    where r.due_at <= now() order by r.due_at limit ${max} for update of a, r skip locked`
  return wakeAll(sql, due)
}

/** Wakes those of these runs whose row and whose team's slots nobody has locked. Answers which they are. */
export async function wakeUnlocked(sql: Sql, ids: string[]): Promise<string[]> {
  const free = await sql<{ id: string }>`
    select r.id from admission a join runs r on r.team_id = a.team_id where r.id = any(${ids}::uuid[]) order by r.id for update of a, r skip locked`
  await wakeAll(sql, free)
  return free.map(({ id }) => id)
}

async function wakeAll(sql: Sql, runs: { id: string }[]): Promise<number> {
  await wakeRuns(
    sql,
    runs.map(({ id }) => id),
  )
  return runs.length
}

/** The teams of the first runs whose time has come, in no order. */
export const teamsWithDue = (sql: Sql, max: number) => sql<{ team_id: string }>`
  select team_id from (select team_id from runs where due_at <= now() order by due_at limit ${max}) due group by team_id order by random()`
