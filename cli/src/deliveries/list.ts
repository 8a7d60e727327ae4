// runyard deliveries: what was sent to webhooks and callback URLs, and how it went.
import type { Delivery, ListWebhookDeliveriesInput } from '../../../sdk/src/index.ts'
import { command } from '../command.ts'
import { countOf, limitOption } from '../count.ts'
import { sinceOf } from '../since.ts'
import { ageOf } from '../times.ts'

export const deliveriesList = command({
  words: 'deliveries',
  needs: 'service',
  endsWithReader: true,
  says: 'List deliveries to webhooks and callback URLs, the newest first.',
  options: {
    failed: { type: 'boolean', says: 'only those that were given up' },
    status: { type: 'string', value: 'STATUS', says: 'only these: new, retrying, replaying, delivered, dead' },
    event: { type: 'string', value: 'EVENT', says: 'only of this kind of event' },
    webhook: { type: 'string', value: 'ID', says: 'only to this webhook' },
    since: {
      type: 'string',
      value: 'TIME',
      says: 'only those made since then: 2h means two hours ago; or an ISO time',
    },
    limit: limitOption,
  },
  examples: ['runyard deliveries --failed --since 1d', 'runyard deliveries --json -n 0 | jq -r .url'],
  async run({ values, out, service }) {
    const count = countOf(values.limit)
    const since = values.since === undefined ? undefined : sinceOf(values.since)
    const runyard = await service()
    const status = values.failed ? 'dead' : values.status
    const input = {
      ...(status !== undefined && { status }),
      ...(values.event !== undefined && { event: values.event }),
      ...(values.webhook !== undefined && { subscription_id: values.webhook }),
      limit: 100,
      // the service names what it does not know
    } as ListWebhookDeliveriesInput
    await out.rows(
      [
        { title: 'id', of: ({ id }) => id },
        { title: 'status', of: (one) => one.status },
        { title: 'event', of: ({ event }) => event },
        { title: 'tries', of: ({ attempts }) => attempts, isNumber: true },
        { title: 'age', of: ({ created_at }) => ageOf(created_at), isNumber: true },
        { title: 'url', of: ({ url }) => url, mayCut: true },
        { title: 'reason', of: ({ reason }) => reason, mayCut: true },
      ],
      newestOf(runyard.deliveries.list(input), since, count),
      'There are no such deliveries. Send a sample with: runyard trigger EVENT',
    )
  },
})

/** Deliveries that were made since then; the list has the newest first. */
export async function* newestOf(
  rows: AsyncIterable<Delivery>,
  since: Date | undefined,
  count: number,
): AsyncGenerator<Delivery, void, undefined> {
  let given = 0
  for await (const row of rows) {
    if (given >= count || (since && Date.parse(row.created_at) < since.getTime())) return
    given += 1
    yield row
  }
}
