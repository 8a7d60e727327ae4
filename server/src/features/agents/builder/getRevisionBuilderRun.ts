// Reads the latest builder run of a build.
import { operation } from '../../../kit/operation.ts'
import { type BuilderRow, builderRunAnswer, BuilderRunAnswer, builderRunColumns } from './builderRun.ts'

export const getRevisionBuilderRun = operation({
  id: 'getRevisionBuilderRun',
  client: 'agents.getRevisionBuilderRun',
  route: 'GET /v2/revisions/:build_id/builder-run',
  summary: 'Get the latest builder run of a revision',
  scope: 'agents:read',
  status: 200,
  answer: BuilderRunAnswer,
  errors: ['not_found'],
  async handler({ team, build, sql, fail }) {
    const [latest] = await sql<BuilderRow>`
      select ${builderRunColumns} from builder_runs where build_id = ${build.id} and team_id = ${team.id}
      order by created_at desc, id desc limit 1`
    return builderRunAnswer(latest ?? fail('not_found', 'This build has no builder run. POST …/generate begins one.'))
  },
})
