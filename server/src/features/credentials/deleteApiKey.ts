// Revokes an API key: it stops working everywhere within a second.
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'
import { revokeApiKey } from './apiKey.ts'

export const deleteApiKey = operation({
  id: 'deleteApiKey',
  client: 'apiKeys.delete',
  route: 'DELETE /v2/api-keys/:key_id',
  summary: 'Revoke an API key',
  scope: 'keys:manage',
  status: 200,
  answer: Success,
  errors: ['not_found'],
  tool: false,
  async handler({ key, sql, fail }) {
    if (!(await revokeApiKey(sql, key.id))) fail('not_found')
    return { success: true as const }
  },
})
