// A schedule: the times at which an agent starts a run by itself.
import { part, type Part, type Sql } from '../../base/db.ts'
import { days, frequencies } from '../../base/schedule.ts'
import { listed, longText, truncatedField } from '../../kit/pageBytes.ts'
import { resource } from '../../kit/resources.ts'
import { Id, named, nullable, oneOf, Time, Type, type Static } from '../../kit/schema.ts'

export const overlaps = ['skip', 'queue', 'allow'] as const
export const catchUps = ['none', 'last', 'all'] as const

/** What a caller may set of a schedule; the same fields are in every answer. */
export const fields = {
  enabled: Type.Boolean({ description: 'Paused when false. Due times of the pause are not made up for.' }),
  frequency: oneOf(frequencies),
  time: nullable(
    Type.String({
      pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
      description: 'HH:MM; with daily, workday, weekly and monthly.',
      examples: ['09:00'],
    }),
  ),
  day: nullable(oneOf(days, { description: 'With weekly.' })),
  day_of_month: nullable(
    Type.Integer({ minimum: 1, maximum: 31, description: 'With monthly; the last day where the month is shorter.' }),
  ),
  cron: nullable(
    Type.String({
      maxLength: 200,
      description: 'Five fields: minute, hour, day of the month, month, day of the week; with custom.',
      examples: ['*/10 8-17 * * mon-fri'],
    }),
  ),
  timezone: Type.String({ maxLength: 64, description: 'An IANA name; `UTC` if absent.', examples: ['Europe/Berlin'] }),
  message: nullable(
    Type.String({ maxLength: 65_536, description: 'The message of each run.', examples: ['Write the report'] }),
  ),
  recurring: Type.Boolean({ description: 'When false it fires once and is then disabled.' }),
  overlap: oneOf(overlaps, {
    description:
      'While the run before is still active, a due time is skipped (`skip`), held back until that one has ended, ' +
      'one at most (`queue`), or fired all the same (`allow`).',
  }),
  catch_up: oneOf(catchUps, {
    description:
      'What becomes of due times that were missed by more than a minute: nothing (`none`), one run for the latest (`last`), ' +
      'or one for each of the latest 100 (`all`): at once with overlap `allow`, else one after another.',
  }),
}

/** What a caller says beside the frequency, when a schedule is made and when it is changed. */
export const besideFrequency = {
  time: Type.Optional(fields.time),
  day: Type.Optional(fields.day),
  day_of_month: Type.Optional(fields.day_of_month),
  cron: Type.Optional(fields.cron),
  timezone: Type.Optional(nullable(fields.timezone)),
  message: Type.Optional(fields.message),
  enabled: Type.Optional(fields.enabled),
  recurring: Type.Optional(nullable(fields.recurring)),
  overlap: Type.Optional(fields.overlap),
  catch_up: Type.Optional(fields.catch_up),
}

export const Schedule = named(
  'Schedule',
  Type.Object({
    id: Id,
    schedule_id: Id,
    agent_id: Id,
    user_id: Id,
    ...fields,
    next_run_at: nullable(Time),
    last_run_at: nullable(Time),
    last_run_id: nullable(Id),
    auto_disabled_at: nullable(Time),
    auto_disabled_reason: nullable(Type.String()),
    last_skipped_at: nullable(
      Type.Unsafe<Date | string>({
        ...Time,
        description: 'When a due time was last skipped because of a limit of the team, or because the agent is paused.',
      }),
    ),
    last_skipped_reason: nullable(Type.String({ description: 'Which limit that was, or why the agent is paused.' })),
    created_at: Time,
    updated_at: Time,
    truncated: truncatedField,
  }),
)

export type Schedule = Static<typeof Schedule>

/** features/agents/listAgents.ts reads the same ones. */
const columnsWith = (message: Part): Part => part`
  schedules.id, schedules.id as schedule_id, agent_id, user_id, enabled, frequency, time, day, day_of_month, cron, timezone, ${message} as message, recurring,
  overlap, catch_up, next_run_at, last_run_at, last_run_id, auto_disabled_at, auto_disabled_reason,
  last_skipped_at, last_skipped_reason, created_at, updated_at`

export const scheduleColumns = columnsWith(part`message`)
export const longMessage = longText(part`schedules.message`)
export const listedScheduleColumns = columnsWith(listed(longMessage))

const findSchedule = (sql: Sql, id: string, teamId: string): Promise<Schedule[]> => sql<Schedule>`
  select ${scheduleColumns} from schedules where id = ${id} and team_id = ${teamId}`

export const schedule = resource('schedule', findSchedule)

declare module '../../kit/resources.ts' {
  interface Resources {
    schedule: Schedule
  }
}
