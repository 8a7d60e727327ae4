// Reads one replay set.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { ReplaySet } from './replaySet.ts'

export const getReplaySet = operation({
  id: 'getReplaySet',
  client: 'replays.getSet',
  route: 'GET /v2/replay-sets/:replay_set_id',
  summary: 'Get a replay set',
  scope: 'evals:read',
  status: 200,
  answer: wrapped('replay_set', 'replay_set_id', ReplaySet),
  handler: async ({ replay_set }) => ({ replay_set, replay_set_id: replay_set.id }),
})
