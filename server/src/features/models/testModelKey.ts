// Asks the provider whether it still takes a team's own key.
import { modelKeyPurpose } from '../../engine/builds/teamChoices.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { tryOwnKey } from './testedKey.ts'

export const testModelKey = operation({
  id: 'testModelKey',
  client: 'modelKeys.test',
  route: 'POST /v2/teams/:teamId/model-keys/:model_key_id/test',
  summary: 'Test a model key',
  description:
    'Asks the provider which models there are, which costs nothing. What it said is kept as `problem` of the key.',
  scope: 'keys:manage',
  status: 200,
  answer: Type.Object({
    success: Type.Boolean(),
    error: Type.Optional(Type.String({ description: 'Why the test failed; absent if it succeeded.' })),
  }),
  errors: ['not_found'],
  tool: false,
  async prepare({ team, model_key, context, sql, fail }) {
    const { id, provider, base_url } = model_key
    const [row] = await sql<{ secret: Buffer }>`select secret from model_keys where id = ${id} and team_id = ${team.id}`
    if (!row) return fail('not_found')
    const key = context.keyring.open(row.secret, modelKeyPurpose(id)).toString()
    return tryOwnKey(context, provider, { key, url: base_url })
  },
  async handler({ team, model_key, prepared: trial, sql }) {
    const problem = trial.outcome === 'good' ? null : trial.message
    // trouble on the way proves nothing about the key
    if (trial.outcome !== 'unknown') {
      await sql`
        update model_keys set tested_at = now(), problem = ${problem} where id = ${model_key.id} and team_id = ${team.id}`
    }
    return { success: problem === null, ...(problem !== null && { error: problem }) }
  },
})
