// Reads one replay: how far it is, and what it showed so far.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { Replay } from './replay.ts'

export const getReplay = operation({
  id: 'getReplay',
  client: 'replays.get',
  route: 'GET /v2/replays/:replay_id',
  summary: 'Get a replay',
  scope: 'evals:read',
  status: 200,
  answer: wrapped('replay', 'replay_id', Replay),
  handler: async ({ replay }) => ({ replay, replay_id: replay.id }),
})
