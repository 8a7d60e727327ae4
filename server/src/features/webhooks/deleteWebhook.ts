// Deletes a webhook; its deliveries and their outcomes stay in the list of deliveries.
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'

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
  async handler({ team, subscription, sql, fail }) {
    const deleted = await sql`
      update delivery_targets set deleted_at = now()
      where id = ${subscription.id} and team_id = ${team.id} and deleted_at is null returning id`
    if (deleted.length === 0) fail('not_found')
    // Whoever writes results locks deliveries first and their target then: we, who hold the target, must not wait for them. A delivery that
    // is skipped here is never sent either, and sweepDeliveries deletes it.
    await sql`
      delete from deliveries where id in (
        select id from deliveries
        where target_id = ${subscription.id} and team_id = ${team.id} and state in ('new', 'retrying', 'replaying')
        for update skip locked)`
    await sql`
      update delivery_batches set waiting = waiting # waiting where target_id = ${subscription.id} and batch_id = any(array(
        select batch_id from delivery_batches
        where target_id = ${subscription.id} and team_id = ${team.id} and has_waiting
        for update skip locked))`
    return { success: true as const }
  },
})
