// Files that a team keeps for its agents.
import { feature } from '../../kit/feature.ts'
import { createTeamFile } from './createTeamFile.ts'
import { createTeamFileUploadUrl } from './createTeamFileUploadUrl.ts'
import { deleteTeamFile } from './deleteTeamFile.ts'
import { mountTeamFiles } from './fileRoutes.ts'
import { filesInBuilds, fileTools, laidTeamFiles } from './filesInRuns.ts'
import { getTeamFile } from './getTeamFile.ts'
import { listTeamFileDependents } from './listTeamFileDependents.ts'
import { listTeamFiles } from './listTeamFiles.ts'
import { offeredFiles } from './offeredFiles.ts'
import { fileResource } from './teamFile.ts'
import { updateTeamFile } from './updateTeamFile.ts'

export const teamFiles = feature({
  name: 'teamFiles',
  about: 'Files that a team keeps for its agents, laid read-only into their sandboxes.',
  operations: [
    listTeamFiles,
    createTeamFile,
    createTeamFileUploadUrl,
    getTeamFile,
    updateTeamFile,
    deleteTeamFile,
    listTeamFileDependents,
  ],
  resources: [fileResource],
  namedInBuilds: [filesInBuilds],
  offers: [offeredFiles],
  laidFiles: laidTeamFiles,
  givenTools: fileTools,
  routes: mountTeamFiles,
})
