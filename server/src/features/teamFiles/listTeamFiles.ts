// Lists the files of a team by name.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { hasWords, searchField } from '../../kit/search.ts'
import { fileColumns, TeamFile } from './teamFile.ts'

export const listTeamFiles = operation({
  id: 'listTeamFiles',
  client: 'teamFiles.list',
  route: 'GET /v2/teams/:teamId/files',
  summary: 'List team files',
  scope: 'files:read',
  query: Type.Object({ search: Type.Optional(searchField('name')), ...paging(100, 100) }),
  status: 200,
  answer: pageOf('files', TeamFile),
  async handler({ team, query, sql }) {
    const from = part`team_files f where f.team_id = ${team.id} and ${hasWords(part`f.name`, query.search)}`
    const list = { columns: fileColumns, from, order: part`f.name` }
    const { rows, ...page } = await readPage<TeamFile>(sql, list, query)
    return { files: rows, ...page }
  },
})
