// Lists the schedules of an agent, oldest first.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { readLongRows } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { listedScheduleColumns, longMessage, Schedule } from './schedule.ts'

export const listAgentSchedules = operation({
  id: 'listAgentSchedules',
  client: 'schedules.list',
  route: 'GET /v2/agents/:agent_id/schedules',
  summary: 'List schedules',
  scope: 'agents:read',
  status: 200,
  answer: Type.Object({ schedules: Type.Array(Schedule) }),
  async handler({ team, agent, sql }) {
    const schedules = await readLongRows<Schedule>(sql, {
      table: part`schedules`,
      where: part`agent_id = ${agent.id} and team_id = ${team.id}`,
      order: part`schedules.id`,
      columns: listedScheduleColumns,
      long: [longMessage],
    })
    return { schedules }
  },
})
