// Whether a team's money of the month is spent: then no model is asked in a replay either.
import { one, type Sql } from '../../base/db.ts'
import { currentMonth } from '../../engine/counting/usage.ts'
import { costOfMonth } from '../../engine/counting/usageSql.ts'

/** Why no money may be spent any more this month; undefined: it may be. */
export async function monthSpent(sql: Sql, teamId: string): Promise<string | undefined> {
  const [limit] = await sql<{ value: string }>`
    select trim_scale(value)::text as value from entitlements where team_id = ${teamId} and key = 'monthly_cost_usd'`
  if (!limit) return undefined
  const month = await currentMonth(sql)
  const spent = await one(sql<{ is_reached: boolean }>`
    select ${costOfMonth(teamId, month)} >= ${limit.value}::numeric as is_reached`)
  if (!spent.is_reached) return undefined
  return `This team may spend ${limit.value} dollars a month on models (monthly_cost_usd), and has. A build that needs no model can be replayed all the same.`
}
