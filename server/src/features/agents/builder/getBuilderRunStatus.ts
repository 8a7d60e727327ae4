// Reads one builder run.
import { operation } from '../../../kit/operation.ts'
import { builderRunAnswer, BuilderRunAnswer } from './builderRun.ts'

export const getBuilderRunStatus = operation({
  id: 'getBuilderRunStatus',
  client: 'agents.getBuilderRunStatus',
  route: 'GET /v2/builder-runs/:builder_run_id/status',
  summary: 'Get a builder run',
  scope: 'agents:read',
  status: 200,
  answer: BuilderRunAnswer,
  handler: async ({ builder_run }) => builderRunAnswer(builder_run),
})
