// Reads what a delivery sends: the body, which is the same at every attempt, without the signature.
import { part } from '../../base/db.ts'
import { eventsWith } from '../../kit/event.ts'
import { operation } from '../../kit/operation.ts'
import { Id, nullable, Type } from '../../kit/schema.ts'
import { bodyOf } from './attempt.ts'
import { whyWithheld } from './withheldDeliveries.ts'

const bodyBytesMax = 256 * 1024

export const getWebhookDeliveryRequest = operation({
  id: 'getWebhookDeliveryRequest',
  client: 'deliveries.getRequest',
  route: 'GET /v2/webhook-deliveries/:delivery_id/request',
  summary: 'Get what a delivery sends',
  description:
    'The body of its request, which is the same at every attempt. Each attempt has its own signature, which is not part of it. A credential ' +
    'must be able to read the event that the delivery sends.',
  scope: 'webhooks:manage',
  status: 200,
  answer: Type.Object({
    delivery_id: Id,
    url: Type.String(),
    body: nullable(Type.String({ description: 'The first 256 KiB. Null: the event was erased after its time.' })),
    truncated: Type.Boolean(),
  }),
  errors: ['insufficient_scope'],
  async handler({ team, caller, delivery: { id, event, event_id, created_at, url }, sql, fail }) {
    const withheld = whyWithheld(caller.scopes, event)
    if (withheld !== undefined) fail('insufficient_scope', withheld)
    const [found] = await sql<{ data: string | null }>`
      select coalesce(
        (select d.data::text from deliveries d where d.id = ${id} and d.team_id = ${team.id}),
        (select told.data from (${eventsWith(part`select ${event_id}::uuid`)}) told)) as data`
    const data = found?.data ?? null
    if (data === null) return { delivery_id: id, url, body: null, truncated: false }
    const body = bodyOf({ id, event, created_at: new Date(created_at), data })
    // characters that the cut divides are left out
    const text = new TextDecoder().decode(body.subarray(0, bodyBytesMax), { stream: true })
    return { delivery_id: id, url, body: text, truncated: body.length > bodyBytesMax }
  },
})
