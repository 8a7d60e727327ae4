// Takes labels off a case.
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'
import { labelsOfCase, takeOff } from './caseLabels.ts'
import { findLabels, Label, LabelIds, noSuchLabel } from './label.ts'

export const unlinkCaseLabels = operation({
  id: 'unlinkCaseLabels',
  client: 'labels.unlink',
  route: 'POST /v2/queues/:queue_id/cases/:case_id/labels/unlink',
  summary: 'Take labels off a case',
  description: 'Labels that the case does not have are ignored. Answers with the labels that it still has.',
  scope: 'queues:write',
  body: Type.Object({ label_ids: LabelIds }),
  status: 200,
  answer: Type.Object({ labels: Type.Array(Label) }, { additionalProperties: false }),
  errors: ['not_found'],
  async handler({ team, caller, queue, case: { id: caseId }, body, sql, fail }) {
    const found = await findLabels(sql, { teamId: team.id, queueId: queue.id }, body.label_ids)
    if (!found) return fail('not_found', noSuchLabel)
    await takeOff(sql, { teamId: team.id, caseId, userId: caller.member_id }, found)
    return { labels: await labelsOfCase(sql, team.id, caseId) }
  },
})
