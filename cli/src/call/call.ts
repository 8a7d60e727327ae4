// runyard call: any operation of the API by its name, with its fields as flags.
import { command } from '../command.ts'

export const call = command({
  words: 'call',
  needs: 'service',
  // what it carries out is done before the answer is printed
  endsWithReader: true,
  says: 'Carry out any operation of the API; without one, list them all.',
  about:
    'Fields are flags: agent_id is --agent-id. Objects and lists are given as JSON, and @FILE is the text of a file. ' +
    '`runyard call OPERATION --help` shows the fields of one.',
  positionals: ['[OPERATION]'],
  examples: [
    "runyard call startRun --agent-id 01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f --message 'Check invoice 4711'",
    'runyard call listRuns --status failed --all',
  ],
  async narrowed(args) {
    const [name] = args
    if (name === undefined || name.startsWith('-')) return undefined
    return (await import('./operationCommand.ts')).operationCommand(name)
  },
  async run({ out }) {
    const { operations } = await import('../generated/operations.ts')
    await out.rows(
      [
        { title: 'operation', of: ({ id }) => id },
        { title: 'does', of: ({ summary }) => summary, mayCut: true },
      ],
      operations.map(({ id, summary }) => ({ id, summary })),
    )
  },
})
