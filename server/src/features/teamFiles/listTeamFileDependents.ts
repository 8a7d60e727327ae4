// Lists the agents that use a file of the team.
import { Dependents, readDependents } from '../../engine/builds/dependents.ts'
import { operation } from '../../kit/operation.ts'

export const listTeamFileDependents = operation({
  id: 'listTeamFileDependents',
  client: 'teamFiles.listDependents',
  route: 'GET /v2/teams/:teamId/files/:file_id/dependents',
  summary: 'List what depends on a team file',
  scope: 'agents:read',
  status: 200,
  answer: Dependents,
  handler: ({ team, file, sql }) => readDependents(sql, team.id, 'files', [file.id, file.name]),
})
