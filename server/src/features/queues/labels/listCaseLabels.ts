// Lists the labels that a case carries.
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'
import { labelsOfCase } from './caseLabels.ts'
import { Label } from './label.ts'

export const listCaseLabels = operation({
  id: 'listCaseLabels',
  client: 'labels.listOfCase',
  route: 'GET /v2/queues/:queue_id/cases/:case_id/labels',
  summary: 'List the labels of a case',
  scope: 'queues:read',
  status: 200,
  answer: Type.Object({ labels: Type.Array(Label) }, { additionalProperties: false }),
  handler: async ({ team, case: { id }, sql }) => ({ labels: await labelsOfCase(sql, team.id, id) }),
})
