// runyard runs stop: stops a run, and the runs that it started.
import { command } from '../command.ts'

export const runsStop = command({
  words: 'runs stop',
  positionals: ['ID'],
  needs: 'service',
  says: 'Stop a run and the runs that it started. A run that has ended does not change.',
  examples: [
    'runyard runs stop 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55',
    'runyard runs --status running --json | jq -r .id | xargs -n 1 runyard runs stop',
  ],
  async run({ positionals: [id = ''], out, service }) {
    const runyard = await service()
    const stopped = await runyard.runs.stop(id)
    out.record(stopped, ({ status }) => [status])
    if (stopped.message !== undefined && !out.isJson) out.note(stopped.message)
  },
})
