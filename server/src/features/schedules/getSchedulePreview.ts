// Lists the next five due times of a schedule.
import { nextAfter, nextFive } from '../../base/schedule.ts'
import { operation } from '../../kit/operation.ts'
import { Id, Time, Type } from '../../kit/schema.ts'

export const getSchedulePreview = operation({
  id: 'getSchedulePreview',
  client: 'schedules.preview',
  route: 'GET /v2/agents/:agent_id/schedules/:schedule_id/preview',
  summary: 'Preview a schedule',
  description:
    'The next five due times. For a disabled schedule, those that it would have; for one that fires once, only that one.',
  scope: 'agents:read',
  status: 200,
  answer: Type.Object({ schedule_id: Id, timezone: Type.String(), next_runs: Type.Array(Time) }),
  async handler({ schedule, context }) {
    const now = context.clock.now()
    const first = (schedule.next_run_at as Date | null) ?? nextAfter(schedule, now)
    const times = first === null ? [] : [first, ...nextFive(schedule, first > now ? first : now)]
    const next_runs = times.slice(0, schedule.recurring ? 5 : 1)
    return { schedule_id: schedule.id, timezone: schedule.timezone, next_runs }
  },
})
