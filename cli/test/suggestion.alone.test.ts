// Suggestions from the command line: switched on, listed, shown, rejected and accepted.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startFakeAnthropic } from '../../server/test/fakes/anthropic.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { failingAgent, proposes, sturdy, suggestAll } from '../../server/test/kit/suggestions.ts'
import { openBench, printed } from './lines.ts'

const provider = await startFakeAnthropic()
after(() => provider.close())
const { app, team, runyard } = await openBench({
  anthropicKey: 'sk-ant-1234567890',
  anthropicUrl: provider.url,
  model: 'anthropic:claude-sonnet-4-5',
})

/** Makes a suggestion for a failing agent; answers with its id. */
async function suggested(name: string): Promise<string> {
  provider.answer(proposes(sturdy))
  const agentId = await failingAgent(app, team)
  await team.call(`PATCH /v2/agents/${agentId}`, { body: { name } })
  await suggestAll(app)
  const line = await printed(runyard('suggestion', 'list', name, '--state', 'open'))
  return /^(\S+) {2}open {2}Ended by itself {2}2 of 3 runs$/m.exec(line)![1]!
}

proves(
  'cli.suggestion',
  'a suggestion is listed and shown with its verdict, and then accepted or rejected with a reason',
  async () => {
    const first = await suggested('Doubler')
    const shown = await printed(runyard('suggestion', 'show', first))
    assert.match(shown, /^check: Ended by itself, not passed in 2 of 3 runs\n {2}run \d+ {2}The run failed: /m)
    assert.match(shown, /^replay: it helps\n {2}the check passes in 2 of the 2 runs behind it that were replayed$/m)
    assert.match(shown, /^-\{\{ message \| number \}\}\n\+\{\{ message \}\}$/m)
    assert.match(await printed(runyard('suggestion', 'accept', first)), /^Build 2 is live\./)
    assert.notEqual((await runyard('suggestion', 'accept', first)).code, 0)
    const second = await suggested('Tripler')
    assert.equal((await runyard('suggestion', 'reject', second)).code, 64)
    assert.match(
      await printed(runyard('suggestion', 'reject', second, '--reason', 'Not now.')),
      /^Rejected: Ended by itself/,
    )
  },
)

const settings = (...words: string[]) => runyard('suggestion', 'settings', 'Tested', ...words)

proves('cli.suggestion', 'suggestions are switched on with limits, and off', async () => {
  await failingAgent(app, team)
  assert.match(await printed(settings('--off')), /^off\n/)
  assert.match(
    await printed(settings('--on', '--failures', '4', '--of', '8')),
    /^on: a check that fails in 4 of the last 8 runs/,
  )
  assert.match(await printed(settings()), /for at most 1 USD/)
  for (const wrong of [
    ['--on', '--off'],
    ['--failures', '2'],
    ['--on', '--of', 'many'],
  ])
    assert.equal((await settings(...wrong)).code, 64)
})
