// Changes, pauses or resumes a schedule.
import { one } from '../../base/db.ts'
import { nextAfter } from '../../base/schedule.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { besideFrequency, fields, Schedule, scheduleColumns } from './schedule.ts'
import { isSameTiming, requireTiming } from './timing.ts'

export const updateSchedule = operation({
  id: 'updateSchedule',
  client: 'schedules.update',
  route: 'PATCH /v2/agents/:agent_id/schedules/:schedule_id',
  summary: 'Change a schedule',
  description:
    'With another `frequency`, fields that it does not use are removed. `enabled: true` also enables a schedule that disabled itself. ' +
    'After that, and after any change of the timing, the next due time is computed from now.',
  scope: 'agents:write',
  body: Type.Object(
    { frequency: Type.Optional(fields.frequency), ...besideFrequency },
    { examples: [{ time: '07:30', enabled: true }] },
  ),
  status: 200,
  answer: Schedule,
  errors: ['invalid_request', 'not_found'],
  async handler({ team, caller, schedule, body, context, sql, fail }) {
    // locked, so that a firing at this moment has moved its next time on before we do, or waits for us
    const [stored] = await sql<Schedule>`
      select ${scheduleColumns} from schedules where id = ${schedule.id} and team_id = ${team.id} for update`
    if (!stored) return fail('not_found')
    const timing = requireTiming(body, stored)
    const enabled = body.enabled ?? stored.enabled
    const isFresh = enabled && (!stored.enabled || !isSameTiming(timing, stored))
    const next = isFresh ? nextAfter(timing, context.clock.now()) : enabled ? stored.next_run_at : null
    const changed = await one(sql<Schedule>`
      update schedules set
        frequency = ${timing.frequency}, time = ${timing.time}, day = ${timing.day}, day_of_month = ${timing.day_of_month},
        cron = ${timing.cron}, timezone = ${timing.timezone},
        message = case when ${'message' in body} then ${body.message ?? null} else message end,
        recurring = coalesce(${body.recurring ?? null}, recurring),
        overlap = coalesce(${body.overlap ?? null}, overlap),
        catch_up = coalesce(${body.catch_up ?? null}, catch_up),
        enabled = ${enabled}, next_run_at = ${next},
        -- a pause takes back what was held; one that fired its only time and was disabled for that still starts it
        held = case when ${body.enabled === false} then '{}' else held end,
        failures = case when ${body.enabled === true} then 0 else failures end,
        auto_disabled_at = case when ${body.enabled === true} then null else auto_disabled_at end,
        auto_disabled_reason = case when ${body.enabled === true} then null else auto_disabled_reason end,
        changed_by = ${caller.member_id}, updated_at = now()
      where id = ${schedule.id} and team_id = ${team.id}
      returning ${scheduleColumns}`)
    return changed
  },
})
