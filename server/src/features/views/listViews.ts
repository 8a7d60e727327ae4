// Lists the saved views that a member has, and those that others share with the team.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { isVisibleTo, SavedView, screens, viewColumns } from './view.ts'

export const listViews = operation({
  id: 'listViews',
  client: 'views.list',
  route: 'GET /v2/teams/:teamId/views',
  summary: 'List saved views',
  description: 'Your own and those that others share, by name.',
  scope: 'team:read',
  query: Type.Object({
    screen: Type.Optional(oneOf(screens, { description: 'Only views of this screen.' })),
    ...paging(100, 200),
  }),
  status: 200,
  answer: pageOf('views', SavedView),
  async handler({ team, caller, query, sql }) {
    const { screen = null } = query
    const from = part`saved_views v where v.team_id = ${team.id} and ${isVisibleTo(caller.member_id)}
      and (${screen}::text is null or v.screen = ${screen})`
    const { rows, ...page } = await readPage<SavedView>(
      sql,
      { columns: viewColumns, from, order: part`v.name, v.id` },
      query,
    )
    return { views: rows, ...page }
  },
})
