// Puts labels on a case.
import { operation } from '../../../kit/operation.ts'
import { Type } from '../../../kit/schema.ts'
import { labelsOfCase, putOn } from './caseLabels.ts'
import { findLabels, GivenLabel, Label, LabelIds, labelNameOf, labelsMax, makeLabels, noSuchLabel } from './label.ts'

export const linkCaseLabels = operation({
  id: 'linkCaseLabels',
  client: 'labels.link',
  route: 'POST /v2/queues/:queue_id/cases/:case_id/labels',
  summary: 'Put labels on a case',
  description:
    'Give either `label_ids`, or `labels` by key and value; labels that the queue does not have are made. Answers with all labels of the ' +
    `case, at most ${labelsMax}.`,
  scope: 'queues:write',
  body: Type.Object(
    {
      label_ids: Type.Optional(LabelIds),
      labels: Type.Optional(Type.Array(GivenLabel, { minItems: 1, maxItems: 100 })),
    },
    { examples: [{ labels: [{ key: 'region', value: 'eu' }] }] },
  ),
  status: 200,
  answer: Type.Object({ labels: Type.Array(Label) }, { additionalProperties: false }),
  errors: ['invalid_request', 'not_found', 'conflict'],
  async handler({ team, caller, queue, case: { id: caseId }, body, sql, fail }) {
    const owner = { teamId: team.id, queueId: queue.id }
    if ((body.label_ids === undefined) === (body.labels === undefined)) {
      fail('invalid_request', 'Send either label_ids or labels, and not both.')
    }
    // locked against its deletion, which erases its labels; then, as everybody does, labels before cases
    const queues = await sql`select id from queues where id = ${queue.id} and team_id = ${team.id} for key share`
    if (queues.length === 0) fail('not_found')
    const wanted = body.labels
      ? await makeLabels(sql, owner, body.labels.map(labelNameOf))
      : await findLabels(sql, owner, body.label_ids!)
    if (!wanted) return fail('not_found', noSuchLabel)
    if (!(await putOn(sql, { teamId: team.id, caseId, userId: caller.member_id }, wanted))) fail('not_found')
    const labels = await labelsOfCase(sql, team.id, caseId)
    if (labels.length > labelsMax) {
      fail('conflict', `A case has at most ${labelsMax} labels; it would have ${labels.length}. Take some off first.`)
    }
    return { labels }
  },
})
