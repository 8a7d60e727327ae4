// Lists artifacts: one's own, those that others shared, or all that the team may read.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { hasWords, searchField } from '../../kit/search.ts'
import { Artifact, artifactColumns, shown, type ArtifactRow } from './artifact.ts'

export const listArtifacts = operation({
  id: 'listArtifacts',
  client: 'artifacts.list',
  route: 'GET /v2/artifacts',
  summary: 'List artifacts',
  description: 'Those that changed last come first.',
  scope: 'artifacts:read',
  query: Type.Object({
    scope: oneOf(['created', 'shared', 'team'], {
      default: 'created',
      description:
        '`created`: your own. `shared`: those that others share with the team. `team`: all that are shared with the team.',
    }),
    search: Type.Optional(searchField('title')),
    ...paging(20, 100),
  }),
  status: 200,
  answer: pageOf('artifacts', Artifact),
  async handler({ team, caller, query, context, sql }) {
    const scoped = {
      created: part`artifacts.created_by_user_id = ${caller.member_id}`,
      shared: part`artifacts.visibility <> 'private' and artifacts.created_by_user_id <> ${caller.member_id}`,
      team: part`artifacts.visibility <> 'private'`,
    }[query.scope]
    const from = part`artifacts where artifacts.team_id = ${team.id} and ${scoped} and ${hasWords(part`coalesce(artifacts.title, '')`, query.search)}`
    const order = part`artifacts.updated_at desc, artifacts.id desc`
    const { rows, ...page } = await readPage<ArtifactRow>(sql, { columns: artifactColumns, from, order }, query)
    return { artifacts: rows.map((row) => shown(context, row)), ...page }
  },
})
