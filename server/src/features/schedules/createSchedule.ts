// Makes a schedule for an agent.
import { operation } from '../../kit/operation.ts'
import { insertSchedule, NewSchedule } from './insertSchedule.ts'
import { Schedule } from './schedule.ts'

export const createSchedule = operation({
  id: 'createSchedule',
  client: 'schedules.create',
  route: 'POST /v2/agents/:agent_id/schedules',
  summary: 'Make a schedule',
  description:
    'At each due time a run of the agent’s live build starts with `message`, exactly once, however many processes there are. A time that ' +
    'daylight saving skips fires at the next valid instant; a time that occurs twice fires once. An agent has at most 100 schedules.',
  scope: 'agents:write',
  body: NewSchedule,
  status: 200,
  answer: Schedule,
  errors: ['invalid_request', 'not_found', 'conflict'],
  handler: ({ team, caller, agent, body, context, sql }) =>
    insertSchedule({ sql, context, teamId: team.id, agentId: agent.id, memberId: caller.member_id, body }),
})
