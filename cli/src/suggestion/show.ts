// runyard suggestion show: what a suggestion would change, the runs behind it, and what its replay says.
import { command } from '../command.ts'
import { suggestionLines } from './suggestionLines.ts'

export const suggestionShow = command({
  words: 'suggestion show',
  needs: 'service',
  endsWithReader: true,
  says: 'Show a suggestion with its diff, the runs behind it and what its replay says.',
  positionals: ['ID'],
  options: {},
  examples: [
    'runyard suggestion show 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55',
    'runyard suggestion show 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55 --json | jq .replay.says',
  ],
  async run({ positionals: [id = ''], out, service }) {
    const runyard = await service()
    out.record((await runyard.suggestions.get(id)).suggestion, suggestionLines)
  },
})
