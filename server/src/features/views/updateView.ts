// Changes a saved view: its name, its filter, or who sees it.
import { sqlState, uniqueViolation } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { requireSmallFilter, SavedView, takenName, viewColumns, viewFields } from './view.ts'

export const updateView = operation({
  id: 'updateView',
  client: 'views.update',
  route: 'PATCH /v2/views/:view_id',
  summary: 'Change a saved view',
  description: 'Only the given fields change; `filter` is replaced as a whole.',
  scope: 'team:read',
  body: Type.Object(
    {
      name: Type.Optional(viewFields.name),
      filter: Type.Optional(viewFields.filter),
      is_shared: Type.Optional(viewFields.is_shared),
    },
    { examples: [{ is_shared: true }] },
  ),
  status: 200,
  answer: wrapped('view', 'view_id', SavedView),
  errors: ['duplicate_name', 'not_found'],
  async handler({ team, view, body, sql, fail }) {
    requireSmallFilter(body.filter)
    const filter = body.filter === undefined ? null : JSON.stringify(body.filter)
    try {
      const [changed] = await sql<SavedView>`
        update saved_views v set name = coalesce(${body.name ?? null}, v.name), filter = coalesce(${filter}::jsonb, v.filter),
          is_shared = coalesce(${body.is_shared ?? null}, v.is_shared), updated_at = now()
        where v.id = ${view.id} and v.team_id = ${team.id}
        returning ${viewColumns}`
      if (!changed) return fail('not_found')
      return { view: changed, view_id: changed.id }
    } catch (error) {
      if (sqlState(error) !== uniqueViolation) throw error
      return fail('duplicate_name', takenName)
    }
  },
})
