// Reads what a team used in any span of days.
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { readUsage, Usage } from './usageAnswer.ts'
import { daysAsked, daysFields, daysRule } from './usageDays.ts'

export const getBillingUsageHistory = operation({
  id: 'getBillingUsageHistory',
  client: 'billing.usageHistory',
  route: 'GET /v2/teams/:teamId/billing/usage/history',
  summary: 'Get the usage of a span of days',
  description:
    'Answers like getBillingUsage, for whole days of UTC: from the day of `since`, up to `until`. `period_start` and `period_end` say ' +
    `which days were counted. ${daysRule}`,
  scope: 'billing:read',
  query: Type.Object(daysFields),
  status: 200,
  answer: Type.Object({ usage: Usage, team_id: Id }),
  errors: ['invalid_request'],
  async handler({ team, caller, query, sql, enqueue, fail }) {
    const days = await daysAsked(sql, query, fail)
    return {
      usage: await readUsage({ sql, enqueue, teamId: team.id, memberId: caller.member_id }, days),
      team_id: team.id,
    }
  },
})
