// Says which models a team's agents may use, what they use by default, and whose keys pay for them.
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { ModelSettings, readModelSettings } from './modelSettings.ts'

export const getModelSettings = operation({
  id: 'getModelSettings',
  client: 'modelSettings.get',
  route: 'GET /v2/teams/:teamId/model-settings',
  summary: 'Get the model settings',
  description:
    'Which models the team’s agents may use, what they use where they name none, and whose key each provider is asked with.',
  scope: 'team:read',
  status: 200,
  answer: Type.Object({ model_settings: ModelSettings }),
  handler: async ({ team, sql, context }) => ({ model_settings: await readModelSettings(context, sql, team.id) }),
})
