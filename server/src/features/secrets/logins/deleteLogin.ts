// Deletes a login, and tells which agents used it.
import { Dependents, readDependents } from '../../../engine/builds/dependents.ts'
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'

export const deleteLogin = operation({
  id: 'deleteLogin',
  client: 'logins.delete',
  route: 'DELETE /v2/logins/:login_id',
  summary: 'Delete a login',
  description:
    'It is gone at once, with its password. The answer lists the agents that used it. listLoginDependents shows them beforehand.',
  scope: 'secrets:write',
  status: 200,
  answer: Type.Object({ success: Type.Literal(true), ...Dependents.properties }),
  errors: ['not_found'],
  async handler({ team, login, sql, fail }) {
    const dependents = await readDependents(sql, team.id, 'logins', [login.id, login.domain])
    const gone = await sql`delete from logins where id = ${login.id} and team_id = ${team.id} returning 1`
    if (gone.length === 0) return fail('not_found')
    return { success: true as const, ...dependents }
  },
})
