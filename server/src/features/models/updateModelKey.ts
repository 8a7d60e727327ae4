// Replaces a team's own key of a provider, once the provider has taken the new one.
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { fields, hintOf, ModelKey, modelKeyColumns, sealModelKey } from './modelKey.ts'
import { requireGoodKey } from './testedKey.ts'

export const updateModelKey = operation({
  id: 'updateModelKey',
  client: 'modelKeys.update',
  route: 'PATCH /v2/teams/:teamId/model-keys/:model_key_id',
  summary: 'Replace a model key',
  description:
    'The new key is tested like a first one, and used within a second by runs under way too. A new `base_url` needs the key again: ' +
    'a key goes nowhere that its giver did not name.',
  scope: 'keys:manage',
  body: Type.Object(
    { key: Type.Optional(fields.key), base_url: Type.Optional(fields.base_url) },
    { examples: [{ key: 'sk-ant-example-0123456789' }] },
  ),
  status: 200,
  answer: wrapped('model_key', 'model_key_id', ModelKey),
  errors: ['invalid_request', 'conflict', 'url_not_allowed', 'not_found'],
  tool: false,
  async prepare({ model_key, body, context, fail }) {
    const { key, base_url = model_key.base_url } = body
    if (key !== undefined) await requireGoodKey(context, { provider: model_key.provider, key, base_url }, fail)
    else if (base_url !== model_key.base_url)
      fail('invalid_request', 'Send the key too: it goes to another server now.')
    return base_url
  },
  async handler({ team, model_key, body, prepared: base_url, sql, context, fail }) {
    const { id } = model_key
    if (body.key === undefined) {
      const [kept] = await sql<ModelKey>`
        select ${modelKeyColumns} from model_keys where id = ${id} and team_id = ${team.id}`
      return kept ? { model_key: kept, model_key_id: id } : fail('not_found')
    }
    const secret = sealModelKey(context.keyring, id, body.key)
    const [changed] = await sql<ModelKey>`
      update model_keys set secret = ${secret}, hint = ${hintOf(body.key)}, base_url = ${base_url}, tested_at = now(), problem = null,
        updated_at = now()
      where id = ${id} and team_id = ${team.id} returning ${modelKeyColumns}`
    return changed ? { model_key: changed, model_key_id: id } : fail('not_found')
  },
})
