// The tool of a step, as the next process that takes the run would find it, without asking anybody outside.
import { one, type Sql } from '../../../base/db.ts'
import { readRunConfig } from '../../../engine/builds/loadBuild.ts'
import { engineOf } from '../../../engine/engine.ts'
import type { Context } from '../../../kit/context.ts'
import { connectionUseOf } from '../../../kit/registry.ts'
import type { CallingRun, Tool } from '../../../kit/tool.ts'
import type { Run } from '../run.ts'

/** Undefined: a tool that this server does not have any more, or one of a connection whose tools are not listed. */
export async function toolOf(context: Context, sql: Sql, run: Run, name: string): Promise<Tool | undefined> {
  const { toolRegistry } = engineOf(context)
  const own = toolRegistry.find(name)
  const use = own ? undefined : connectionUseOf(context)
  if (!use) return own
  const calling = await one(sql<CallingRun>`
    select id, team_id, agent_id, build_id, config_hash, user_id, case_id, depth from runs
    where id = ${run.id} and team_id = ${run.team_id}`)
  const { connections: connectionIds } = await readRunConfig(sql, calling)
  const sets = await use.tools({ sql, context, run: calling, connectionIds })
  return toolRegistry.with(sets).find(name)
}
