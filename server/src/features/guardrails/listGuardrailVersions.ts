// Lists the versions of a team's guardrails, newest first.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { GuardrailVersion, versionColumns } from './guardrails.ts'

export const listGuardrailVersions = operation({
  id: 'listGuardrailVersions',
  client: 'guardrails.listVersions',
  route: 'GET /v2/teams/:teamId/guardrails/versions',
  summary: 'List versions of the guardrails',
  description: 'Newest first; the first one is live. Each has its rules whole, who made it, and why.',
  scope: 'team:read',
  query: Type.Object(paging(20, 50)),
  status: 200,
  answer: pageOf('versions', GuardrailVersion),
  async handler({ team, query, sql }) {
    const from = part`guardrails where team_id = ${team.id}`
    const list = { columns: versionColumns, from, order: part`version desc` }
    const { rows, ...page } = await readPage<GuardrailVersion>(sql, list, query)
    return { versions: rows, ...page }
  },
})
