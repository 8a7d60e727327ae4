// runyard evidence get: the evidence of a run or a case, as a file.
import { command } from '../command.ts'

export const evidenceGet = command({
  words: 'evidence get',
  needs: 'service',
  says: 'Download the evidence of a run, or of a case with --case.',
  about:
    'The bundle is written while it arrives, under its name only when it is whole. The log of a run is sealed within about a second after it has ended. ' +
    'Check the bundle with: runyard evidence verify FILE',
  positionals: ['ID'],
  options: {
    case: { type: 'boolean', says: 'ID is that of a case: the case, and every run that worked on it' },
    files: { type: 'boolean', says: 'the contents of files too, and not only their hashes' },
    out: { type: 'string', short: 'o', value: 'FILE', says: 'where to write it; evidence-ID.zip unless given' },
  },
  examples: [
    'runyard evidence get 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55',
    'runyard evidence get $CASE --case --files -o case.zip && runyard evidence verify case.zip',
  ],
  run: async (call) => (await import('./getBundle.ts')).getBundle(call),
})
