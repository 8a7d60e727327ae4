// Queues of cases: work that agents and people take one by one.
import { feature } from '../../kit/feature.ts'
import { bulkActionResource } from './bulkAction.ts'
import { bulkDeleteCases } from './bulkDeleteCases.ts'
import { bulkReprocessCases } from './bulkReprocessCases.ts'
import { bulkUpdateCasePriority } from './bulkUpdateCasePriority.ts'
import { bulkUpdateCaseStatus } from './bulkUpdateCaseStatus.ts'
import { carryOnBulkActions } from './carryOnBulkActions.job.ts'
import { caseResource } from './case.ts'
import { forgetCaseTrigger, triggerResource } from './caseTrigger.ts'
import { claimCase } from './claimCase.ts'
import { clearQueueCases } from './clearQueueCases.ts'
import { completeCase } from './completeCase.ts'
import { createAgentCaseTrigger } from './createAgentCaseTrigger.ts'
import { createCases } from './createCases.ts'
import { createLabel } from './createLabel.ts'
import { createQueue } from './createQueue.ts'
import { deleteAgentCaseTrigger } from './deleteAgentCaseTrigger.ts'
import { deleteCase } from './deleteCase.ts'
import { deleteLabel } from './deleteLabel.ts'
import { deleteQueue } from './deleteQueue.ts'
import { dispatcherOf } from './dispatcher.ts'
import { eraseLabel } from './eraseLabel.job.ts'
import { eraseQueue } from './eraseQueue.job.ts'
import { failCase } from './failCase.ts'
import { foldCaseCounts } from './foldCaseCounts.job.ts'
import { getAgentCaseTrigger } from './getAgentCaseTrigger.ts'
import { getBulkAction } from './getBulkAction.ts'
import { getCase } from './getCase.ts'
import { getQueue } from './getQueue.ts'
import { labelResource } from './label.ts'
import { linkCaseLabels } from './linkCaseLabels.ts'
import { listAgentCaseTriggers } from './listAgentCaseTriggers.ts'
import { listCaseLabels } from './listCaseLabels.ts'
import { listCaseRuns } from './listCaseRuns.ts'
import { listCases } from './listCases.ts'
import { listLabels } from './listLabels.ts'
import { listQueueAgents } from './listQueueAgents.ts'
import { listQueues } from './listQueues.ts'
import { listRecentCaseRunMessages } from './listRecentCaseRunMessages.ts'
import { postponeCase } from './postponeCase.ts'
import { previewAgentCaseTriggerConflicts } from './previewAgentCaseTriggerConflicts.ts'
import { queueResource } from './queue.ts'
import { releaseCase } from './releaseCase.ts'
import { searchCases } from './searchCases.ts'
import { caseTools } from './tools.ts'
import { sweepBulkActions } from './sweepBulkActions.job.ts'
import { unlinkCaseLabels } from './unlinkCaseLabels.ts'
import { updateAgentCaseTrigger } from './updateAgentCaseTrigger.ts'
import { updateCase } from './updateCase.ts'
import { updateLabel } from './updateLabel.ts'
import { updateQueue } from './updateQueue.ts'

export const queues = feature({
  name: 'queues',
  about: 'Queues of cases that agents and people work, one holder a case, and what became of each.',
  operations: [
    listQueues,
    createQueue,
    getQueue,
    updateQueue,
    deleteQueue,
    listQueueAgents,
    listCases,
    searchCases,
    createCases,
    getCase,
    updateCase,
    deleteCase,
    clearQueueCases,
    listCaseRuns,
    listRecentCaseRunMessages,
    claimCase,
    completeCase,
    failCase,
    postponeCase,
    releaseCase,
    bulkDeleteCases,
    bulkReprocessCases,
    bulkUpdateCaseStatus,
    bulkUpdateCasePriority,
    getBulkAction,
    listLabels,
    createLabel,
    updateLabel,
    deleteLabel,
    listCaseLabels,
    linkCaseLabels,
    unlinkCaseLabels,
    listAgentCaseTriggers,
    createAgentCaseTrigger,
    previewAgentCaseTriggerConflicts,
    getAgentCaseTrigger,
    updateAgentCaseTrigger,
    deleteAgentCaseTrigger,
  ],
  resources: [queueResource, caseResource, labelResource, triggerResource, bulkActionResource],
  jobs: [foldCaseCounts, eraseQueue, eraseLabel, carryOnBulkActions, sweepBulkActions],
  toolSets: [caseTools],
  hooks: { agentDeleted: forgetCaseTrigger },
  work: (context) => dispatcherOf(context).work(),
  onEvents: (context) => dispatcherOf(context).changed(),
})
