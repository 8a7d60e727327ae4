// Lists the team's own keys of providers, never the keys themselves.
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { ModelKey, modelKeyColumns } from './modelKey.ts'

export const listModelKeys = operation({
  id: 'listModelKeys',
  client: 'modelKeys.list',
  route: 'GET /v2/teams/:teamId/model-keys',
  summary: 'List model keys',
  description:
    'At most one for each provider. A provider without one is asked with the server’s key, where it has one.',
  scope: 'keys:manage',
  status: 200,
  answer: Type.Object({ model_keys: Type.Array(ModelKey) }),
  tool: false,
  async handler({ team, sql }) {
    const model_keys = await sql<ModelKey>`
      select ${modelKeyColumns} from model_keys where team_id = ${team.id} order by provider`
    return { model_keys }
  },
})
