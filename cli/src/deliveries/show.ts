// runyard deliveries show: one delivery with all its attempts.
import { command } from '../command.ts'
import { harmless } from '../output.ts'

export const deliveriesShow = command({
  words: 'deliveries show',
  needs: 'service',
  endsWithReader: true,
  says: 'Show a delivery with every attempt and what the receiver answered.',
  positionals: ['ID'],
  examples: [
    'runyard deliveries show 01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f',
    'runyard deliveries show 01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f --json | jq .log',
  ],
  async run({ positionals, out, service }) {
    const [id = ''] = positionals
    const { delivery } = await (await service()).deliveries.get(id)
    out.record(delivery, ({ event, url, status, created_at, reason, log }) =>
      [
        `Delivery  ${delivery.id}`,
        `Event     ${event} ${delivery.event_id}`,
        `To        ${url}`,
        `Status    ${status}${reason === null ? '' : `: ${reason}`}`,
        `Made      ${created_at}`,
        ...log.map(
          (attempt) =>
            `Attempt   ${Object.values(attempt)
              .filter((one) => one !== null)
              .join('  ')}`,
        ),
      ].map(harmless),
    )
  },
})
