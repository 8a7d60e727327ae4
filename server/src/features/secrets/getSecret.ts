// Reads one secret, without its values.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { Secret } from './secret.ts'

export const getSecret = operation({
  id: 'getSecret',
  client: 'secrets.get',
  route: 'GET /v2/secrets/:secret_id',
  summary: 'Get a secret',
  scope: 'agents:read',
  status: 200,
  answer: wrapped('secret', 'secret_id', Secret),
  handler: async ({ secret }) => ({ secret, secret_id: secret.id }),
})
