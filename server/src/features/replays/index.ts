// Replays: recorded runs of an agent, builds that are replayed against them, and the gate that asks for it before a promotion.
import { feature } from '../../kit/feature.ts'
import { addRecordings } from './addRecordings.ts'
import { cancelReplay } from './cancelReplay.ts'
import { createReplaySet } from './createReplaySet.ts'
import { deleteRecording } from './deleteRecording.ts'
import { deleteReplaySet } from './deleteReplaySet.ts'
import { draftReplays } from './draftReplays.ts'
import { forgetAgent } from './forgetRecordings.ts'
import { getReplay } from './getReplay.ts'
import { getReplayGate } from './getReplayGate.ts'
import { getReplayRun } from './getReplayRun.ts'
import { getReplaySet } from './getReplaySet.ts'
import { listRecordings } from './listRecordings.ts'
import { listReplayRuns } from './listReplayRuns.ts'
import { listReplays } from './listReplays.ts'
import { listReplaySets } from './listReplaySets.ts'
import { putReplayGate } from './putReplayGate.ts'
import { recordingResource } from './recording.ts'
import { replayResource, replayRunResource } from './replay.ts'
import { replayGate } from './replayGate.ts'
import { reapReplayRuns } from './replaying/heldReplayRun.ts'
import { replayAsSuspect, replayKind, startReplayer } from './replaying/replayer.ts'
import { replaySetResource } from './replaySet.ts'
import { startReplay } from './startReplay.ts'
import { updateReplaySet } from './updateReplaySet.ts'

export const replays = feature({
  name: 'replays',
  about: 'Recorded runs, replays of builds against them, and the gate that asks for one before a promotion.',
  operations: [
    listReplaySets,
    createReplaySet,
    getReplaySet,
    updateReplaySet,
    deleteReplaySet,
    listRecordings,
    addRecordings,
    deleteRecording,
    startReplay,
    listReplays,
    getReplay,
    cancelReplay,
    listReplayRuns,
    getReplayRun,
    getReplayGate,
    putReplayGate,
  ],
  resources: [replaySetResource, recordingResource, replayResource, replayRunResource],
  hooks: { agentDeleted: forgetAgent },
  replayGate,
  draftReplays,
  work: startReplayer,
  reap: ({ db }, dead) => reapReplayRuns(db.sql, dead),
  driveSuspect: { [replayKind]: replayAsSuspect },
})
