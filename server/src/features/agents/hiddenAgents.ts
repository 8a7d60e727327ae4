// Hidden agents: what other features need to run work of their own as runs of an agent that nobody meets.
import { one } from '../../base/db.ts'
import type { HiddenAgents } from '../../kit/feature.ts'
import { insertAgent } from './agent.ts'
import { insertBuild, type BuildConfig } from './builds/build.ts'
import { removeAgent } from './removeAgent.ts'

export const hiddenAgents: HiddenAgents = {
  async create({ sql, teamId, name, createdBy, configs }) {
    const agentId = await insertAgent(sql, {
      teamId,
      name,
      description: null,
      memoryEnabled: false,
      createdBy,
      isHidden: true,
    })
    const buildIds: string[] = []
    for (const config of configs) {
      const build = await insertBuild(sql, {
        teamId,
        agentId,
        name,
        status: 'draft',
        config: config as BuildConfig,
        parentBuildId: null,
        createdBy,
      })
      if (!build) throw new Error(`the hidden agent ${agentId} was removed while it was made`)
      buildIds.push(build.id)
    }
    return { agentId, buildIds }
  },
  async configure({ sql, teamId, buildId, config, by }) {
    await one(sql`
      select configure_hidden_build(id, ${JSON.stringify(config)}::jsonb, ${by}) from builds
      where id = ${buildId} and team_id = ${teamId}`)
  },
  async rename({ sql, teamId, agentId, name }) {
    await one(sql`
      update agents set name = ${name}, updated_at = now()
      where id = ${agentId} and team_id = ${teamId} and is_hidden returning id`)
  },
  async remove(of) {
    await removeAgent(of)
  },
}
