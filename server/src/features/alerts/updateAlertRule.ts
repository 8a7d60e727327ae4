// Changes a rule of alerts. What it watches stays; another signal or scope is another rule.
import { sqlState, uniqueViolation } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { AlertRule, optionalRuleFields, ruleColumns, ruleFields } from './alertRule.ts'
import { takenName } from './createAlertRule.ts'
import { closeIncident } from './moves.ts'
import { requireRule } from './wantedRule.ts'

export const updateAlertRule = operation({
  id: 'updateAlertRule',
  client: 'alerts.updateRule',
  route: 'PATCH /v2/alert-rules/:alert_rule_id',
  summary: 'Change an alert rule',
  description:
    'Only the given fields change. A new `threshold` without a `clear_threshold` sets the latter to four fifths of it. `enabled: false` closes its open incident. The signal and the scope of a rule stay: make another rule ' +
    'for another one.',
  scope: 'agents:write',
  body: Type.Object(
    {
      name: Type.Optional(ruleFields.name),
      threshold: Type.Optional(ruleFields.threshold),
      ...optionalRuleFields,
    },
    { examples: [{ threshold: 30, remind_hours: 4 }] },
  ),
  status: 200,
  answer: wrapped('alert_rule', 'alert_rule_id', AlertRule),
  errors: ['invalid_request', 'not_found', 'duplicate_name'],
  async handler({ team, caller, alert_rule: found, body, sql, fail }) {
    // locked, so that what is measured at this moment is judged before the change or not at all
    const [stored] = await sql<AlertRule>`
      select ${ruleColumns} from alert_rules r where r.id = ${found.id} and r.team_id = ${team.id} for update of r`
    if (!stored) return fail('not_found')
    const given = { ...stored, ...followed(body) }
    const wanted = await requireRule({ sql, teamId: team.id, caller, given, hasNewMembers: 'tells' in body })
    if (!wanted.enabled) await closeIncident(sql, { ruleId: stored.id, teamId: team.id, because: 'rule_disabled' })
    try {
      // the time of a change is later than the one before in any case: by it, measurements see that the rule is another
      const [changed] = await sql<AlertRule>`
        update alert_rules r set name = ${wanted.name}, threshold = ${wanted.threshold}, clear_threshold = ${wanted.clear_threshold},
          window_minutes = ${wanted.window_minutes}, min_runs = ${wanted.min_runs}, for_minutes = ${wanted.for_minutes},
          clear_minutes = ${wanted.clear_minutes}, remind_hours = ${wanted.remind_hours}, tells = ${wanted.tells}::uuid[],
          pause_agent = ${wanted.pause_agent}, enabled = ${wanted.enabled},
          next_at = case when ${wanted.enabled}::boolean then now() end,
          state = case when ${wanted.enabled}::boolean then r.state else 'ok' end,
          state_since = case when ${wanted.enabled}::boolean or r.state = 'ok' then r.state_since else now() end,
          problem = null, updated_at = greatest(now(), r.updated_at + interval '1 millisecond')
        where r.id = ${stored.id} and r.team_id = ${team.id}
        returning ${ruleColumns}`
      if (!changed) return fail('not_found')
      return { alert_rule: changed, alert_rule_id: changed.id }
    } catch (error) {
      if (sqlState(error) !== uniqueViolation) throw error
      return fail('duplicate_name', takenName)
    }
  },
})

/** The lower threshold follows the upper one, unless it is given too. */
const followed = <Body extends { threshold?: number; clear_threshold?: number }>(body: Body) =>
  body.threshold === undefined || body.clear_threshold !== undefined ? body : { ...body, clear_threshold: undefined }
