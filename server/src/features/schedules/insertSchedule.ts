// Stores a new schedule of an agent, for the operation that makes one and for a builder's proposal that is accepted.
import { one, type Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import { nextAfter } from '../../base/schedule.ts'
import type { Context } from '../../kit/context.ts'
import { Type, type Static } from '../../kit/schema.ts'
import { besideFrequency, fields, scheduleColumns, type Schedule } from './schedule.ts'
import { requireTiming } from './timing.ts'

/** Enough for every use seen, and few enough to be listed whole. */
const schedulesMax = 100

export const NewSchedule = Type.Object(
  { frequency: fields.frequency, ...besideFrequency },
  { examples: [{ frequency: 'workday', time: '09:00', timezone: 'Europe/Berlin', message: 'Write the report' }] },
)

interface Wanted {
  sql: Sql
  context: Context
  teamId: string
  agentId: string
  memberId: string
  body: Static<typeof NewSchedule>
}

export async function insertSchedule({ sql, context, teamId, agentId, memberId, body }: Wanted): Promise<Schedule> {
  const timing = requireTiming(body, {})
  // locked against its deletion, and against others who count its schedules
  const agents = await sql`
    select id from agents where id = ${agentId} and team_id = ${teamId} and deleted_at is null for no key update`
  if (agents.length === 0) throw new Fault('not_found')
  const count = await one(sql<{ made: number }>`
    select count(*) as made from schedules where agent_id = ${agentId} and team_id = ${teamId}`)
  if (count.made >= schedulesMax) {
    throw new Fault(
      'conflict',
      `This agent has ${schedulesMax} schedules, which is the most. Delete or change one of them.`,
    )
  }
  const enabled = body.enabled ?? true
  const made = await one(sql<Schedule>`
    insert into schedules (id, team_id, agent_id, user_id, changed_by, enabled, frequency, time, day, day_of_month, cron, timezone, message,
      recurring, overlap, catch_up, next_run_at)
    values (${newId()}, ${teamId}, ${agentId}, ${memberId}, ${memberId}, ${enabled}, ${timing.frequency}, ${timing.time}, ${timing.day},
      ${timing.day_of_month}, ${timing.cron}, ${timing.timezone}, ${body.message ?? null}, ${body.recurring ?? true},
      ${body.overlap ?? 'skip'}, ${body.catch_up ?? 'last'}, ${enabled ? nextAfter(timing, context.clock.now()) : null})
    returning ${scheduleColumns}`)
  return made
}
