// runyard deliveries resend: a delivery again, or all that were given up since some time.
import { command, UsageError } from '../command.ts'
import { sinceOf } from '../since.ts'
import { newestOf } from './list.ts'

export const deliveriesResend = command({
  words: 'deliveries resend',
  needs: 'service',
  says: 'Send a delivery again, or all that failed since a given time.',
  about:
    'The id and the body are the same as before, so a receiver can tell that it has seen it. The oldest goes first.',
  positionals: ['[ID]'],
  options: {
    failed: { type: 'boolean', says: 'all that were given up; needs --since' },
    since: { type: 'string', value: 'TIME', says: 'made since then: 2h means two hours ago; or an ISO time' },
  },
  examples: [
    'runyard deliveries resend 01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f',
    'runyard deliveries resend --failed --since 2h',
  ],
  async run({ positionals, values, out, service }) {
    const [id] = positionals
    if ((id === undefined) !== Boolean(values.failed))
      throw new UsageError('Give the ID of a delivery, or --failed with --since.')
    if (values.failed && values.since === undefined) throw new UsageError('--failed needs --since, as --since 2h.')
    const since = values.since === undefined ? undefined : sinceOf(values.since)
    const runyard = await service()
    const ids: string[] = []
    if (id === undefined) {
      // all are found before the first is sent again: that one leaves the list
      for await (const one of newestOf(runyard.deliveries.list({ status: 'dead', limit: 100 }), since, Infinity))
        ids.unshift(one.id)
    } else {
      ids.push(id)
    }
    for (const one of ids) await runyard.deliveries.replay(one)
    out.record({ resent: ids }, () => [
      ids.length === 1 ? '1 delivery is sent again.' : `${ids.length} deliveries are sent again.`,
    ])
  },
})
