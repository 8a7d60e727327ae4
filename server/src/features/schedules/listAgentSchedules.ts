// Lists the schedules of an agent, oldest first.
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { Schedule, scheduleColumns } from './schedule.ts'

export const listAgentSchedules = operation({
  id: 'listAgentSchedules',
  route: 'GET /v2/agents/:agent_id/schedules',
  summary: 'List schedules',
  scope: 'agents:read',
  status: 200,
  answer: Type.Object({ schedules: Type.Array(Schedule) }),
  async handler({ team, agent, sql }) {
    const schedules = await sql<Schedule>`
      select ${scheduleColumns} from schedules where agent_id = ${agent.id} and team_id = ${team.id} order by id`
    return { schedules }
  },
})
