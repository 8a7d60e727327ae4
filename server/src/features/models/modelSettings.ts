// What a team allows its agents to use, and what they use where they name no model.
import type { Sql } from '../../base/db.ts'
import { providerNames } from '../../drivers/model/models.ts'
import { engineOf } from '../../engine/engine.ts'
import type { Context } from '../../kit/context.ts'
import { named, nullable, oneOf, Type, type Static } from '../../kit/schema.ts'

const names = providerNames.join('|')

export const fields = {
  allowed_models: nullable(
    Type.Array(Type.String({ maxLength: 200, pattern: `^(?:${names}):(?:[!-)+-~]+\\*?|\\*)$` }), {
      maxItems: 100,
      description:
        'The models that the team’s agents may use: `provider:model`, or the beginning of one with `*` at its end. Null: every model. ' +
        '`builtin:runbook` is always allowed.',
      examples: [['anthropic:claude-sonnet-5*', 'openai:*']],
    }),
  ),
  default_model: nullable(
    Type.String({
      maxLength: 200,
      pattern: `^(?:builtin:runbook|(?:${names}):[!-~]+)$`,
      description: 'What agents use that name no model. Null: the server’s default.',
      examples: ['anthropic:claude-sonnet-5'],
    }),
  ),
}

export const ModelSettings = named(
  'ModelSettings',
  Type.Object({
    ...fields,
    server_default: Type.String({ description: 'The server’s default, which counts where the team has none.' }),
    providers: Type.Array(
      Type.Object({
        provider: oneOf(providerNames),
        key: oneOf(['team', 'server', 'none'], {
          description: 'Whose key its models are asked with; `none`: they cannot be used.',
        }),
      }),
    ),
  }),
)

export type ModelSettings = Static<typeof ModelSettings>

export async function readModelSettings(context: Context, sql: Sql, teamId: string): Promise<ModelSettings> {
  const { models } = engineOf(context)
  const [row] = await sql<{ allowed_models: string[] | null; default_model: string | null; own: string[] }>`
    select s.allowed_models, s.default_model,
      array(select provider from model_keys k where k.team_id = t.team_id) as own
    from (select ${teamId}::uuid as team_id) t left join model_settings s on s.team_id = t.team_id`
  const configured = models.configured()
  return {
    allowed_models: row?.allowed_models ?? null,
    default_model: row?.default_model ?? null,
    server_default: models.defaultModel,
    providers: providerNames.map((provider) => {
      const ofServer = configured.includes(provider) ? 'server' : 'none'
      return { provider, key: row?.own.includes(provider) ? 'team' : ofServer }
    }),
  }
}
