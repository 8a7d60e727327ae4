// Switches the suggestions of an agent on or off.
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'
import type { Scope } from '../../../kit/scopes.ts'
import { readSettings, SettingsAnswer, settingsFields, settingsUnlessGiven } from './suggestionSettings.ts'

/** The scopes that read what the builder is told: the drafts that it writes are shown with agents:read alone. */
const learnsFrom: Scope[] = ['runs:read', 'evals:read']

export const putSuggestionSettings = operation({
  id: 'putSuggestionSettings',
  client: 'suggestions.putSettings',
  route: 'PUT /v2/agents/:agent_id/suggestion-settings',
  summary: 'Set the suggestion settings of an agent',
  description:
    'Once a check fails in `failures` of the last `of_runs` evaluated runs of the live build, the builder makes a draft, which is replayed. A person accepts or ' +
    'rejects it; it never becomes live by itself. A model writes the draft, on your behalf and at the cost of the team. It learns from runs and from what the check said of them, so to switch them on takes the scopes `runs:read` and ' +
    '`evals:read` too. Switched off, no new ones are made.',
  scope: 'agents:write',
  body: Type.Object(
    {
      is_on: Type.Boolean(),
      failures: Type.Optional(settingsFields.failures),
      of_runs: Type.Optional(settingsFields.of_runs),
      replay_runs: Type.Optional(settingsFields.replay_runs),
      max_replay_cost_usd: Type.Optional(settingsFields.max_replay_cost_usd),
    },
    { examples: [{ is_on: true, failures: 3, of_runs: 10 }] },
  ),
  status: 200,
  answer: SettingsAnswer,
  errors: ['insufficient_scope', 'invalid_request'],
  async handler({ team, agent, caller, body, sql, fail }) {
    const { is_on, ...given } = body
    const { failures, of_runs, replay_runs, max_replay_cost_usd } = { ...settingsUnlessGiven, ...given }
    if (failures > of_runs)
      fail('invalid_request', `failures: ${failures} of ${of_runs} runs cannot fail. Give at most of_runs.`)
    if (is_on) {
      const missing = learnsFrom.filter((scope) => !caller.scopes.has(scope))
      if (missing.length > 0) {
        fail(
          'insufficient_scope',
          `A suggestion is learned from runs and from what the check said of them. To switch suggestions on takes the scope ${missing.join(' and ')} too.`,
        )
      }
      await sql`
        insert into suggestion_settings (agent_id, team_id, failures, of_runs, replay_runs, max_replay_cost_usd, updated_by)
        values (${agent.id}, ${team.id}, ${failures}, ${of_runs}, ${replay_runs}, ${max_replay_cost_usd}::numeric, ${caller.member_id})
        on conflict (agent_id) do update set failures = excluded.failures, of_runs = excluded.of_runs, replay_runs = excluded.replay_runs,
          max_replay_cost_usd = excluded.max_replay_cost_usd, updated_by = excluded.updated_by, held_back = null, updated_at = now()`
    } else await sql`delete from suggestion_settings where agent_id = ${agent.id} and team_id = ${team.id}`
    return readSettings(sql, team.id, agent.id)
  },
})
