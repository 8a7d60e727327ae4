// Reads one build of an agent.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { Build } from './builds/build.ts'

export const getRevision = operation({
  id: 'getRevision',
  client: 'agents.getRevision',
  route: 'GET /v2/agents/:agent_id/revisions/:build_id',
  summary: 'Get a revision',
  scope: 'agents:read',
  status: 200,
  answer: wrapped('build', 'build_id', Build),
  handler: async ({ build }) => ({ build, build_id: build.id }),
})
