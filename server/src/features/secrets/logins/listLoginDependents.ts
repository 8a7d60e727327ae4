// Lists the agents that use a login.
import { Dependents, readDependents } from '../../../engine/builds/dependents.ts'
import { operation } from '../../../kit/operation.ts'

export const listLoginDependents = operation({
  id: 'listLoginDependents',
  client: 'logins.listDependents',
  route: 'GET /v2/logins/:login_id/dependents',
  summary: 'List what depends on a login',
  scope: 'agents:read',
  status: 200,
  answer: Dependents,
  handler: ({ team, login, sql }) => readDependents(sql, team.id, 'logins', [login.id, login.domain]),
})
