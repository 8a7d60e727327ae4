// Deletes a team's own key of a provider: from then on the server's is used, where it has one.
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'

export const deleteModelKey = operation({
  id: 'deleteModelKey',
  client: 'modelKeys.delete',
  route: 'DELETE /v2/teams/:teamId/model-keys/:model_key_id',
  summary: 'Delete a model key',
  description:
    'Within a second the provider is asked with the server’s key again; without one, its models cannot be used.',
  scope: 'keys:manage',
  status: 200,
  answer: Success,
  errors: ['not_found'],
  tool: false,
  async handler({ team, model_key, sql, fail }) {
    const deleted = await sql`delete from model_keys where id = ${model_key.id} and team_id = ${team.id} returning id`
    if (deleted.length === 0) fail('not_found')
    return { success: true as const }
  },
})
