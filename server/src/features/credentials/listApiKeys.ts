// Lists the team's API keys that work, newest first; never their secrets.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { ApiKey, keyColumns, workingKeys } from './apiKey.ts'

export const listApiKeys = operation({
  id: 'listApiKeys',
  client: 'apiKeys.list',
  route: 'GET /v2/teams/:teamId/api-keys',
  summary: 'List API keys',
  description: 'Revoked keys are left out; expired ones are listed until they are deleted.',
  scope: 'keys:manage',
  query: Type.Object(paging(50, 200)),
  status: 200,
  answer: pageOf('api_keys', ApiKey),
  tool: false,
  async handler({ team, query, sql }) {
    const list = { columns: keyColumns, from: workingKeys(team.id), order: part`k.id desc` }
    const { rows, ...page } = await readPage<ApiKey>(sql, list, query)
    return { api_keys: rows, ...page }
  },
})
