// Reads one saved view.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { SavedView } from './view.ts'

export const getView = operation({
  id: 'getView',
  client: 'views.get',
  route: 'GET /v2/views/:view_id',
  summary: 'Get a saved view',
  scope: 'team:read',
  status: 200,
  answer: wrapped('view', 'view_id', SavedView),
  handler: async ({ view }) => ({ view, view_id: view.id }),
})
