// Deletes a rule of alerts. Its incidents stay readable; an open one closes.
import { operation } from '../../kit/operation.ts'
import { Success } from '../../kit/schema.ts'
import { closeIncident } from './moves.ts'

export const deleteAlertRule = operation({
  id: 'deleteAlertRule',
  client: 'alerts.deleteRule',
  route: 'DELETE /v2/alert-rules/:alert_rule_id',
  summary: 'Delete an alert rule',
  description: 'Its open incident closes. Incidents stay readable.',
  scope: 'agents:write',
  status: 200,
  answer: Success,
  errors: ['not_found'],
  async handler({ team, alert_rule: found, sql, fail }) {
    const deleted = await sql`delete from alert_rules where id = ${found.id} and team_id = ${team.id} returning id`
    if (deleted.length === 0) fail('not_found')
    await closeIncident(sql, { ruleId: found.id, teamId: team.id, because: 'rule_deleted' })
    return { success: true as const }
  },
})
