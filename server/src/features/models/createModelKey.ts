// Saves a team's own key of a provider, once the provider has taken it.
import { one } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { fields, hintOf, ModelKey, modelKeyColumns, sealModelKey } from './modelKey.ts'
import { requireGoodKey } from './testedKey.ts'

export const createModelKey = operation({
  id: 'createModelKey',
  client: 'modelKeys.create',
  route: 'POST /v2/teams/:teamId/model-keys',
  summary: 'Save a model key',
  description:
    'From now on the team’s runs, builder runs and judgements ask this provider with the team’s own key instead of the server’s. The provider ' +
    'is asked first which models there are, which costs nothing; a key that it does not take is not saved. A team has one key for each provider: a new one replaces it.',
  scope: 'keys:manage',
  body: Type.Object(
    { provider: fields.provider, key: fields.key, base_url: Type.Optional(fields.base_url) },
    { examples: [{ provider: 'anthropic', key: 'sk-ant-example-0123456789' }] },
  ),
  status: 201,
  answer: wrapped('model_key', 'model_key_id', ModelKey),
  errors: ['invalid_request', 'conflict', 'url_not_allowed'],
  tool: false,
  async prepare({ body, context, fail }) {
    await requireGoodKey(context, { ...body, base_url: body.base_url ?? null }, fail)
  },
  async handler({ team, caller, body, sql, context }) {
    const id = newId()
    const secret = sealModelKey(context.keyring, id, body.key)
    // sealed for its own row: a key that is replaced leaves with it
    await sql`delete from model_keys where team_id = ${team.id} and provider = ${body.provider}`
    const made = await one(sql<ModelKey>`
      insert into model_keys (id, team_id, provider, secret, hint, base_url, created_by)
      values (${id}, ${team.id}, ${body.provider}, ${secret}, ${hintOf(body.key)}, ${body.base_url ?? null}, ${caller.member_id})
      returning ${modelKeyColumns}`)
    return { model_key: made, model_key_id: made.id }
  },
})
