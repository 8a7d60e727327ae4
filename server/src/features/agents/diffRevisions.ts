// Compares two builds of an agent: the procedure as a unified text, the rest of the config key by key.
import type { Sql } from '../../base/db.ts'
import { isId } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { Id, nullable, Type } from '../../kit/schema.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import { type Build, buildColumns } from './builds/build.ts'
import { BuildDiff, diffBuilds } from './builds/buildDiff.ts'

export const diffRevisions = operation({
  id: 'diffRevisions',
  client: 'agents.diffRevisions',
  route: 'GET /v2/agents/:agent_id/revisions/:build_id/diff',
  summary: 'Compare two revisions',
  description:
    'What this build changes compared with another build of the same agent: by default the live build, or its parent if it is live ' +
    'itself. The first build is compared with nothing (`against_build_id` is null).',
  scope: 'agents:read',
  query: Type.Object({
    // any text may be asked for: one that is not an id finds nothing, like an id that does not exist
    against: Type.Optional(Type.String({ pattern: '^\\S+$', description: 'The id of the build to compare with.' })),
  }),
  status: 200,
  answer: Type.Object({
    diff: BuildDiff,
    build_id: Id,
    against_build_id: nullable(Id),
  }),
  errors: ['not_found'],
  async handler({ team, agent, build, query, sql, fail, context }) {
    const against = await otherBuild(sql, team.id, build, query.against)
    if (query.against !== undefined && !against) {
      fail('not_found', `The agent ${agent.id} has no build with the id in against. GET …/revisions lists its builds.`)
    }
    return {
      diff: teamTimeOf(context).piece(team.id, () => diffBuilds(against, build)),
      build_id: build.id,
      against_build_id: against?.id ?? null,
    }
  },
})

async function otherBuild(
  sql: Sql,
  teamId: string,
  build: Build,
  wanted: string | undefined,
): Promise<Build | undefined> {
  const id = wanted ?? (build.status === 'live' ? build.parent_build_id : await liveId(sql, teamId, build.agent_id))
  if (id === null || !isId(id)) return undefined
  const [found] = await sql<Build>`
    select ${buildColumns} from builds where id = ${id} and agent_id = ${build.agent_id} and team_id = ${teamId}`
  return found
}

async function liveId(sql: Sql, teamId: string, agentId: string): Promise<string | null> {
  const [live] = await sql<{ id: string }>`
    select id from builds where agent_id = ${agentId} and team_id = ${teamId} and status = 'live'`
  return live?.id ?? null
}
