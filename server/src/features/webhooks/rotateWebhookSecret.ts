// Makes a new secret for a team's deliveries; the one before signs beside it for a while.
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { rotateSecret, Secret } from './secret.ts'

const daySeconds = 86_400

export const rotateWebhookSecret = operation({
  id: 'rotateWebhookSecret',
  route: 'POST /v2/teams/:teamId/webhook-secret/rotate',
  summary: 'Rotate the webhook secret',
  description:
    'Until `previous_expires_at` every delivery is signed with the new secret and the one before. At most two sign: rotating again drops ' +
    'the older at once.',
  scope: 'webhooks:manage',
  body: Type.Object({
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7 * daySeconds,
        default: daySeconds,
        description: 'How long the secret before still signs; 0: not at all. A day unless given.',
      }),
    ),
  }),
  status: 200,
  answer: Secret,
  tool: false,
  handler: ({ team, body, context, sql }) =>
    rotateSecret(sql, context.keyring, team.id, body.overlap_seconds ?? daySeconds),
})
