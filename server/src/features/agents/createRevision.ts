// Makes a draft of an agent: of a given config, or as a copy of a build.
import { one, type Sql } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { nullable, Type, wrapped } from '../../kit/schema.ts'
import {
  Build,
  BuildConfig,
  buildColumns,
  BuildName,
  insertBuild,
  requireSource,
  SourceBuildId,
} from './builds/build.ts'
import { procedureTemplate } from './builds/procedureTemplate.ts'
import { requireUsable } from './builds/usableConfig.ts'

export const createRevision = operation({
  id: 'createRevision',
  client: 'agents.createRevision',
  route: 'POST /v2/agents/:agent_id/revisions',
  summary: 'Make a revision',
  description:
    'Makes a draft: from `config`, else as a copy of the build `source_build_id`, else as a copy of the live build. A draft changes ' +
    'nothing until it is promoted.',
  scope: 'agents:write',
  body: Type.Object(
    {
      name: Type.Optional(BuildName),
      config: Type.Optional(BuildConfig),
      source_build_id: Type.Optional(nullable(SourceBuildId)),
    },
    { examples: [{ name: 'Invoice triage', config: { version: 'v2', data: { input: procedureTemplate } } }] },
  ),
  status: 201,
  answer: wrapped('build', 'build_id', Build),
  errors: ['invalid_request', 'not_found'],
  async prepare({ team, agent, body, context, sql, fail }) {
    const source =
      typeof body.source_build_id !== 'string'
        ? await liveBuild(sql, agent.id, team.id)
        : await requireSource(sql, body.source_build_id, team.id, fail)
    // a copy is not checked: it may be made to fix what a changed server no longer accepts
    if (body.config) await requireUsable(body.config, { sql, context, team, fail })
    return source
  },
  async handler({ team, agent, caller, body, prepared: source, sql, fail }) {
    const build = await insertBuild(sql, {
      teamId: team.id,
      agentId: agent.id,
      name: body.name,
      status: 'draft',
      config: body.config ?? source.config,
      parentBuildId: source.id,
      createdBy: caller.member_id,
    })
    if (!build) return fail('not_found')
    return { build, build_id: build.id }
  },
})

/** Every agent has one from its first moment on. */
async function liveBuild(sql: Sql, agentId: string, teamId: string): Promise<Build> {
  const live = await one(sql<Build>`
    select ${buildColumns} from builds where agent_id = ${agentId} and team_id = ${teamId} and status = 'live'`)
  return live
}
