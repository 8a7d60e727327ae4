// Lists the incidents of a team, newest first.
import { empty, part } from '../../base/db.ts'
import { idForFilter } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { pageOf, paging, readPage } from '../../kit/paging.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { AlertIncident, incidentColumns, shownTo } from './incident.ts'

export const listAlertIncidents = operation({
  id: 'listAlertIncidents',
  client: 'alerts.listIncidents',
  route: 'GET /v2/teams/:teamId/incidents',
  summary: 'List incidents',
  description: 'Newest first. Closed ones are kept for 180 days.',
  scope: 'runs:read',
  query: Type.Object({
    state: Type.Optional(oneOf(['open', 'closed'], { description: 'Only these.' })),
    rule_id: Type.Optional(Type.String({ description: 'Only incidents of this rule.' })),
    ...paging(20, 100),
  }),
  status: 200,
  answer: pageOf('incidents', AlertIncident),
  async handler({ team, caller, query, sql }) {
    const { state, rule_id: ruleId } = query
    const ofState =
      state === undefined ? empty : state === 'open' ? part`and i.closed_at is null` : part`and i.closed_at is not null`
    const ofRule = ruleId === undefined ? empty : part`and i.rule_id = ${idForFilter(ruleId)}`
    const from = part`alert_incidents i where i.team_id = ${team.id} ${ofState} ${ofRule}`
    const list = { columns: incidentColumns, from, order: part`i.id desc`, isCountedAhead: true }
    const { rows, ...page } = await readPage<AlertIncident>(sql, list, query)
    return { incidents: rows.map((row) => shownTo(caller, row)), ...page }
  },
})
