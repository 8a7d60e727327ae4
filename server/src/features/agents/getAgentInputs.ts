// Tells what an agent's procedure reads of its input, for a form that starts a run.
import type { Sql } from '../../base/db.ts'
import { inputsOf } from '../../drivers/model/runbook/inputs.ts'
import { parsedOnce } from '../../drivers/model/runbook/parsedRunbook.ts'
import { parseBuildConfig } from '../../engine/builds/buildConfig.ts'
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import { ProcedureInputs } from './builds/procedureInputs.ts'

export const getAgentInputs = operation({
  id: 'getAgentInputs',
  client: 'agents.inputs',
  route: 'GET /v2/agents/:agent_id/inputs',
  summary: 'Get the inputs of an agent',
  description:
    'What the steps of a build read of the message that starts a run, as a JSON Schema: of the live build, or of the build in `build_id`. What a ' +
    'model makes of the message besides its steps is not known.',
  scope: 'agents:read',
  query: Type.Object({
    build_id: Type.Optional(
      Type.Unsafe<string>({ ...Id, description: 'A build of the agent; the live one unless given.' }),
    ),
  }),
  status: 200,
  answer: Type.Object({ inputs: ProcedureInputs, agent_id: Id, build_id: Id }),
  errors: ['not_found'],
  async handler({ team, agent, query, sql, fail, context }) {
    const build = await findBuild(sql, team.id, agent.id, query.build_id)
    if (!build) {
      return fail(
        'not_found',
        query.build_id === undefined ? 'The agent has no live build.' : 'The agent has no build with this build_id.',
      )
    }
    const { procedure } = parseBuildConfig(build.config)
    const inputs = teamTimeOf(context).piece(team.id, () => inputsOf(parsedOnce(procedure).blocks))
    return { inputs, agent_id: agent.id, build_id: build.id }
  },
})

async function findBuild(sql: Sql, teamId: string, agentId: string, buildId: string | undefined) {
  const [build] = await sql<{ id: string; config: unknown }>`
    select id, config from builds
    where agent_id = ${agentId} and team_id = ${teamId}
      and (id = ${buildId ?? null} or (${buildId ?? null}::uuid is null and status = 'live'))`
  return build
}
