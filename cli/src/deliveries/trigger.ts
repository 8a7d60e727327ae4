// runyard trigger: a sample event to the webhooks of the team.
import type { TestWebhookInput, Webhook } from '../../../sdk/src/index.ts'
import { command, CommandFailed } from '../command.ts'

type EventName = NonNullable<TestWebhookInput['event']>

export const trigger = command({
  words: 'trigger',
  needs: 'service',
  says: 'Send a sample event to the webhooks of the team.',
  about:
    'It goes to every active webhook that is subscribed to the event, or to the given one. Its data has "test": true.',
  positionals: ['EVENT'],
  options: {
    webhook: { type: 'string', value: 'ID', says: 'only to this webhook, even if it is not subscribed to the event' },
  },
  examples: [
    'runyard trigger run.completed',
    'runyard trigger human_request.created --webhook 01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f',
  ],
  async run({ positionals, values, out, service }) {
    // a name that does not exist is refused by the service
    const event = positionals[0] as EventName
    const runyard = await service()
    const ids =
      values.webhook === undefined
        ? await receiversOf((await runyard.webhooks.list()).webhooks, event)
        : [values.webhook]
    const deliveries = []
    for (const id of ids) deliveries.push((await runyard.webhooks.test(id, { event })).delivery)
    await out.rows(
      [
        { title: 'delivery', of: ({ id }) => id },
        { title: 'event', of: ({ event: name }) => name },
        { title: 'url', of: ({ url }) => url, mayCut: true },
      ],
      deliveries,
    )
  },
})

async function receiversOf(webhooks: Webhook[], event: EventName): Promise<string[]> {
  const ids = webhooks
    .filter(({ active, events }) => active && events.some((one) => one === event || one === '*'))
    .map(({ id }) => id)
  if (ids.length === 0) {
    throw new CommandFailed(
      `No active webhook of the team gets ${event}. Make one with: runyard call createWebhook --help`,
    )
  }
  return ids
}
