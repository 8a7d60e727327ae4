// runyard runs why: why a run is in its state, in one sentence.
import { command } from '../command.ts'

export const runsWhy = command({
  words: 'runs why',
  positionals: ['ID'],
  needs: 'service',
  endsWithReader: true,
  says: 'Say in one sentence why a run is in its state. With --json also the facts.',
  examples: [
    'runyard runs why 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55',
    'runyard runs why 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55 --json | jq .facts.waiting_on',
  ],
  async run({ positionals: [id = ''], out, service }) {
    const runyard = await service()
    out.record(await runyard.runs.explain(id), ({ why }) => [why])
  },
})
