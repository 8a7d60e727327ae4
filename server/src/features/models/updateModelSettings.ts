// Changes which models a team's agents may use, and its default.
import { isAllowedModel } from '../../engine/builds/teamChoices.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { fields, ModelSettings, readModelSettings } from './modelSettings.ts'

export const updateModelSettings = operation({
  id: 'updateModelSettings',
  client: 'modelSettings.update',
  route: 'PATCH /v2/teams/:teamId/model-settings',
  summary: 'Change the model settings',
  description:
    'Only the given fields change. Builds that name a model which is not allowed cannot be saved, and their runs take the next model of ' +
    'their list or fail; that counts within a second, for runs under way from their next claim on. The default must be allowed.',
  scope: 'keys:manage',
  body: Type.Object(
    { allowed_models: Type.Optional(fields.allowed_models), default_model: Type.Optional(fields.default_model) },
    { examples: [{ allowed_models: ['anthropic:*', 'openai:gpt-5*'], default_model: 'anthropic:claude-sonnet-5' }] },
  ),
  status: 200,
  answer: Type.Object({ model_settings: ModelSettings }),
  errors: ['invalid_request'],
  tool: false,
  async handler({ team, body, sql, context, fail }) {
    // locked against others who change the same
    await sql`select id from teams where id = ${team.id} for no key update`
    const was = await readModelSettings(context, sql, team.id)
    const { allowed_models = was.allowed_models, default_model = was.default_model } = body
    if (default_model !== null && !isAllowedModel(allowed_models, default_model)) {
      fail('invalid_request', `default_model: ${default_model} is not among the allowed models.`)
    }
    const allowed = allowed_models && [...new Set(allowed_models)]
    await sql`
      insert into model_settings (team_id, allowed_models, default_model)
      values (${team.id}, ${allowed}::text[], ${default_model})
      on conflict (team_id) do update set
        allowed_models = excluded.allowed_models, default_model = excluded.default_model, updated_at = now()`
    return { model_settings: { ...was, allowed_models: allowed, default_model } }
  },
})
