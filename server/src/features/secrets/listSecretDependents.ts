// Lists the agents that use a secret.
import { Dependents, readDependents } from '../../engine/builds/dependents.ts'
import { operation } from '../../kit/operation.ts'

export const listSecretDependents = operation({
  id: 'listSecretDependents',
  client: 'secrets.listDependents',
  route: 'GET /v2/secrets/:secret_id/dependents',
  summary: 'List what depends on a secret',
  scope: 'agents:read',
  status: 200,
  answer: Dependents,
  handler: ({ team, secret, sql }) => readDependents(sql, team.id, 'secrets', [secret.id, secret.name]),
})
