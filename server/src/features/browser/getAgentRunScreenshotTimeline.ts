// The timeline of a run's browser, by the agent and the run.
import { alias } from '../../kit/operation.ts'
import { getRunScreenshotTimeline } from './getRunScreenshotTimeline.ts'

export const getAgentRunScreenshotTimeline = alias(getRunScreenshotTimeline, {
  id: 'getAgentRunScreenshotTimeline',
  client: 'runs.agentRunScreenshots',
  route: 'GET /v2/agents/:agent_id/runs/:run_id/screenshots/timeline',
  summary: 'Get the screenshots of a run of an agent',
})
