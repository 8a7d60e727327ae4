// Monthly limits: exactly how many runs a team may still start while this transaction holds the lock of the team's slots.
import { one, type Sql } from '../../base/db.ts'
import { limitKnownAfterS } from './entitlements.ts'
import { costOfMonth, runsOfMonth } from './usageSql.ts'
import { currentMonth, type Days } from './usage.ts'

/** What a team may still start this month. */
export interface MonthlyRoom {
  runs: number
  /** The reason that a start which does not fit gets. */
  refusal: string
}

interface Team {
  team_id: string
  runs_limit: number | null
  runs_used: number | null
  is_to_count: boolean
  cost_limit: string | null
}

/** Locks the slots of teams in the order in which every start locks them. */
export async function lockSlots(sql: Sql, teamIds: string[]): Promise<void> {
  await sql`select from admission where team_id = any(${teamIds}::uuid[]) order by team_id for update`
}

/**
 * Locks the slots of all these teams, as every start does. Statements that begin after that read what is left for the teams with a limit.
 * So the second of two starts that want the last run of a month waits, and sees the first.
 */
export async function roomsOf(sql: Sql, teamIds: string[], limited: string[]): Promise<Map<string, MonthlyRoom>> {
  // teams without a limit too: the statement that creates the runs locks all of them in one order, so none may be locked out of that order before
  await lockSlots(sql, teamIds)
  const month = await currentMonth(sql)
  const teams = await sql<Team>`
    select t.id as team_id, floor(r.value)::bigint as runs_limit, u.used as runs_used,
      r.value is not null and coalesce(u.counted_at < r.set_at + make_interval(secs => ${limitKnownAfterS}), true) as is_to_count,
      trim_scale(c.value)::text as cost_limit
    from unnest(${limited}::uuid[]) as t (id)
    left join entitlements r on r.team_id = t.id and r.key = 'monthly_runs'
    left join entitlements c on c.team_id = t.id and c.key = 'monthly_cost_usd'
    left join monthly_runs u on u.team_id = t.id and u.month = ${month.since}::date`
  const rooms = new Map<string, MonthlyRoom>()
  for (const team of teams) {
    const room = (await roomByCost(sql, team, month)) ?? (await roomByRuns(sql, team, month))
    if (room) rooms.set(team.team_id, room)
  }
  return rooms
}

async function roomByRuns(sql: Sql, team: Team, month: Days): Promise<MonthlyRoom | undefined> {
  const { team_id, runs_limit: limit } = team
  if (limit === null) return undefined
  const used =
    team.is_to_count || team.runs_used === null ? await countFromRecords(sql, team_id, month) : team.runs_used
  // a start is refused because the starts before it take what is left
  const has = `This team may start ${limit} runs a month (monthly_runs), and ${Math.max(used, limit)} are started`
  return { runs: Math.max(0, limit - used), refusal: `${has}. ${remedy(month)}` }
}

/** Undefined where the limit is not reached: nobody knows in advance what runs will cost. */
async function roomByCost(
  sql: Sql,
  { team_id, cost_limit: limit }: Team,
  month: Days,
): Promise<MonthlyRoom | undefined> {
  if (limit === null) return undefined
  const spent = await one(sql<{ cost: string; is_reached: boolean }>`
    select trim_scale(cost)::text as cost, cost >= ${limit}::numeric as is_reached
    from (select ${costOfMonth(team_id, month)} as cost) month`)
  if (!spent.is_reached) return undefined
  const has = `This team may spend ${limit} dollars a month on models (monthly_cost_usd), and ${spent.cost} are spent or held back`
  return { runs: 0, refusal: `${has}. ${remedy(month)}` }
}

/** What helps at a limit of the month. */
export const remedy = ({ until }: Days): string =>
  `The next month begins at ${until}T00:00:00Z; before that only the operator can raise the limit (runyard entitlements set).`

/** Counts from the records, with what was started before the limit was set and by processes that did not know it yet. */
async function countFromRecords(sql: Sql, teamId: string, month: Days): Promise<number> {
  const counted = await one(sql<{ used: number }>`
    insert into monthly_runs (team_id, month, used, counted_at)
    values (${teamId}, ${month.since}::date, ${runsOfMonth(teamId, month)}, now())
    on conflict (team_id, month) do update set used = excluded.used, counted_at = excluded.counted_at
    returning used`)
  return counted.used
}

/** Counts starts, after `roomsOf` in its transaction. */
export async function countStarts(sql: Sql, teamIds: string[]): Promise<void> {
  if (teamIds.length === 0) return
  await sql`
    update monthly_runs m set used = m.used + s.runs
    from (select team_id, count(*) as runs from unnest(${teamIds}::uuid[]) as t (team_id) group by team_id) s
    where m.team_id = s.team_id and m.month = date_trunc('month', now() at time zone 'utc')::date`
}
