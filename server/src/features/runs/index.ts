// Runs: starting, watching, talking to, stopping and explaining the work of agents.
import { eraseRunLogs } from '../../engine/ending/eraseRunLogs.job.ts'
import { foldRunCounts } from '../../engine/counting/foldRunCounts.job.ts'
import { stopStrayRuns } from '../../engine/ending/stopStrayRuns.job.ts'
import { sweepRuns } from '../../engine/ending/sweepRuns.job.ts'
import { agentsSet } from '../../engine/tools/agents.ts'
import { httpSet } from '../../engine/tools/http.ts'
import { humanSet } from '../../engine/tools/human.ts'
import { scheduleSet } from '../../engine/tools/schedule.ts'
import { feature } from '../../kit/feature.ts'
import { deleteRun } from './deleteRun.ts'
import { explainRun } from './explainRun.ts'
import { getAgentRun } from './getAgentRun.ts'
import { getRun } from './getRun.ts'
import { getRunCounts } from './getRunCounts.ts'
import { getWorkflowExecutionReport } from './getWorkflowExecutionReport.ts'
import { listRunDetails } from './listRunDetails.ts'
import { listRunEvents } from './listRunEvents.ts'
import { listTeamEvents } from './listTeamEvents.ts'
import { listRunMessages } from './listRunMessages.ts'
import { listRuns } from './listRuns.ts'
import { getRunStep } from './steps/getRunStep.ts'
import { listRunSteps } from './steps/listRunSteps.ts'
import { postRunMessage } from './postRunMessage.ts'
import { retryRun } from './retryRun.ts'
import { run } from './run.ts'
import { startRun } from './startRun.ts'
import { stopDeletedAgent } from './stopDeletedAgent.ts'
import { stopRun } from './stopRun.ts'
import { streamRunEvents } from './streamRunEvents.ts'
import { streamTeamEvents } from './streamTeamEvents.ts'

export const runs = feature({
  name: 'runs',
  about: 'Durable runs of agents: started, watched, talked to, stopped and explained.',
  operations: [
    startRun,
    listRuns,
    listRunDetails,
    getRunCounts,
    getRun,
    getAgentRun,
    explainRun,
    getWorkflowExecutionReport,
    listRunSteps,
    getRunStep,
    listRunEvents,
    listRunMessages,
    postRunMessage,
    stopRun,
    retryRun,
    deleteRun,
    streamRunEvents,
    streamTeamEvents,
    listTeamEvents,
  ],
  resources: [run],
  jobs: [sweepRuns, eraseRunLogs, stopStrayRuns, foldRunCounts],
  hooks: { agentDeleted: stopDeletedAgent },
  toolSets: [humanSet, httpSet, scheduleSet, agentsSet],
})
