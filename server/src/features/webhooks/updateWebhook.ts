// Changes a webhook, switches it off or on again.
import { announcing, one } from '../../base/db.ts'
import { scopeOfEvent, withheldEvents, type EventName } from '../../kit/event.ts'
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { fields, Webhook, webhookColumns, webhooksOf } from './webhook.ts'
import { lookedAtMax, whyNotTurned } from './withheldDeliveries.ts'

export const updateWebhook = operation({
  id: 'updateWebhook',
  client: 'webhooks.update',
  route: 'PATCH /v2/teams/:teamId/webhooks/:subscriptionId',
  summary: 'Change a webhook',
  description:
    'Only the given fields change. While `active` is false, new events are not sent, also not later; deliveries that were already waiting ' +
    'are sent once it is true again. `active: true` also enables a webhook that Runyard disabled; the dead letters of that time can then ' +
    'be replayed. Waiting deliveries go to a new `url`. To change `url` or `events`, a credential must be ' +
    'able to read every kind of event that the webhook gets. To change `url`, it must also be able to read every event that still waits ' +
    `to be sent; while ${lookedAtMax} deliveries or more wait, every kind of event there is.`,
  scope: 'webhooks:manage',
  body: Type.Object(
    {
      url: Type.Optional(fields.url),
      events: Type.Optional(fields.events),
      active: Type.Optional(Type.Boolean({ description: 'Nothing is sent while it is false.' })),
      description: Type.Optional(fields.description),
    },
    { examples: [{ events: ['*'], active: true }] },
  ),
  status: 200,
  answer: wrapped('webhook', 'subscription_id', Webhook),
  errors: ['insufficient_scope', 'url_not_allowed', 'not_found'],
  async prepare({ body, context }) {
    if (body.url !== undefined) await context.guard.checkOnSave(body.url)
  },
  async handler({ team, caller, subscription, body, sql, fail }) {
    const [stored] = await sql<Webhook & { withheld: string[] }>`
      select ${webhookColumns}, withheld from ${webhooksOf(team.id)} and id = ${subscription.id} for no key update`
    if (!stored) return fail('not_found')
    const isRedirected = body.url !== undefined || body.events !== undefined
    const withheld = withheldEvents(caller.scopes)
    const refused = withheld.find((name) => gets(stored, name))
    if (isRedirected && refused !== undefined) {
      fail(
        'insufficient_scope',
        `This webhook gets ${refused}, which your credential lacks ${scopeOfEvent(refused)} for.`,
      )
    }
    const isMoved = body.url !== undefined && body.url !== stored.url
    // in a statement of its own: one that waits for the lock does not see what is to be replayed since then
    const refusal = isMoved ? await whyNotTurned(sql, stored, withheld) : undefined
    if (refusal !== undefined) fail('insufficient_scope', refusal)
    const isSwitchedOn = body.active === true
    // a new URL, or one that a person has enabled again, has not failed yet
    const isFresh = isSwitchedOn || isMoved
    const changed = await one(sql<Webhook>`${announcing}
      update delivery_targets set
        url = coalesce(${body.url ?? null}, url),
        events = coalesce(${body.events ? [...new Set(body.events)] : null}::text[], events),
        withheld = case when ${isRedirected} then ${withheld}::text[] else withheld end,
        active = coalesce(${body.active ?? null}, active),
        description = case when ${'description' in body} then ${body.description ?? null} else description end,
        disabled_at = case when ${isSwitchedOn} then null else disabled_at end,
        disabled_reason = case when ${isSwitchedOn} then null else disabled_reason end,
        failures = case when ${isFresh} then 0 else failures end,
        failing_since = case when ${isFresh} then null else failing_since end,
        paused_until = case when ${isFresh} then null else paused_until end
      where id = ${subscription.id} and team_id = ${team.id}
      returning ${webhookColumns}`)
    return { webhook: changed, subscription_id: changed.id }
  },
})

const gets = ({ events, withheld }: { events: Webhook['events']; withheld: string[] }, name: EventName): boolean =>
  (events.includes('*') || events.includes(name)) && !withheld.includes(name)
