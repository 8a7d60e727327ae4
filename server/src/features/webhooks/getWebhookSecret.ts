// Reads the secret that signs a team's deliveries.
import { operation } from '../../kit/operation.ts'
import { readSecret, Secret } from './secret.ts'

export const getWebhookSecret = operation({
  id: 'getWebhookSecret',
  client: 'webhooks.getSecret',
  route: 'GET /v2/teams/:teamId/webhook-secret',
  summary: 'Get the webhook secret',
  description:
    'One secret signs every delivery of the team, to webhooks and to callback URLs. It is made when it is first needed.',
  scope: 'webhooks:manage',
  status: 200,
  answer: Secret,
  tool: false,
  handler: ({ team, context, sql }) => readSecret(sql, context.keyring, team.id),
})
