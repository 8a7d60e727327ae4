// Schedules as what starts runs by itself, for builders: made paused, and switched on when their build becomes live.
import { part } from '../../base/db.ts'
import { nextAfter } from '../../base/schedule.ts'
import type { RunStarts } from '../../kit/offers.ts'
import type { Static } from '../../kit/schema.ts'
import { validateBody } from '../../kit/validate.ts'
import { insertSchedule, NewSchedule } from './insertSchedule.ts'
import { scheduleColumns, type Schedule } from './schedule.ts'
import { requireTiming } from './timing.ts'

type Body = Static<typeof NewSchedule>

const bodyOf = (settings: Record<string, unknown>): Body => validateBody(NewSchedule, settings) as unknown as Body

/** `schedule: weekly, monday, 09:00 (Europe/Berlin)`. */
function titleOf({ frequency, time, day, day_of_month, cron, timezone }: Partial<Body>): string {
  const parts = [frequency?.replaceAll('_', ' '), day, day_of_month && `day ${day_of_month}`, time, cron]
  return `schedule: ${parts.filter(Boolean).join(', ')} (${timezone ?? 'UTC'})`
}

/** SQL condition: as it was made, which was paused. */
const isReady = part`(not enabled and updated_at = created_at)`

export const scheduleStarts: RunStarts = {
  kinds: () => ['schedule'],
  title: ({ settings }) => titleOf(settings),
  async list({ sql, teamId, agentId }) {
    const rows = await sql<Schedule>`
      select ${scheduleColumns} from schedules where agent_id = ${agentId} and team_id = ${teamId} order by created_at, id`
    return rows.map(titleOf)
  },
  async check({ wanted }) {
    requireTiming(bodyOf(wanted.settings), {})
  },
  async make({ starter, wanted, ...asked }) {
    const body = { ...bodyOf(wanted.settings), enabled: false }
    return (await insertSchedule({ ...asked, memberId: starter.member_id, body })).id
  },
  async ready({ sql, teamId, ids }) {
    const rows = await sql<{ id: string }>`
      select id from schedules where id = any(${ids}::uuid[]) and team_id = ${teamId} and ${isReady}`
    return rows.map(({ id }) => id)
  },
  async begin({ sql, context, teamId, ids }) {
    // locked: whoever changes one at this moment is seen, or sees that it has begun
    const paused = await sql<Schedule>`
      select ${scheduleColumns} from schedules
      where id = any(${ids}::uuid[]) and team_id = ${teamId} and ${isReady} for update`
    for (const one of paused) {
      await sql`
        update schedules set enabled = true, next_run_at = ${nextAfter(one, context.clock.now())}, updated_at = now()
        where id = ${one.id} and team_id = ${teamId}`
    }
  },
}
