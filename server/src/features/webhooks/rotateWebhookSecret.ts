// Makes a new secret for a team's deliveries. It replaces the old one at once, unless an overlap is asked for.
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { rotateSecret, Secret } from './secret.ts'

const overlapSecondsMax = 7 * 86_400

export const rotateWebhookSecret = operation({
  id: 'rotateWebhookSecret',
  client: 'webhooks.rotateSecret',
  route: 'POST /v2/teams/:teamId/webhook-secret/rotate',
  summary: 'Rotate the webhook secret',
  description:
    'Without `overlap_seconds` the new secret replaces the old one at once, and deliveries carry one `v1` signature. With it, every delivery ' +
    'is signed with both secrets until `previous_expires_at`. At most two sign: rotating again drops the older at once.',
  scope: 'webhooks:manage',
  body: Type.Object({
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: overlapSecondsMax,
        default: 0,
        description: 'How long the old secret still signs beside the new one; 0: not at all.',
      }),
    ),
  }),
  status: 200,
  answer: Secret,
  tool: false,
  handler: ({ team, body, context, sql }) => rotateSecret(sql, context.keyring, team.id, body.overlap_seconds ?? 0),
})
