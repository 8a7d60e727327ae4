// runyard sandbox cp: files and folders into a sandbox or out of it.
import { command } from '../command.ts'

export const sandboxCopy = command({
  words: 'sandbox cp',
  needs: 'service',
  // only a file that it copies to stdout is printed there
  endsWithReader: true,
  says: 'Copy a file into a sandbox or out of it, or a folder with -r.',
  about:
    'SANDBOX:PATH is a file in a sandbox, anything else a file of this machine, and - is stdin or stdout. A folder as TO keeps the name; ' +
    'one that does not exist yet ends with a slash. SANDBOX: alone is everything in the sandbox. Links are left out, and empty folders on the way in.',
  positionals: ['FROM', 'TO'],
  options: { recursive: { type: 'boolean', short: 'r', says: 'copy a folder with all that is below it' } },
  examples: ['runyard sandbox cp invoices.csv $SANDBOX:in/invoices.csv', 'runyard sandbox cp -r $SANDBOX:reports .'],
  run: async (call) => (await import('./copyFiles.ts')).copyFiles(call),
})
