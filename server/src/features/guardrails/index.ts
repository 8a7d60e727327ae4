// Guardrails: rules of a team above all of its agents, their history, what they stopped, and dry runs of them.
import { sweepGuardrails } from '../../engine/guardrails/sweepGuardrails.job.ts'
import { wakeHeldRuns } from '../../engine/guardrails/wakeHeldRuns.job.ts'
import { feature } from '../../kit/feature.ts'
import { dryRun } from './dryRun.ts'
import { getGuardrailDryRun } from './getGuardrailDryRun.ts'
import { getGuardrails } from './getGuardrails.ts'
import { judgeRecords } from './judgeRecords.job.ts'
import { listGuardrailStops } from './listGuardrailStops.ts'
import { listGuardrailVersions } from './listGuardrailVersions.ts'
import { restoreGuardrails } from './restoreGuardrails.ts'
import { setGuardrails } from './setGuardrails.ts'
import { startGuardrailDryRun } from './startGuardrailDryRun.ts'
import { sweepDryRuns } from './sweepDryRuns.job.ts'

export const guardrails = feature({
  name: 'guardrails',
  about: 'Rules of a team above all of its agents, what they stopped, and what they would have stopped.',
  operations: [
    getGuardrails,
    setGuardrails,
    listGuardrailVersions,
    restoreGuardrails,
    startGuardrailDryRun,
    getGuardrailDryRun,
    listGuardrailStops,
  ],
  jobs: [judgeRecords, sweepDryRuns, sweepGuardrails, wakeHeldRuns],
  resources: [dryRun],
})
