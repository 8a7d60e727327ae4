// Reads what a team has used in the current month.
import { currentMonth } from '../../engine/counting/usage.ts'
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { readUsage, Usage } from './usageAnswer.ts'

export const getBillingUsage = operation({
  id: 'getBillingUsage',
  client: 'billing.usage',
  route: 'GET /v2/teams/:teamId/billing/usage',
  summary: 'Get the usage of this month',
  description:
    'The current calendar month of UTC, up to this moment. Every figure is written in the transaction of the work that it counts.',
  scope: 'billing:read',
  status: 200,
  answer: Type.Object({ usage: Usage, team_id: Id }),
  async handler({ team, caller, sql, enqueue }) {
    const usage = await readUsage(
      { sql, enqueue, teamId: team.id, memberId: caller.member_id },
      await currentMonth(sql),
    )
    return { usage, team_id: team.id }
  },
})
