// Reads one incident.
import { operation } from '../../kit/operation.ts'
import { wrapped } from '../../kit/schema.ts'
import { AlertIncident, shownTo } from './incident.ts'

export const getAlertIncident = operation({
  id: 'getAlertIncident',
  client: 'alerts.getIncident',
  route: 'GET /v2/incidents/:incident_id',
  summary: 'Get an incident',
  scope: 'runs:read',
  status: 200,
  answer: wrapped('incident', 'incident_id', AlertIncident),
  handler: async ({ incident, caller }) => ({ incident: shownTo(caller, incident), incident_id: incident.id }),
})
