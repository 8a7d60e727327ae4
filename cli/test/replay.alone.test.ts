// Replays from the command line: recorded, replayed, and what differs shown.
import assert from 'node:assert/strict'
import { setImmediate as nextRound } from 'node:timers/promises'
import { drainReplays } from '../../server/src/features/replays/replaying/replayer.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { draftOf } from '../../server/test/kit/replays.ts'
import { drainRuns, seedAgent, startRun } from '../../server/test/kit/runs.ts'
import { openBench, printed, type Outcome } from './lines.ts'

const { app, team, runyard } = await openBench()

/** A command that waits for a replay, while that is worked on. */
async function replaying(...words: string[]): Promise<Outcome> {
  const over = new AbortController()
  const line = runyard('replay', ...words).finally(() => over.abort())
  while (!over.signal.aborted) {
    await drainReplays(app.context)
    await nextRound()
  }
  return line
}

const procedure = '```output\n{{ message }}\n```\n'

proves('cli.replay', 'runs are recorded and replayed, and the exit code says whether something differs', async () => {
  const agentId = await seedAgent(team, procedure)
  for (const message of ['one', 'two']) await startRun(team, agentId, { message })
  await drainRuns(app)
  const none = await runyard('replay', 'Tested')
  assert.deepEqual([none.code, none.stdout], [1, ''])
  assert.match(none.stderr, /runyard replay record 'Tested' --last 50/)
  assert.match(
    await printed(runyard('replay', 'record', 'Tested', '--last', '5')),
    /^2 recorded; the set Recorded has 2\./,
  )
  assert.match(await printed(replaying('Tested')), /2 runs: 2 the same, 0 changed, 0 not replayed\nmatch 1\n/)
  await draftOf(team, agentId, procedure.replace('{{ message }}', 'other'))
  const changed = await replaying('Tested', '2', '--json')
  assert.equal(changed.code, 2, changed.stderr)
  const { id, runs_changed } = JSON.parse(changed.stdout) as { id: string; runs_changed: number }
  assert.equal(runs_changed, 2)
  const shown = await printed(runyard('replay', 'show', id))
  assert.equal(shown.match(/^ {2}output_differs {2}The outputs differ\.$/gm)?.length, 2, shown)
  for (const wrong of [
    ['replay', 'record', 'Tested'],
    ['replay', 'Tested', '--max-cost', 'much'],
  ]) {
    assert.equal((await runyard(...wrong)).code, 64)
  }
})
