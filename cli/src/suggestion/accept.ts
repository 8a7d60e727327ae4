// runyard suggestion accept: the draft of a suggestion becomes live.
import { command } from '../command.ts'

export const suggestionAccept = command({
  words: 'suggestion accept',
  needs: 'service',
  says: 'Accept a suggestion: its draft becomes live, if the gates of the agent let it.',
  positionals: ['ID'],
  options: { force: { type: 'string', value: 'REASON', says: 'pass a closed gate, and why' } },
  examples: [
    'runyard suggestion accept 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55',
    "runyard suggestion accept 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55 --force 'The replay is enough.'",
  ],
  async run({ positionals: [id = ''], values: { force }, out, service }) {
    const runyard = await service()
    const accepted = await runyard.suggestions.accept(id, force === undefined ? {} : { force_reason: force })
    out.record(accepted, ({ build }) => [`Build ${build.revision_number} is live.`])
  },
})
