// Changes, pauses or resumes a case trigger.
import { operation } from '../../../kit/operation.ts'
import { Type, wrapped } from '../../../kit/schema.ts'
import { CaseTrigger, findTrigger, lockQueue, noSuchQueue, triggerFields } from './caseTrigger.ts'
import { announceQueue } from '../cases/announceQueue.ts'

export const updateAgentCaseTrigger = operation({
  id: 'updateAgentCaseTrigger',
  client: 'caseTriggers.update',
  route: 'PATCH /v2/agents/:agent_id/case-triggers/:case_trigger_id',
  summary: 'Change a case trigger',
  description:
    'Only the given fields change. Runs in progress continue; the change applies to the cases that are dispatched next.',
  scope: 'agents:write',
  body: Type.Object(
    {
      case_queue_id: Type.Optional(triggerFields.case_queue_id),
      enabled: Type.Optional(triggerFields.enabled),
      concurrency: Type.Optional(triggerFields.concurrency),
    },
    { examples: [{ enabled: true, concurrency: 3 }] },
  ),
  status: 200,
  answer: wrapped('case_trigger', 'trigger_id', CaseTrigger),
  errors: ['not_found'],
  async handler({ team, caller, case_trigger: trigger, body, sql, fail }) {
    const queueId = body.case_queue_id
    if (queueId !== undefined && !(await lockQueue(sql, team.id, queueId))) fail('not_found', noSuchQueue)
    await sql`
      update case_triggers set
        queue_id = coalesce(${queueId ?? null}, queue_id),
        enabled = coalesce(${body.enabled ?? null}, enabled),
        concurrency = case when ${'concurrency' in body} then ${body.concurrency ?? null}::int else concurrency end,
        changed_by = ${caller.member_id}, updated_at = now()
      where id = ${trigger.id} and team_id = ${team.id}`
    const [changed] = await findTrigger(sql, trigger.id, team.id)
    if (!changed) return fail('not_found')
    if (changed.enabled) await announceQueue(sql, changed.case_queue_id)
    return { case_trigger: changed, trigger_id: changed.id }
  },
})
