// Deletes a label: no case carries it any more, and each says so in its timeline.
import { operation } from '../../../kit/operation.ts'
import { Success } from '../../../kit/schema.ts'
import { eraseLabel, eraseSomeLinks, linksAtOnce } from './eraseLabel.job.ts'
import { labelText } from './label.ts'

export const deleteLabel = operation({
  id: 'deleteLabel',
  client: 'labels.delete',
  route: 'DELETE /v2/queues/:queue_id/labels/:label_id',
  summary: 'Delete a label',
  description: 'The label disappears from all cases. If many cases had it, their timelines show that a little later.',
  scope: 'queues:write',
  status: 200,
  answer: Success,
  errors: ['not_found'],
  async handler({ team, caller, label, sql, enqueue, fail }) {
    const deleted = await sql`delete from labels where id = ${label.id} and team_id = ${team.id} returning id`
    if (deleted.length === 0) fail('not_found')
    const name = labelText(label)
    const gone = { team_id: team.id, label_id: label.id, user_id: caller.member_id, name }
    if ((await eraseSomeLinks(sql, gone)) === linksAtOnce) await enqueue(eraseLabel, gone)
    return { success: true as const }
  },
})
