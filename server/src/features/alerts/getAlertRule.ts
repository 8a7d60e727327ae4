// Reads one rule of alerts.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { AlertRule, shownRule } from './alertRule.ts'

export const getAlertRule = operation({
  id: 'getAlertRule',
  client: 'alerts.getRule',
  route: 'GET /v2/alert-rules/:alert_rule_id',
  summary: 'Get an alert rule',
  scope: 'runs:read',
  status: 200,
  answer: wrapped('alert_rule', 'alert_rule_id', AlertRule),
  handler: async ({ alert_rule: found, caller }) => ({ alert_rule: shownRule(caller, found), alert_rule_id: found.id }),
})
