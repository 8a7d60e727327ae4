// Reads whether an agent gets suggestions, and when.
import { operation } from '../../../kit/operation.ts'
import { readSettings, SettingsAnswer } from './suggestionSettings.ts'

export const getSuggestionSettings = operation({
  id: 'getSuggestionSettings',
  client: 'suggestions.getSettings',
  route: 'GET /v2/agents/:agent_id/suggestion-settings',
  summary: 'Get the suggestion settings of an agent',
  description: 'While `is_on` is false, the other fields have the values that would apply.',
  scope: 'agents:read',
  status: 200,
  answer: SettingsAnswer,
  handler: ({ team, agent, sql }) => readSettings(sql, team.id, agent.id),
})
