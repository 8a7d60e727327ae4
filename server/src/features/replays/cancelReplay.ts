// Ends a replay before all of its runs are replayed.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { endReplay } from './beginReplay.ts'
import { Replay } from './replay.ts'

export const cancelReplay = operation({
  id: 'cancelReplay',
  client: 'replays.cancel',
  route: 'POST /v2/replays/:replay_id/cancel',
  summary: 'Cancel a replay',
  description: 'What is replayed stays in its report. A model call under way may still be paid for.',
  scope: 'evals:write',
  status: 200,
  answer: wrapped('replay', 'replay_id', Replay),
  errors: ['conflict'],
  async handler({ team, replay, sql, fail }) {
    const cancelled = await endReplay(sql, replay.id, team.id)
    if (!cancelled) return fail('conflict', 'This replay has ended already.')
    return { replay: cancelled, replay_id: cancelled.id }
  },
})
