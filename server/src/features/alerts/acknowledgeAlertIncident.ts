// Notes who looks at an incident. From then on nobody is reminded of it.
import { operation } from '../../kit/operation.ts'
import { nullable, Type, wrapped } from '../../kit/schema.ts'
import { AlertIncident, incidentColumns, shownTo } from './incident.ts'

export const acknowledgeAlertIncident = operation({
  id: 'acknowledgeAlertIncident',
  client: 'alerts.acknowledge',
  route: 'POST /v2/incidents/:incident_id/acknowledge',
  summary: 'Acknowledge an incident',
  description:
    'Says that you take care of it: others see that, and nobody is reminded of it any more. `acknowledged_by` is the last member who did so.',
  scope: 'runs:write',
  body: Type.Object(
    { note: Type.Optional(nullable(Type.String({ maxLength: 2000, description: 'What you found, or do about it.' }))) },
    { examples: [{ note: 'The supplier changed its form. Fixing the procedure.' }] },
  ),
  status: 200,
  answer: wrapped('incident', 'incident_id', AlertIncident),
  errors: ['not_found'],
  async handler({ team, caller, incident, body, sql, fail }) {
    const [changed] = await sql<AlertIncident>`
      update alert_incidents i set acknowledged_at = now(), acknowledged_by = ${caller.member_id},
        note = case when ${'note' in body} then ${body.note ?? null} else i.note end
      where i.id = ${incident.id} and i.team_id = ${team.id}
      returning ${incidentColumns}`
    if (!changed) return fail('not_found')
    return { incident: shownTo(caller, changed), incident_id: changed.id }
  },
})
