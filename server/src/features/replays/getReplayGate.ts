// Reads the replay gate of an agent, and who promoted builds in spite of it.
import { operation } from '../../kit/operation.ts'
import { readReplayGate, ReplayGateAnswer } from './replayGate.ts'

export const getReplayGate = operation({
  id: 'getReplayGate',
  client: 'replays.getGate',
  route: 'GET /v2/agents/:agent_id/promotion-gate/replay',
  summary: 'Get the replay gate of an agent',
  scope: 'evals:read',
  status: 200,
  answer: ReplayGateAnswer,
  handler: ({ team, agent, sql }) => readReplayGate(sql, team.id, agent.id),
})
