// Whether a team may still spend money on models this month, for what is not a new run: replays, suggestions, builder runs, judges that somebody asks
// for, and runs that a message continues.
import { one, type Sql } from '../../base/db.ts'
import { remedy } from './monthlyLimits.ts'
import { costOfMonth } from './usageSql.ts'
import { currentMonth } from './usage.ts'

/** Why no money may be spent any more this month; undefined: it may be. */
export async function monthSpent(sql: Sql, teamId: string): Promise<string | undefined> {
  const [limit] = await sql<{ value: string }>`
    select trim_scale(value)::text as value from entitlements where team_id = ${teamId} and key = 'monthly_cost_usd'`
  if (!limit) return undefined
  const month = await currentMonth(sql)
  const spent = await one(sql<{ is_reached: boolean }>`
    select ${costOfMonth(teamId, month)} >= ${limit.value}::numeric as is_reached`)
  if (!spent.is_reached) return undefined
  return `This team may spend ${limit.value} dollars a month on models (monthly_cost_usd), and has. ${remedy(month)}`
}
