// Makes a schedule for an agent.
import { one } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { nextAfter } from '../../base/schedule.ts'
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { besideFrequency, fields, Schedule, scheduleColumns } from './schedule.ts'
import { requireTiming } from './timing.ts'

/** Enough for every use seen, and few enough to be listed whole. */
const schedulesMax = 100

export const createSchedule = operation({
  id: 'createSchedule',
  client: 'schedules.create',
  route: 'POST /v2/agents/:agent_id/schedules',
  summary: 'Make a schedule',
  description:
    'At each due time a run of the agent’s live build starts with `message`, exactly once, however many processes there are. A time that ' +
    'daylight saving skips fires at the next valid instant; a time that occurs twice fires once. An agent has at most 100 schedules.',
  scope: 'agents:write',
  body: Type.Object(
    { frequency: fields.frequency, ...besideFrequency },
    { examples: [{ frequency: 'workday', time: '09:00', timezone: 'Europe/Berlin', message: 'Write the report' }] },
  ),
  status: 200,
  answer: Schedule,
  errors: ['invalid_request', 'not_found', 'conflict'],
  async handler({ team, caller, agent, body, context, sql, fail }) {
    const timing = requireTiming(body, {})
    // locked against its deletion, and against others who count its schedules
    const agents = await sql`
      select id from agents where id = ${agent.id} and team_id = ${team.id} and deleted_at is null for no key update`
    if (agents.length === 0) fail('not_found')
    const count = await one(sql<{ made: number }>`
      select count(*) as made from schedules where agent_id = ${agent.id} and team_id = ${team.id}`)
    if (count.made >= schedulesMax) {
      fail('conflict', `This agent has ${schedulesMax} schedules, which is the most. Delete or change one of them.`)
    }
    const enabled = body.enabled ?? true
    const made = await one(sql<Schedule>`
      insert into schedules (id, team_id, agent_id, user_id, changed_by, enabled, frequency, time, day, day_of_month, cron, timezone, message,
        recurring, overlap, catch_up, next_run_at)
      values (${newId()}, ${team.id}, ${agent.id}, ${caller.member_id}, ${caller.member_id}, ${enabled}, ${timing.frequency}, ${timing.time}, ${timing.day},
        ${timing.day_of_month}, ${timing.cron}, ${timing.timezone}, ${body.message ?? null}, ${body.recurring ?? true},
        ${body.overlap ?? 'skip'}, ${body.catch_up ?? 'last'}, ${enabled ? nextAfter(timing, context.clock.now()) : null})
      returning ${scheduleColumns}`)
    return made
  },
})
