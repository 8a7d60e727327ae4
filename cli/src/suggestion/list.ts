// runyard suggestion list: the suggestions for an agent.
import type { Runyard } from '../../../sdk/src/index.ts'
import { command, UsageError } from '../command.ts'
import { oneNamed } from '../named.ts'
import { listedLine } from './suggestionLines.ts'

const states = ['drafting', 'replaying', 'open', 'accepted', 'rejected', 'stale', 'failed'] as const
type State = NonNullable<NonNullable<Parameters<Runyard['suggestions']['list']>[1]>['state']>

export const suggestionList = command({
  words: 'suggestion list',
  needs: 'service',
  endsWithReader: true,
  says: 'List what the builder suggests for an agent, newest first.',
  positionals: ['AGENT'],
  options: { state: { type: 'string', value: 'STATE', says: `only those in this state: ${states.join(', ')}` } },
  examples: [
    "runyard suggestion list 'Invoice checker'",
    "runyard suggestion list 'Invoice checker' --state open --json | jq -r .id",
  ],
  async run({ positionals: [named = ''], values: { state }, out, service }) {
    if (state !== undefined && !isState(state)) throw new UsageError(`--state must be one of ${states.join(', ')}.`)
    const runyard = await service()
    const agent = await oneNamed(runyard.agents.list({ limit: 100 }), named, 'agent')
    const wanted = { limit: 100, ...(state !== undefined && { state }) }
    for await (const one of runyard.suggestions.list(agent.id, wanted))
      out.record(one, (listed) => [listedLine(listed)])
  },
})

const isState = (text: string): text is State => (states as readonly string[]).includes(text)
