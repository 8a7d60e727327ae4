// A suggestion in a few lines: which check fails, what would change, and what the replay says.
import type { ListedSuggestion, Suggestion } from '../../../sdk/src/index.ts'

export const listedLine = ({ id, state, label, failed_runs, of_runs }: ListedSuggestion): string =>
  `${id}  ${state}  ${label}  ${failed_runs} of ${of_runs} runs`

export function suggestionLines(suggestion: Suggestion): string[] {
  const { label, state, failed_runs, of_runs, runs, diff, questions, reason, replay_problem, is_changed } = suggestion
  return [
    `Suggestion ${suggestion.id} ${state}`,
    `check: ${label}, not passed in ${failed_runs} of ${of_runs} runs`,
    ...runs.map(({ run_number, comment }) => `  run ${run_number}  ${comment ?? ''}`.trimEnd()),
    ...(reason === null ? [] : [`reason: ${reason}`]),
    ...questions.map(({ question }) => `the builder asks: ${question}`),
    ...verdictLines(suggestion.replay),
    ...(replay_problem === null ? [] : [`not replayed: ${replay_problem}`]),
    ...(is_changed ? ['The draft was changed after its replay began.'] : []),
    `build ${suggestion.draft_revision_number} would change:`,
    ...(diff.procedure === '' ? [] : diff.procedure.trimEnd().split('\n')),
    ...diff.config.map(({ path, kind }) => `${kind} ${path}`),
    ...(state === 'open' ? [`Decide with: runyard suggestion accept ${suggestion.id}, or reject`] : []),
  ]
}

const words = {
  helps: 'it helps',
  mixed: 'it helps, and something else is worse',
  no_difference: 'it makes no difference to the checks',
  harms: 'it harms',
  unknown: 'whether it helps is not known',
}

function verdictLines(replay: Suggestion['replay']): string[] {
  if (!replay) return []
  const { runs, runs_same, runs_changed, runs_not_replayed, behind_replayed, behind_passed, runs_worse } = replay
  if (replay.state === 'running')
    return [`replay: ${runs_same + runs_changed + runs_not_replayed} of ${runs} runs done`]
  return [
    `replay: ${words[replay.says]}`,
    ...(behind_passed === null
      ? []
      : [`  the check passes in ${behind_passed} of the ${behind_replayed} runs behind it that were replayed`]),
    `  a check fails that passed in ${runs_worse} of ${runs} runs`,
    `  ${runs_same} the same, ${runs_changed} changed, ${runs_not_replayed} not replayed, ${replay.cost_usd} USD`,
  ]
}
