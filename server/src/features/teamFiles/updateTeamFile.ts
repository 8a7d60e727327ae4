// Renames a file of the team.
import { one } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { checkedName, fileColumns, FileName, requireFreePlace, TeamFile } from './teamFile.ts'

export const updateTeamFile = operation({
  id: 'updateTeamFile',
  client: 'teamFiles.update',
  route: 'PATCH /v2/teams/:teamId/files/:file_id',
  summary: 'Rename a team file',
  description: 'Builds that name it by its old name no longer find it; those that name its id do.',
  scope: 'agents:write',
  body: Type.Object({ name: Type.Optional(FileName) }, { examples: [{ name: 'reference/prices-2026.csv' }] }),
  status: 200,
  answer: wrapped('file', 'file_id', TeamFile),
  errors: ['duplicate_name', 'conflict', 'not_found', 'invalid_request'],
  async handler({ team, file: { id }, body, sql, fail }) {
    const [stored] = await sql<{ name: string }>`
      select name from team_files where id = ${id} and team_id = ${team.id} for update`
    if (!stored) return fail('not_found')
    const name = body.name === undefined ? stored.name : checkedName(body.name)
    if (name !== stored.name) {
      await requireFreePlace(sql, team.id, name, id)
      const taken = await sql`select 1 from team_files where team_id = ${team.id} and name = ${name}`
      if (taken.length > 0) fail('duplicate_name', 'This team has a file of this name. Choose another.')
    }
    const file = await one(sql<TeamFile>`
      with f as (
        update team_files set name = ${name}, updated_at = now() where id = ${id} and team_id = ${team.id} returning *)
      select ${fileColumns} from f`)
    return { file, file_id: id }
  },
})
