// Saves the filter of a list under a name.
import { one } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { requireSmallFilter, SavedView, takenName, viewColumns, viewFields } from './view.ts'

/** How many views a member may have. */
const viewsMax = 100

export const createView = operation({
  id: 'createView',
  client: 'views.create',
  route: 'POST /v2/teams/:teamId/views',
  summary: 'Save a view',
  description: `A member has at most ${viewsMax} views. Names differ among the views that a member has of a screen.`,
  scope: 'team:read',
  body: Type.Object(
    {
      screen: viewFields.screen,
      name: viewFields.name,
      filter: viewFields.filter,
      is_shared: Type.Optional(viewFields.is_shared),
    },
    { examples: [{ screen: 'runs', name: 'Failed today', filter: { status: 'failed' } }] },
  ),
  status: 201,
  answer: wrapped('view', 'view_id', SavedView),
  errors: ['conflict', 'duplicate_name'],
  async handler({ team, caller, body, sql, fail }) {
    requireSmallFilter(body.filter)
    // locked against others who count the views of this member
    await sql`select id from members where id = ${caller.member_id} and team_id = ${team.id} for no key update`
    const count = await one(sql<{ made: number }>`
      select count(*) as made from saved_views where team_id = ${team.id} and member_id = ${caller.member_id}`)
    if (count.made >= viewsMax)
      fail('conflict', `You have ${viewsMax} views, which is the most. Delete or change one of them.`)
    const [made] = await sql<SavedView>`
      insert into saved_views as v (id, team_id, member_id, screen, name, filter, is_shared)
      values (${newId()}, ${team.id}, ${caller.member_id}, ${body.screen}, ${body.name}, ${JSON.stringify(body.filter)}::jsonb,
        ${body.is_shared ?? false})
      on conflict (member_id, screen, name) do nothing
      returning ${viewColumns}`
    if (!made) return fail('duplicate_name', takenName)
    return { view: made, view_id: made.id }
  },
})
