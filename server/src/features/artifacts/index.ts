// Artifacts: live pages that a chat makes and that refresh themselves.
import { feature, type ToolSet } from '../../kit/feature.ts'
import { answerArtifact } from './answerArtifact.ts'
import { artifact } from './artifact.ts'
import { attachArtifactConnection } from './attachArtifactConnection.ts'
import { createArtifact } from './createArtifact.ts'
import { deleteArtifact } from './deleteArtifact.ts'
import { detachArtifactConnection } from './detachArtifactConnection.ts'
import { startDrawing } from './drawPictures.ts'
import { duplicateArtifact } from './duplicateArtifact.ts'
import { exportArtifactCsv } from './exportArtifactCsv.ts'
import { exportArtifactHtml } from './exportArtifactHtml.ts'
import { exportArtifactMd } from './exportArtifactMd.ts'
import { exportArtifactXlsx } from './exportArtifactXlsx.ts'
import { exportArtifactPdf } from './exportArtifactPdf.ts'
import { getArtifact } from './getArtifact.ts'
import { getArtifactSource } from './getArtifactSource.ts'
import { listArtifactConnections } from './listArtifactConnections.ts'
import { listArtifactMessages } from './listArtifactMessages.ts'
import { listArtifactRevisions } from './listArtifactRevisions.ts'
import { listArtifacts } from './listArtifacts.ts'
import { artifactLook } from './lookAtPage.ts'
import { mountPages } from './publicPage.ts'
import { publishArtifact } from './publishArtifact.ts'
import { artifactRead } from './readPageTool.ts'
import { refreshArtifact } from './refreshArtifact.ts'
import { refreshDue } from './refreshDue.ts'
import { renderArtifact } from './renderArtifact.ts'
import { renderArtifactRevision } from './renderArtifactRevision.ts'
import { renderSelectableArtifact } from './renderSelectableArtifact.ts'
import { restoreArtifactRevision } from './restoreArtifactRevision.ts'
import { revision } from './revision.ts'
import { artifactSave } from './savePage.ts'
import { sendArtifactMessage } from './sendArtifactMessage.ts'
import { artifactShow } from './showPage.ts'
import { stopArtifact } from './stopArtifact.ts'
import { updateArtifact } from './updateArtifact.ts'

const artifactTools: ToolSet = {
  name: 'artifacts',
  title: 'Artifacts',
  description: 'Make and change the page of an artifact. Only the runs of an artifact can use these tools.',
  provider: null,
  tools: [artifactRead, artifactSave, artifactShow, artifactLook],
}

export const artifacts = feature({
  name: 'artifacts',
  about:
    'Live pages that a chat makes and that refresh themselves: dashboards and documents, with their revisions and exports.',
  operations: [
    listArtifacts,
    createArtifact,
    getArtifact,
    updateArtifact,
    deleteArtifact,
    renderArtifact,
    renderSelectableArtifact,
    getArtifactSource,
    exportArtifactHtml,
    exportArtifactPdf,
    exportArtifactCsv,
    exportArtifactXlsx,
    exportArtifactMd,
    publishArtifact,
    duplicateArtifact,
    listArtifactMessages,
    sendArtifactMessage,
    refreshArtifact,
    stopArtifact,
    answerArtifact,
    listArtifactConnections,
    attachArtifactConnection,
    detachArtifactConnection,
    listArtifactRevisions,
    renderArtifactRevision,
    restoreArtifactRevision,
  ],
  resources: [artifact, revision],
  toolSets: [artifactTools],
  tick: refreshDue,
  work: startDrawing,
  routes: mountPages,
})
