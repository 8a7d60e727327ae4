// Ends a replay before all of its runs are replayed.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { Replay, replayColumns } from './replay.ts'

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
    const [cancelled] = await sql<Replay>`
      update replays r set state = 'cancelled', completed_at = now(), runs_not_replayed = r.runs - r.runs_same - r.runs_changed
      where r.id = ${replay.id} and r.team_id = ${team.id} and r.state = 'running' returning ${replayColumns}`
    if (!cancelled) return fail('conflict', 'This replay has ended already.')
    await sql`
      update replay_runs set state = 'done', verdict = 'not_replayed', reason = 'The replay was cancelled.', claim = null, worker = null,
        completed_at = now()
      where replay_id = ${replay.id} and team_id = ${team.id} and state = 'pending'`
    await sql`
      delete from replay_turns where replay_run_id in (
        select id from replay_runs where replay_id = ${replay.id} and team_id = ${team.id})`
    return { replay: cancelled, replay_id: cancelled.id }
  },
})
