// Deletes a webhook; its deliveries and their outcomes stay in the list of deliveries.
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'
import { deliveriesChannel } from './deliveriesChannel.ts'
import { dropWaiting } from './dropWaiting.job.ts'

export const deleteWebhook = operation({
  id: 'deleteWebhook',
  client: 'webhooks.delete',
  route: 'DELETE /v2/teams/:teamId/webhooks/:subscriptionId',
  summary: 'Delete a webhook',
  description: 'Deliveries that were not sent yet are dropped. Ended deliveries can still be read, but not replayed.',
  scope: 'webhooks:manage',
  status: 200,
  answer: Success,
  errors: ['not_found'],
  async handler({ team, subscription, sql, enqueue, fail }) {
    const deleted = await sql`
      update delivery_targets set deleted_at = now()
      where id = ${subscription.id} and team_id = ${team.id} and deleted_at is null returning id`
    if (deleted.length === 0) fail('not_found')
    // From the commit on nothing of it is loaded or shown. The process that has it hears what not to send any more of what it has loaded.
    await sql`select pg_notify(${deliveriesChannel}, ${subscription.id})`
    await enqueue(dropWaiting, { team_id: team.id, subscription_id: subscription.id })
    return { success: true as const }
  },
})
