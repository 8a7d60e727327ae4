// runyard runs retry: the work of a run again, from the beginning or from one of its steps.
import { command, UsageError } from '../command.ts'
import { msOf } from '../times.ts'

export const runsRetry = command({
  words: 'runs retry',
  positionals: ['ID'],
  needs: 'service',
  says: 'Start a new run with the input of an earlier one, from the beginning or from one of its steps.',
  options: {
    'from-step': { type: 'string', value: 'N', says: 'keep what happened before this step; `runs show` numbers them' },
    build: { type: 'string', value: 'ID', says: 'use this build of the agent' },
    wait: { type: 'boolean', short: 'w', says: 'wait for the end and print the output' },
    timeout: { type: 'string', value: '10m', says: 'how long to wait; then the exit code is 124' },
  },
  examples: [
    'runyard runs retry 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55 --wait',
    'runyard runs retry 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55 --from-step 4',
  ],
  async run(call) {
    const { positionals, values, out, service } = call
    const { 'from-step': from, build, wait, timeout } = values
    if (from !== undefined && !/^\d{1,9}$/.test(from)) throw new UsageError('--from-step must be a whole number.')
    if (timeout !== undefined && !wait) throw new UsageError('--timeout goes with --wait.')
    const timeoutMs = timeout === undefined ? undefined : msOf(timeout, '--timeout')
    const runyard = await service()
    const input = {
      ...(from !== undefined && { from_step: Number(from) }),
      ...(build !== undefined && { build_id: build }),
    }
    const { run } = await runyard.runs.retry(positionals[0] ?? '', input)
    if (wait) {
      if (out.canAsk) out.note(`Run ${run.id}`)
      const { followRun } = await import('./follow.ts')
      return followRun(call, runyard, run.id, { prints: 'output', timeoutMs, isStarted: true })
    }
    out.record(run, () => [run.id])
    if (out.isForPeople) out.note(`Follow it with: runyard runs tail ${run.id}`)
    return undefined
  },
})
