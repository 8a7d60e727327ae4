// Sends everything again that a webhook should have got since a given time.
import { one, part, type Part } from '../../base/db.ts'
import { withheldEvents } from '../../kit/event.ts'
import { operation } from '../../kit/operation.ts'
import { Id, instant, Type } from '../../kit/schema.ts'
import { countSince } from './deliveryBatches.ts'
import { isAskedFor, replayDeliveries, replayReadable } from './replayDeliveries.job.ts'
import { whyNotSent } from './replay.ts'
import { lookedAtMax } from './withheldDeliveries.ts'

export const replayWebhook = operation({
  id: 'replayWebhook',
  client: 'webhooks.replay',
  route: 'POST /v2/webhooks/:subscription_id/replay',
  summary: 'Send everything again since some time',
  description:
    'Sends again every delivery to this webhook that is `delivered` or `dead` and whose event happened at `since` or later: the oldest ' +
    'first, after new events. Ids and bodies are the same as before. Kinds of events that your credential may not read are left out, and those ' +
    'that the webhook does not get because the credential that set its `url` or `events` may not read them.',
  scope: 'webhooks:manage',
  body: Type.Object({ since: instant('Events from this time on.') }),
  status: 200,
  answer: Type.Object({
    subscription_id: Id,
    deliveries: Type.Integer({
      minimum: 0,
      description: `How many will be sent again. In a team with more than ${lookedAtMax} deliveries only the newest are counted; older ones are sent again too.`,
    }),
  }),
  errors: ['not_found', 'conflict'],
  async handler({ team, caller, subscription, body, sql, enqueue, fail }) {
    const [target] = await sql<{ active: boolean; is_deleted: boolean; withheld: string[]; asked_at: Date }>`
      select active, deleted_at is not null as is_deleted, withheld, now() as asked_at from delivery_targets
      where id = ${subscription.id} and team_id = ${team.id} for share`
    if (!target || target.is_deleted) return fail('not_found')
    const refusal = whyNotSent(target)
    if (refusal !== undefined) fail('conflict', refusal)
    const asked = {
      team_id: team.id,
      subscription_id: subscription.id,
      since: body.since,
      asked_at: target.asked_at.toISOString(),
      withheld: [...new Set([...target.withheld, ...withheldEvents(caller.scopes)])],
    }
    const newest = (table: Part) =>
      part`(select * from ${table} where team_id = ${team.id} order by n desc limit ${lookedAtMax})`
    const { deliveries } = await one(sql<{ deliveries: number }>`
      select (select count(*) from ${newest(part`deliveries`)} d where ${isAskedFor(asked)})
        + ${countSince(asked, newest(part`delivery_batches`))} as deliveries`)
    // also where none was counted: there may be older ones
    await enqueue(asked.withheld.length === 0 ? replayDeliveries : replayReadable, asked)
    return { subscription_id: subscription.id, deliveries }
  },
})
