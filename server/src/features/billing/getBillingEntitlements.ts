// Reads what a team may use, and how much of it is used.
import { operation } from '../../kit/operation.ts'
import { Id, Type } from '../../kit/schema.ts'
import { Entitlement, readEntitlements } from './entitlement.ts'

export const getBillingEntitlements = operation({
  id: 'getBillingEntitlements',
  client: 'billing.entitlements',
  route: 'GET /v2/teams/:teamId/billing/entitlements',
  summary: 'Get the limits of the team',
  description:
    'Only the operator sets them, with `runyard entitlements set`. Past `max_concurrent_runs` a run waits as `pending`; past any other ' +
    'limit what would use more is refused with `entitlement_exceeded`, schedules skip, and cases stay pending.',
  scope: 'billing:read',
  status: 200,
  answer: Type.Object({
    entitlements: Type.Array(Entitlement),
    plan: Type.String({ examples: ['self_hosted'] }),
    team_id: Id,
  }),
  async handler({ team, sql, context }) {
    return { ...(await readEntitlements(sql, team.id, context.config.teamStorageBytes)), team_id: team.id }
  },
})
