// Lists the rules of a team with what each of them last measured.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { AlertRule, ruleColumns, rulesMax, shownRule } from './alertRule.ts'

export const listAlertRules = operation({
  id: 'listAlertRules',
  client: 'alerts.listRules',
  route: 'GET /v2/teams/:teamId/alert-rules',
  summary: 'List alert rules',
  description: 'Oldest first, each with its last measurement and its open incident.',
  scope: 'runs:read',
  query: Type.Object({ ...paging(rulesMax, rulesMax) }),
  status: 200,
  answer: pageOf('alert_rules', AlertRule),
  async handler({ team, caller, query, sql }) {
    const from = part`alert_rules r where r.team_id = ${team.id}`
    const { rows, ...page } = await readPage<AlertRule>(sql, { columns: ruleColumns, from, order: part`r.id` }, query)
    return { alert_rules: rows.map((row) => shownRule(caller, row)), ...page }
  },
})
