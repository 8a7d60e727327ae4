// runyard serve: the service itself, until it is asked to stop.
import { command } from './command.ts'

export const serve = command({
  words: 'serve',
  says: 'Run the service until it is stopped.',
  options: {
    role: {
      type: 'string',
      value: 'all|api|worker',
      says: 'what this process does; all unless RUNYARD_ROLE says otherwise',
    },
  },
  async run({ values }) {
    // the service with all its packages is loaded only by the one command that runs it
    const { main } = await import('../main.ts')
    await main(values.role === undefined ? [] : ['--role', values.role])
  },
})
