// Subscribes a URL to a team's events.
import { one } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { withheldEvents } from '../../kit/event.ts'
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { fields, Webhook, webhookColumns, webhooksOf } from './webhook.ts'

/** How many webhooks a team may have: each is checked for every event of the team, and a list shows all of them. */
const webhooksMax = 50

export const createWebhook = operation({
  id: 'createWebhook',
  client: 'webhooks.create',
  route: 'POST /v2/teams/:teamId/webhooks',
  summary: 'Subscribe a URL to events',
  description:
    'From now on each of these events is sent to `url` by POST, at least once, signed with the team’s secret. What fails is tried again ' +
    'for about three days and then kept as a dead letter. It gets the events that the credential which made it may read (streamTeamEvents ' +
    'lists their scopes). A team has at most 50 webhooks.',
  scope: 'webhooks:manage',
  body: Type.Object(
    { url: fields.url, events: fields.events, description: Type.Optional(fields.description) },
    { examples: [{ url: 'https://hooks.example.com/runyard', events: ['run.completed', 'run.failed'] }] },
  ),
  status: 201,
  answer: wrapped('webhook', 'subscription_id', Webhook),
  errors: ['url_not_allowed', 'conflict'],
  async prepare({ body, context }) {
    await context.guard.checkOnSave(body.url)
  },
  async handler({ team, caller, body, sql, fail }) {
    // locked against others who count the team's webhooks
    await sql`select id from teams where id = ${team.id} for no key update`
    const count = await one(sql<{ made: number }>`select count(*) as made from ${webhooksOf(team.id)}`)
    if (count.made >= webhooksMax) {
      fail('conflict', `This team has ${webhooksMax} webhooks, which is the most. Delete or change one of them.`)
    }
    const made = await one(sql<Webhook>`
      insert into delivery_targets (id, team_id, kind, url, events, withheld, description)
      values (${newId()}, ${team.id}, 'subscription', ${body.url}, ${[...new Set(body.events)]}::text[],
        ${withheldEvents(caller.scopes)}::text[], ${body.description ?? null})
      returning ${webhookColumns}`)
    return { webhook: made, subscription_id: made.id }
  },
})
