// Deletes a file of the team, and tells which agents used it.
import { Dependents, readDependents } from '../../engine/builds/dependents.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'

export const deleteTeamFile = operation({
  id: 'deleteTeamFile',
  client: 'teamFiles.delete',
  route: 'DELETE /v2/teams/:teamId/files/:file_id',
  summary: 'Delete a team file',
  description: 'The answer lists the agents that used it. listTeamFileDependents shows them beforehand.',
  scope: 'agents:write',
  status: 200,
  answer: Type.Object({ success: Type.Literal(true), ...Dependents.properties }),
  errors: ['not_found'],
  async handler({ team, file, sql, fail }) {
    const dependents = await readDependents(sql, team.id, 'files', [file.id, file.name])
    const gone = await sql`delete from team_files where id = ${file.id} and team_id = ${team.id} returning 1`
    if (gone.length === 0) return fail('not_found')
    return { success: true as const, ...dependents }
  },
})
