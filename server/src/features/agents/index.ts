// Agents and their builds: what runs are started from, its versions, the builder that writes them, and what it suggests by itself.
import { feature } from '../../kit/feature.ts'
import { acceptRevision } from './builder/acceptRevision.ts'
import { advanceBuilder } from './builder/advanceBuilder.job.ts'
import { agent } from './agent.ts'
import { agentPauses } from './agentPauses.ts'
import { build } from './builds/build.ts'
import { builderRun } from './builder/builderRun.ts'
import { checkProcedure } from './checkProcedure.ts'
import { createAgent } from './createAgent.ts'
import { createRevision } from './createRevision.ts'
import { deleteAgent } from './deleteAgent.ts'
import { diffRevisions } from './diffRevisions.ts'
import { discardRevision } from './builder/discardRevision.ts'
import { forgetLessons } from './builder/forgetLessons.ts'
import { generateRevision } from './builder/generateRevision.ts'
import { getAgent } from './getAgent.ts'
import { getAgentInputs } from './getAgentInputs.ts'
import { getBuilderRunStatus } from './builder/getBuilderRunStatus.ts'
import { getProcedureLanguage } from './getProcedureLanguage.ts'
import { getPromotionPreview } from './getPromotionPreview.ts'
import { getRevision } from './getRevision.ts'
import { getRevisionBuilderRun } from './builder/getRevisionBuilderRun.ts'
import { hiddenAgents } from './hiddenAgents.ts'
import { listAgentFigures } from './listAgentFigures.ts'
import { listAgentRevisions } from './listAgentRevisions.ts'
import { listAgents } from './listAgents.ts'
import { offeredAgents } from './offeredAgents.ts'
import { pauseAgent } from './pauseAgent.ts'
import { promoteRevision } from './promoteRevision.ts'
import { resumeAgent } from './resumeAgent.ts'
import { resumeBuilderRun } from './builder/resumeBuilderRun.ts'
import { reviveBuilderRuns } from './builder/reviveBuilderRuns.job.ts'
import { searchAgents } from './searchAgents.ts'
import { acceptSuggestion } from './suggestions/acceptSuggestion.ts'
import { forgetSuggestions } from './suggestions/forgetSuggestions.ts'
import { getSuggestion } from './suggestions/getSuggestion.ts'
import { getSuggestionSettings } from './suggestions/getSuggestionSettings.ts'
import { listSuggestions } from './suggestions/listSuggestions.ts'
import { putSuggestionSettings } from './suggestions/putSuggestionSettings.ts'
import { rejectSuggestion } from './suggestions/rejectSuggestion.ts'
import { suggestFixes } from './suggestions/suggestFixes.job.ts'
import { suggestionResource } from './suggestions/suggestion.ts'
import { updateAgent } from './updateAgent.ts'
import { updateRevision } from './updateRevision.ts'

export const agents = feature({
  name: 'agents',
  about: 'Agents and their builds (revisions), of which one is live.',
  operations: [
    listAgents,
    searchAgents,
    listAgentFigures,
    createAgent,
    getAgent,
    getAgentInputs,
    updateAgent,
    pauseAgent,
    resumeAgent,
    deleteAgent,
    listAgentRevisions,
    createRevision,
    getRevision,
    diffRevisions,
    updateRevision,
    getPromotionPreview,
    promoteRevision,
    generateRevision,
    getRevisionBuilderRun,
    getBuilderRunStatus,
    resumeBuilderRun,
    checkProcedure,
    getProcedureLanguage,
    acceptRevision,
    discardRevision,
    listSuggestions,
    getSuggestion,
    acceptSuggestion,
    rejectSuggestion,
    getSuggestionSettings,
    putSuggestionSettings,
  ],
  resources: [agent, build, builderRun, suggestionResource],
  jobs: [advanceBuilder, reviveBuilderRuns, suggestFixes],
  hiddenAgents,
  agentPauses,
  offers: [offeredAgents],
  hooks: { agentDeleted: forgetSuggestions, runLogsErased: forgetLessons },
})
