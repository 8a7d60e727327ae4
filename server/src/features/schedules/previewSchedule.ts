// Lists the next five due times of a schedule that does not exist yet, for a form that shows them as one types.
import { nextFive } from '../../base/schedule.ts'
import { operation } from '../../kit/operation.ts'
import { Time, Type } from '../../kit/schema.ts'
import { besideFrequency, fields } from './schedule.ts'
import { requireTiming } from './timing.ts'

const { time, day, day_of_month, cron, timezone } = besideFrequency

export const previewSchedule = operation({
  id: 'previewSchedule',
  client: 'schedules.previewTiming',
  route: 'POST /v2/teams/:teamId/schedule-previews',
  summary: 'Preview a timing',
  description: 'The next five due times of a schedule with these fields. Nothing is saved.',
  scope: 'agents:read',
  onlyReads: true,
  body: Type.Object(
    { frequency: fields.frequency, time, day, day_of_month, cron, timezone },
    { examples: [{ frequency: 'workday', time: '09:00', timezone: 'Europe/Berlin' }] },
  ),
  status: 200,
  answer: Type.Object({ timezone: Type.String(), next_runs: Type.Array(Time) }),
  errors: ['invalid_request'],
  async handler({ body, context }) {
    const timing = requireTiming(body, {})
    return { timezone: timing.timezone, next_runs: nextFive(timing, context.clock.now()) }
  },
})
