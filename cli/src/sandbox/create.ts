// runyard sandbox create: a workspace for files and commands.
import { command, UsageError } from '../command.ts'

export const sandboxCreate = command({
  words: 'sandbox create',
  needs: 'service',
  says: 'Make a sandbox and print its id.',
  options: { ttl: { type: 'string', value: 'SECONDS', says: 'how long it is kept; a day unless given' } },
  examples: ['runyard sandbox create', 'SANDBOX=$(runyard sandbox create --ttl 3600)'],
  async run({ values, out, service }) {
    const { ttl } = values
    if (ttl !== undefined && !/^\d{1,9}$/.test(ttl)) throw new UsageError('--ttl must be a whole number of seconds.')
    const runyard = await service()
    const made = await runyard.sandboxes.create(ttl === undefined ? {} : { ttl_seconds: Number(ttl) })
    out.record(made, ({ sandbox_id }) => [sandbox_id])
  },
})
