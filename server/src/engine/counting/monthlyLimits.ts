// Limits by the month: how many runs a team may still start, exactly, while this transaction holds the team's places.
import { one, type Sql } from '../../base/db.ts'
import { settleS } from './entitlements.ts'
import { costOfMonth, runsOfMonth } from './usageSql.ts'
import { currentMonth, type Days } from './usage.ts'

/** What is left of a team's month. */
export interface Room {
  runs: number
  /** What a start that does not fit is told. */
  refusal: string
}

interface Team {
  team_id: string
  runs_limit: number | null
  runs_used: number | null
  is_to_count: boolean
  cost_limit: string | null
}

/** Locks the places of teams in the order in which every start locks them. */
export async function lockSlots(sql: Sql, teamIds: string[]): Promise<void> {
  await sql`select from admission where team_id = any(${teamIds}::uuid[]) order by team_id for update`
}

/**
 * Locks the places of all these teams, as every start does, and reads in statements that begin after that what is left for those with a
 * limit: two starts that want the last run of a month so stand in line, and the second one sees the first.
 */
export async function roomsOf(sql: Sql, teamIds: string[], limited: string[]): Promise<Map<string, Room>> {
  // those without a limit too: the statement that makes the runs locks them all in one order, and some must not be had before
  await lockSlots(sql, teamIds)
  const month = await currentMonth(sql)
  const teams = await sql<Team>`
    select t.id as team_id, floor(r.value)::bigint as runs_limit, u.used as runs_used,
      r.value is not null and coalesce(u.counted_at < r.set_at + make_interval(secs => ${settleS}), true) as is_to_count,
      trim_scale(c.value)::text as cost_limit
    from unnest(${limited}::uuid[]) as t (id)
    left join entitlements r on r.team_id = t.id and r.key = 'monthly_runs'
    left join entitlements c on c.team_id = t.id and c.key = 'monthly_cost_usd'
    left join monthly_runs u on u.team_id = t.id and u.month = ${month.since}::date`
  const rooms = new Map<string, Room>()
  for (const team of teams) {
    const room = (await roomByCost(sql, team, month)) ?? (await roomByRuns(sql, team, month))
    if (room) rooms.set(team.team_id, room)
  }
  return rooms
}

async function roomByRuns(sql: Sql, team: Team, month: Days): Promise<Room | undefined> {
  const { team_id, runs_limit: limit } = team
  if (limit === null) return undefined
  const used = team.is_to_count ? await countAnew(sql, team_id, month) : team.runs_used!
  // who is refused is so because those before it take what is left
  const has = `This team may start ${limit} runs a month (monthly_runs), and ${Math.max(used, limit)} are started`
  return { runs: Math.max(0, limit - used), refusal: `${has}. ${remedy(month)}` }
}

/** None where the limit is not reached: what runs will cost is not known before. */
async function roomByCost(sql: Sql, { team_id, cost_limit: limit }: Team, month: Days): Promise<Room | undefined> {
  if (limit === null) return undefined
  const spent = await one(sql<{ cost: string; is_reached: boolean }>`
    select trim_scale(cost)::text as cost, cost >= ${limit}::numeric as is_reached
    from (select ${costOfMonth(team_id, month)} as cost) month`)
  if (!spent.is_reached) return undefined
  const has = `This team may spend ${limit} dollars a month on models (monthly_cost_usd), and ${spent.cost} are spent or held back`
  return { runs: 0, refusal: `${has}. ${remedy(month)}` }
}

const remedy = ({ until }: Days): string =>
  `The next month begins at ${until}T00:00:00Z; before that only the operator can raise the limit (runyard entitlements set).`

/** From the records: what was started before the limit was set, and by processes that had not heard of it. */
async function countAnew(sql: Sql, teamId: string, month: Days): Promise<number> {
  const counted = await one(sql<{ used: number }>`
    insert into monthly_runs (team_id, month, used, counted_at)
    values (${teamId}, ${month.since}::date, ${runsOfMonth(teamId, month)}, now())
    on conflict (team_id, month) do update set used = excluded.used, counted_at = excluded.counted_at
    returning used`)
  return counted.used
}

/** After `roomsOf`, in its transaction. */
export async function countStarts(sql: Sql, teamIds: string[]): Promise<void> {
  if (teamIds.length === 0) return
  await sql`
    update monthly_runs m set used = m.used + s.runs
    from (select team_id, count(*) as runs from unnest(${teamIds}::uuid[]) as t (team_id) group by team_id) s
    where m.team_id = s.team_id and m.month = date_trunc('month', now() at time zone 'utc')::date`
}
