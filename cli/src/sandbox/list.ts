// runyard sandbox ls: the files of a sandbox.
import { command } from '../command.ts'
import { ageOf } from '../times.ts'

export const sandboxList = command({
  words: 'sandbox ls',
  needs: 'service',
  endsWithReader: true,
  says: 'List the files of a folder of a sandbox.',
  positionals: ['SANDBOX', '[PATH]'],
  examples: ['runyard sandbox ls $SANDBOX', 'runyard sandbox ls $SANDBOX reports --json'],
  async run({ positionals, out, service }) {
    const [sandbox = '', path] = positionals
    const runyard = await service()
    const { files } = await runyard.sandboxes.listFiles(sandbox, path === undefined ? {} : { path })
    await out.rows(
      [
        { title: 'type', of: ({ type }) => type },
        { title: 'bytes', of: ({ size_bytes }) => size_bytes, isNumber: true },
        { title: 'age', of: ({ modified_at }) => ageOf(modified_at), isNumber: true },
        { title: 'path', of: (file) => file.path, mayCut: true },
      ],
      files,
      'The folder is empty.',
    )
  },
})
