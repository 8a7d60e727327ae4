// Has many cases of a queue worked on again, by any of its agents or by one.
import { isId } from '../../../base/ids.ts'
import { operation } from '../../../kit/operation.ts'
import { nullable, Type } from '../../../kit/schema.ts'
import { bulkAnswer } from './bulkAction.ts'
import { actInBulk, chosenCases } from './bulkRequest.ts'

export const bulkReprocessCases = operation({
  id: 'bulkReprocessCases',
  client: 'cases.bulkReprocess',
  route: 'POST /v2/queues/:queue_id/cases/bulk-reprocess',
  summary: 'Have many cases worked on again',
  description:
    'The cases become pending again, whatever their status, and keep their count of attempts. A run that holds one of them is stopped ' +
    'first; cases that another member holds are skipped. More than 10,000 matching cases are changed in the background; cases that are ' +
    'added after the start are not affected.',
  scope: 'queues:write',
  body: Type.Object(
    {
      ...chosenCases,
      agent_id: Type.Optional(
        nullable(
          Type.String({
            description: 'Only this agent gets them; it needs a case trigger on this queue. Absent: any agent.',
          }),
        ),
      ),
    },
    { examples: [{ all_matching: true, filters: { status: ['failed'] } }] },
  ),
  status: 200,
  answer: Type.Object(bulkAnswer),
  errors: ['invalid_request', 'not_found', 'conflict'],
  async handler(call) {
    const { team, queue, body, sql, fail } = call
    const agentId = body.agent_id ?? null
    if (agentId !== null) {
      const [agent] = isId(agentId)
        ? await sql<{ works_here: boolean }>`
            select exists (select from case_triggers t where t.agent_id = a.id and t.queue_id = ${queue.id}) as works_here
            from agents a where a.id = ${agentId} and a.team_id = ${team.id} and a.deleted_at is null and not a.is_hidden`
        : []
      if (!agent) return fail('not_found', 'Your credential can see no agent with this agent_id. Check the id.')
      // no other agent would get the cases, and this one never does
      if (!agent.works_here)
        fail('conflict', 'This agent has no case trigger on this queue. Make one first, or leave agent_id out.')
    }
    return actInBulk(call, { kind: 'reprocess', agent_id: agentId })
  },
})
