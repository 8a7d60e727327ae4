// runyard evidence verify: checks a bundle without any service.
import { command } from '../command.ts'

export const evidenceVerify = command({
  words: 'evidence verify',
  needs: 'nothing',
  says: 'Check an evidence bundle offline, and name the first row that does not fit.',
  about:
    'It checks every byte of the archive, every row, seal and signature. Whoever has a key of their own can make a bundle that fits: ' +
    'with --key, everything must be signed by a key of that file. That is the answer of the service at /.well-known/runyard-evidence.json, a PEM file, or the ' +
    'base64 of a public key. The exit code is 0 only if all of it fits. Remarks are about what fits and is still to be asked about, such as a seal that was signed late.',
  positionals: ['FILE'],
  options: { key: { type: 'string', value: 'FILE', says: 'the public keys that may have signed it' } },
  examples: [
    'runyard evidence verify run-12-evidence.zip',
    'curl -s $URL/.well-known/runyard-evidence.json > keys.json && runyard evidence verify run-12-evidence.zip --key keys.json',
  ],
  run: async (call) => (await import('./verifyFile.ts')).verifyFile(call),
})
