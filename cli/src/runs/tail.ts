// runyard runs tail: the events of a run from the first on, as they come.
import { command } from '../command.ts'
import { msOf } from '../times.ts'

export const runsTail = command({
  words: 'runs tail',
  positionals: ['ID'],
  needs: 'service',
  // it asks and answers only when each line so far is taken
  endsWithReader: true,
  says: 'Print the events of a run from its first one on, until it ends or needs a person.',
  about:
    'Questions and approvals are answered at the prompt; where nobody can be asked it exits with 5. The other exit codes are those of `runyard run --wait`. Ctrl-C leaves the run running.',
  options: { timeout: { type: 'string', value: '10m', says: 'how long to wait; then the exit code is 124' } },
  examples: [
    'runyard runs tail 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55',
    'runyard runs tail 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55 --json | jq -r .event',
  ],
  async run(call) {
    const { positionals, values, service } = call
    const timeoutMs = values.timeout === undefined ? undefined : msOf(values.timeout, '--timeout')
    const [runyard, { followRun }] = await Promise.all([service(), import('./follow.ts')])
    return followRun(call, runyard, positionals[0] ?? '', { prints: 'events', timeoutMs })
  },
})
