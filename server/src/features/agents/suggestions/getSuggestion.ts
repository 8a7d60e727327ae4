// Reads one suggestion with its diff, the runs behind it, and what its replay says.
import { operation } from '../../../kit/operation.ts'
import { suggestionAnswer, SuggestionAnswer } from './wholeSuggestion.ts'

export const getSuggestion = operation({
  id: 'getSuggestion',
  client: 'suggestions.get',
  route: 'GET /v2/suggestions/:suggestion_id',
  summary: 'Get a suggestion',
  description: 'The replay behind it is read with getReplay and listReplayRuns.',
  scope: 'agents:read',
  status: 200,
  answer: SuggestionAnswer,
  handler: ({ caller, suggestion, context, sql }) => suggestionAnswer(suggestion, { sql, context, caller }),
})
