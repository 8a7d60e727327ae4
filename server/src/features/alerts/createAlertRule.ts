// Makes a rule of alerts. It is measured for the first time within a second.
import { one } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { AlertRule, ruleColumns, rulesMax } from './alertRule.ts'
import { NewRule, requireRule } from './wantedRule.ts'

export const createAlertRule = operation({
  id: 'createAlertRule',
  client: 'alerts.createRule',
  route: 'POST /v2/teams/:teamId/alert-rules',
  summary: 'Make an alert rule',
  description:
    'The rule is measured about twice a minute. It opens one incident at a time, which is reported once when it opens and once when it closes. ' +
    `A team has at most ${rulesMax} rules, with different names. Besides \`agents:write\` it takes the scope that reads what the signal measures: ` +
    '`billing:read` for `cost`, `queues:read` for `queue_age`, `webhooks:manage` for `delivery_failures`, `agents:read` for `schedule_misses`, and ' +
    '`runs:read` for the others.',
  scope: 'agents:write',
  body: NewRule,
  status: 201,
  answer: wrapped('alert_rule', 'alert_rule_id', AlertRule),
  errors: ['invalid_request', 'conflict', 'duplicate_name'],
  async handler({ team, caller, body, sql, fail }) {
    const wanted = await requireRule({ sql, teamId: team.id, caller, given: body })
    // locked against others who count the rules of this team
    await sql`select id from teams where id = ${team.id} for no key update`
    const count = await one(sql<{ made: number }>`select count(*) as made from alert_rules where team_id = ${team.id}`)
    if (count.made >= rulesMax)
      fail('conflict', `The team has ${rulesMax} rules, which is the most. Delete or change one of them.`)
    const [made] = await sql<AlertRule>`
      insert into alert_rules as r (id, team_id, name, signal, scope, scope_id, threshold, clear_threshold, window_minutes, min_runs,
        for_minutes, clear_minutes, remind_hours, tells, pause_agent, enabled, created_by, next_at)
      values (${newId()}, ${team.id}, ${wanted.name}, ${wanted.signal}, ${wanted.scope}, ${wanted.scope_id}, ${wanted.threshold},
        ${wanted.clear_threshold}, ${wanted.window_minutes}, ${wanted.min_runs}, ${wanted.for_minutes}, ${wanted.clear_minutes},
        ${wanted.remind_hours}, ${wanted.tells}::uuid[], ${wanted.pause_agent}, ${wanted.enabled}, ${caller.member_id},
        case when ${wanted.enabled}::boolean then now() end)
      on conflict (team_id, name) do nothing
      returning ${ruleColumns}`
    if (!made) return fail('duplicate_name', takenName)
    return { alert_rule: made, alert_rule_id: made.id }
  },
})

export const takenName = 'The team has a rule with this name already. Choose another name, or change that one.'
