// runyard suggestion reject: nothing changes, and it is not suggested again for the same build.
import { command, UsageError } from '../command.ts'

export const suggestionReject = command({
  words: 'suggestion reject',
  needs: 'service',
  says: 'Reject a suggestion. For the same build and check there is no other.',
  positionals: ['ID'],
  options: { reason: { type: 'string', value: 'TEXT', isRequired: true, says: 'why; it is stored' } },
  examples: [
    "runyard suggestion reject 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55 --reason 'The supplier fixed their API.'",
    'runyard suggestion reject 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55 --reason "The check is wrong." --json | jq .state',
  ],
  async run({ positionals: [id = ''], values: { reason }, out, service }) {
    if (reason === undefined) throw new UsageError('Give --reason with a text.')
    const runyard = await service()
    out.record((await runyard.suggestions.reject(id, { reason })).suggestion, ({ label }) => [`Rejected: ${label}`])
  },
})
