// How many agents a team may have, where the operator set a limit.
import { one, type Sql } from '../../base/db.ts'
import { engineOf } from '../../engine/engine.ts'
import { lockLimit } from '../../engine/counting/entitlements.ts'
import { agentsOf } from '../../engine/counting/usageSql.ts'
import type { Context } from '../../kit/context.ts'

/**
 * Why the team may not have another agent, or undefined. Whoever makes an agent locks the limit until its commit, so two cannot both get
 * the last one.
 */
export async function agentLimitProblem(context: Context, sql: Sql, teamId: string): Promise<string | undefined> {
  const { entitlements } = engineOf(context)
  await entitlements.refresh(sql)
  if (!entitlements.has(teamId, 'agents')) return undefined
  const limit = await lockLimit(sql, teamId, 'agents')
  // a statement after the lock: it sees the agents that were made before
  const counted = await one(sql<{ agents: number }>`select ${agentsOf(teamId)} as agents`)
  if (limit === undefined || counted.agents < Number(limit)) return undefined
  const has = `This team may have ${limit} agents (agents), and has ${counted.agents}`
  return `${has}. Delete one that is no longer needed, or ask the operator to raise the limit (runyard entitlements set).`
}
