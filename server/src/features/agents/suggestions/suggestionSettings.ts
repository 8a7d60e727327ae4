// When an agent gets suggestions: how often a check must fail, and what their replays may cost.
import type { Sql } from '../../../base/db.ts'
import { amountPattern } from '../../../engine/ledger/money.ts'
import { Id, named, nullable, Time, Type, type Static } from '../../../kit/schema.ts'

export const settingsFields = {
  failures: Type.Integer({
    minimum: 1,
    maximum: 100,
    description: 'In how many of the last `of_runs` evaluated runs of the live build the same check must fail.',
    examples: [3],
  }),
  of_runs: Type.Integer({ minimum: 1, maximum: 100, examples: [10] }),
  replay_runs: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: 'How many of the last runs the draft is replayed against, in addition to those behind the suggestion.',
    examples: [10],
  }),
  max_replay_cost_usd: nullable(
    Type.String({
      pattern: amountPattern,
      maxLength: 20,
      description: 'What the models of one replay may cost, as decimal text. Null: no limit of its own.',
      examples: ['1'],
    }),
  ),
}

export const settingsUnlessGiven = { failures: 3, of_runs: 10, replay_runs: 10, max_replay_cost_usd: '1' }

const SuggestionSettings = named(
  'SuggestionSettings',
  Type.Object({
    is_on: Type.Boolean(),
    ...settingsFields,
    held_back: nullable(Type.String({ description: 'Why none was made although a check fails.' })),
    updated_by: nullable(
      Type.Unsafe<string>({
        ...Id,
        description: 'The member who switched them on. The builder sees what they may use.',
      }),
    ),
    updated_at: nullable(Time),
  }),
)

export const SettingsAnswer = Type.Object({ suggestion_settings: SuggestionSettings, agent_id: Id })

export async function readSettings(sql: Sql, teamId: string, agentId: string): Promise<Static<typeof SettingsAnswer>> {
  const [found] = await sql<Omit<Static<typeof SuggestionSettings>, 'is_on'>>`
    select failures, of_runs, replay_runs, trim_scale(max_replay_cost_usd)::text as max_replay_cost_usd, held_back, updated_by, updated_at
    from suggestion_settings where agent_id = ${agentId} and team_id = ${teamId}`
  const none = { ...settingsUnlessGiven, held_back: null, updated_by: null, updated_at: null }
  return { suggestion_settings: { is_on: found !== undefined, ...(found ?? none) }, agent_id: agentId }
}
