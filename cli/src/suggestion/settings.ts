// runyard suggestion settings: whether an agent gets suggestions, and when.
import { command, UsageError } from '../command.ts'
import { oneNamed } from '../named.ts'

export const suggestionSettings = command({
  words: 'suggestion settings',
  needs: 'service',
  says: 'Show when an agent gets suggestions, or switch them on or off.',
  about:
    'Suggestions cost money: a model writes each draft, and the models of the draft answer in its replay. What is not given with --on is as it is usually.',
  positionals: ['AGENT'],
  options: {
    on: { type: 'boolean', says: 'switch them on' },
    off: { type: 'boolean', says: 'switch them off' },
    failures: { type: 'string', value: 'N', says: 'with --on: how many runs must fail the same check' },
    of: { type: 'string', value: 'N', says: 'with --on: of how many last runs' },
    replay: { type: 'string', value: 'N', says: 'with --on: how many last runs the draft is replayed against as well' },
    'max-cost': { type: 'string', value: 'USD', says: 'with --on: what the models of one replay may cost' },
  },
  examples: [
    "runyard suggestion settings 'Invoice checker'",
    "runyard suggestion settings 'Invoice checker' --on --failures 3 --of 10",
  ],
  async run({ positionals: [named = ''], values, out, service }) {
    const given = {
      ...numbered('failures', values.failures),
      ...numbered('of_runs', values.of, '--of'),
      ...numbered('replay_runs', values.replay, '--replay'),
      ...(values['max-cost'] !== undefined && { max_replay_cost_usd: values['max-cost'] }),
    }
    if (values.on && values.off) throw new UsageError('Give --on or --off, not both.')
    if (!values.on && Object.keys(given).length > 0) throw new UsageError('Give these options with --on.')
    const runyard = await service()
    const { id } = await oneNamed(runyard.agents.list({ limit: 100 }), named, 'agent')
    const is_on = values.on === true
    const answer =
      is_on || values.off
        ? await runyard.suggestions.putSettings(id, { is_on, ...given })
        : await runyard.suggestions.getSettings(id)
    out.record(answer.suggestion_settings, (settings) => [
      settings.is_on
        ? `on: a check that fails in ${settings.failures} of the last ${settings.of_runs} runs makes a suggestion`
        : 'off',
      ...(settings.is_on
        ? [
            `replayed against the last ${settings.replay_runs} runs, for at most ${settings.max_replay_cost_usd ?? 'any number of'} USD`,
          ]
        : []),
      ...(settings.held_back === null ? [] : [`held back: ${settings.held_back}`]),
    ])
  },
})

function numbered(field: 'failures' | 'of_runs' | 'replay_runs', text: string | undefined, option = `--${field}`) {
  if (text === undefined) return {}
  if (!/^\d{1,3}$/.test(text)) throw new UsageError(`${option} must be a number up to 100.`)
  return { [field]: Number(text) }
}
