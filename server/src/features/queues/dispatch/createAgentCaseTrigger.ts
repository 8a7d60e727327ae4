// Lets an agent work the cases of a queue.
import { one } from '../../../base/db.ts'
import { newId } from '../../../base/ids.ts'
import { operation } from '../../../kit/operation.ts'
import { Type, wrapped } from '../../../kit/schema.ts'
import { CaseTrigger, findTrigger, lockQueue, noSuchQueue, triggerFields } from './caseTrigger.ts'
import { announceQueue } from '../cases/announceQueue.ts'

export const createAgentCaseTrigger = operation({
  id: 'createAgentCaseTrigger',
  client: 'caseTriggers.create',
  route: 'POST /v2/agents/:agent_id/case-triggers',
  summary: 'Make a case trigger',
  description:
    'Each case of the queue starts one run of the agent’s live build, in the order of the queue; cases that already wait start at once. ' +
    'An agent has at most one case trigger. Two triggers on one queue share its cases.',
  scope: 'agents:write',
  body: Type.Object({
    case_queue_id: triggerFields.case_queue_id,
    enabled: triggerFields.enabled,
    concurrency: Type.Optional(triggerFields.concurrency),
  }),
  status: 201,
  answer: wrapped('case_trigger', 'trigger_id', CaseTrigger),
  errors: ['not_found', 'case_trigger_exists'],
  async handler({ team, caller, agent, body, sql, fail }) {
    // locked against its deletion
    const agents = await sql`
      select id from agents where id = ${agent.id} and team_id = ${team.id} and deleted_at is null for no key update`
    if (agents.length === 0) fail('not_found')
    if (!(await lockQueue(sql, team.id, body.case_queue_id))) fail('not_found', noSuchQueue)
    const id = newId()
    const made = await sql`
      insert into case_triggers (id, team_id, agent_id, queue_id, user_id, changed_by, enabled, concurrency)
      values (${id}, ${team.id}, ${agent.id}, ${body.case_queue_id}, ${caller.member_id}, ${caller.member_id}, ${body.enabled}, ${body.concurrency ?? null})
      on conflict (agent_id) do nothing returning id`
    if (made.length === 0) fail('case_trigger_exists')
    if (body.enabled) await announceQueue(sql, body.case_queue_id)
    const trigger = await one(findTrigger(sql, id, team.id))
    return { case_trigger: trigger, trigger_id: id }
  },
})
