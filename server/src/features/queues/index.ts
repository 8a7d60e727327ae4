// Queues of cases: work that agents and people take one by one.
import { feature } from '../../kit/feature.ts'
import { assignCase } from './cases/assignCase.ts'
import { bulkActionResource } from './bulk/bulkAction.ts'
import { bulkDeleteCases } from './bulk/bulkDeleteCases.ts'
import { bulkReprocessCases } from './bulk/bulkReprocessCases.ts'
import { bulkUpdateCasePriority } from './bulk/bulkUpdateCasePriority.ts'
import { bulkUpdateCaseStatus } from './bulk/bulkUpdateCaseStatus.ts'
import { carryOnBulkActions } from './bulk/carryOnBulkActions.job.ts'
import { caseResource } from './cases/case.ts'
import { forgetCaseTrigger, triggerResource } from './dispatch/caseTrigger.ts'
import { caseStarts } from './dispatch/caseStarts.ts'
import { claimCase } from './cases/claimCase.ts'
import { clearQueueCases } from './bulk/clearQueueCases.ts'
import { completeCase } from './cases/completeCase.ts'
import { createAgentCaseTrigger } from './dispatch/createAgentCaseTrigger.ts'
import { createCases } from './cases/createCases.ts'
import { createLabel } from './labels/createLabel.ts'
import { createQueue } from './createQueue.ts'
import { deleteAgentCaseTrigger } from './dispatch/deleteAgentCaseTrigger.ts'
import { deleteCase } from './cases/deleteCase.ts'
import { deleteLabel } from './labels/deleteLabel.ts'
import { deleteQueue } from './deleteQueue.ts'
import { dispatcherOf } from './dispatch/dispatcher.ts'
import { eraseLabel } from './labels/eraseLabel.job.ts'
import { eraseQueue } from './eraseQueue.job.ts'
import { explainQueue } from './dispatch/explainQueue.ts'
import { failCase } from './cases/failCase.ts'
import { foldCaseCounts } from './lists/foldCaseCounts.job.ts'
import { getAgentCaseTrigger } from './dispatch/getAgentCaseTrigger.ts'
import { getBulkAction } from './bulk/getBulkAction.ts'
import { getCase } from './cases/getCase.ts'
import { getCaseAges } from './lists/getCaseAges.ts'
import { getQueue } from './getQueue.ts'
import { labelResource } from './labels/label.ts'
import { linkCaseLabels } from './labels/linkCaseLabels.ts'
import { listAgentCaseTriggers } from './dispatch/listAgentCaseTriggers.ts'
import { listBulkActions } from './bulk/listBulkActions.ts'
import { listCaseLabels } from './labels/listCaseLabels.ts'
import { listCaseRuns } from './cases/listCaseRuns.ts'
import { listCases } from './lists/listCases.ts'
import { listLabels } from './labels/listLabels.ts'
import { listQueueAgents } from './dispatch/listQueueAgents.ts'
import { listQueues } from './listQueues.ts'
import { listRecentCaseRunMessages } from './cases/listRecentCaseRunMessages.ts'
import { offeredQueues } from './offeredQueues.ts'
import { postponeCase } from './cases/postponeCase.ts'
import { previewAgentCaseTriggerConflicts } from './dispatch/previewAgentCaseTriggerConflicts.ts'
import { queueResource } from './queue.ts'
import { releaseCase } from './cases/releaseCase.ts'
import { searchCases } from './lists/searchCases.ts'
import { stopBulkAction } from './bulk/stopBulkAction.ts'
import { caseTools } from './tools.ts'
import { sweepBulkActions } from './bulk/sweepBulkActions.job.ts'
import { takeOverCase } from './cases/takeOverCase.ts'
import { unlinkCaseLabels } from './labels/unlinkCaseLabels.ts'
import { updateAgentCaseTrigger } from './dispatch/updateAgentCaseTrigger.ts'
import { updateCase } from './cases/updateCase.ts'
import { updateLabel } from './labels/updateLabel.ts'
import { updateQueue } from './updateQueue.ts'

export const queues = feature({
  name: 'queues',
  about: 'Queues of cases that agents and people work on, one holder for each case.',
  operations: [
    listQueues,
    createQueue,
    getQueue,
    updateQueue,
    deleteQueue,
    listQueueAgents,
    explainQueue,
    getCaseAges,
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
    assignCase,
    takeOverCase,
    completeCase,
    failCase,
    postponeCase,
    releaseCase,
    bulkDeleteCases,
    bulkReprocessCases,
    bulkUpdateCaseStatus,
    bulkUpdateCasePriority,
    getBulkAction,
    listBulkActions,
    stopBulkAction,
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
  offers: [offeredQueues],
  runStarts: caseStarts,
  hooks: { agentDeleted: forgetCaseTrigger },
  work: (context) => dispatcherOf(context).work(),
  onEvents: (context) => dispatcherOf(context).changed(),
})
