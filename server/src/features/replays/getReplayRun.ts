// Reads the report about one run of a replay: both sides beside each other.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { ReplayRun } from './replay.ts'

export const getReplayRun = operation({
  id: 'getReplayRun',
  client: 'replays.getRun',
  route: 'GET /v2/replay-runs/:replay_run_id',
  summary: 'Get a run of a replay',
  description:
    'The report has the calls of the recorded run and of the replay side by side, outputs, scores, cost and time, and the ' +
    'findings. It is null until the run is replayed, if it could not be, and after the recorded run was deleted.',
  scope: 'runs:read',
  status: 200,
  answer: wrapped('replay_run', 'replay_run_id', ReplayRun),
  handler: async ({ replay_run }) => ({ replay_run, replay_run_id: replay_run.id }),
})
