// Lists the webhooks of a team, oldest first.
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { Webhook, webhookColumns, webhooksOf } from './webhook.ts'

export const listWebhooks = operation({
  id: 'listWebhooks',
  client: 'webhooks.list',
  route: 'GET /v2/teams/:teamId/webhooks',
  summary: 'List webhooks',
  scope: 'webhooks:manage',
  status: 200,
  answer: Type.Object({ webhooks: Type.Array(Webhook) }),
  async handler({ team, sql }) {
    const webhooks = await sql<Webhook>`select ${webhookColumns} from ${webhooksOf(team.id)} order by id`
    return { webhooks }
  },
})
