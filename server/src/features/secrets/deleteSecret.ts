// Deletes a secret, and tells which agents used it.
import { Dependents, readDependents } from '../../engine/builds/dependents.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'

export const deleteSecret = operation({
  id: 'deleteSecret',
  client: 'secrets.delete',
  route: 'DELETE /v2/secrets/:secret_id',
  summary: 'Delete a secret',
  description:
    'It is gone at once, with its values. The answer lists the agents that used it: their commands and calls that need it now fail. ' +
    'listSecretDependents shows them beforehand.',
  scope: 'secrets:write',
  status: 200,
  answer: Type.Object({ success: Type.Literal(true), ...Dependents.properties }),
  errors: ['not_found'],
  async handler({ team, secret, sql, fail }) {
    const dependents = await readDependents(sql, team.id, 'secrets', [secret.id, secret.name])
    const gone = await sql`delete from secrets where id = ${secret.id} and team_id = ${team.id} returning 1`
    if (gone.length === 0) return fail('not_found')
    return { success: true as const, ...dependents }
  },
})
